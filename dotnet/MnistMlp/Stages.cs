using System.IO.Enumeration;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// Writes the taps of each stage, S0 to S7, to <c>DIR/S2/fc2.output.npy</c>. Twin: twin/stages.py, which says what
/// each proves, and cotrain/parity_dump.py; scripts/verify_nn_parity compares the files.
/// </summary>
internal sealed class Stages
{
    private const long Initial = -1;

    private readonly string _root;
    private readonly (string Name, long Step, string[] Taps)[] _stages;

    /// <param name="root">The folder; stages' folders in it must be empty or missing.</param>
    /// <param name="stepsPerEpoch">Steps of an epoch.</param>
    /// <param name="totalSteps">Steps of the run.</param>
    /// <exception cref="InvalidDataException">A stage's folder holds something.</exception>
    public Stages(string root, long stepsPerEpoch, long totalSteps)
    {
        _root = root;
        _stages =
        [
            ("S0", Initial, ["init.*"]),
            ("S1", Initial, ["data.*"]),
            ("S2", 0, ["fc?.preact", "fc?.output"]),
            ("S3", 0, ["loss.*", "metrics.argmax"]),
            ("S4", 0, ["fc?.grad.*"]),
            ("S5", 0, ["adam.*"]),
            ("S6", stepsPerEpoch - 1, ["adam.*"]),
            ("S7", totalSteps - 1, ["adam.*", "eval.*"]),
        ];
        foreach ((string name, _, _) in _stages)
        {
            string folder = Path.Combine(root, name);
            if (Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any())
            {
                throw new InvalidDataException(
                    $"{folder} is not empty: files of two runs would mix; remove it, or choose another folder");
            }
        }
    }

    /// <summary>Writes a tap of a step (-1: the state before step 0) to each stage that shows it, or to none.</summary>
    public void Write(long step, string name, NDArray value)
    {
        foreach ((string stage, long at, string[] taps) in _stages)
        {
            if (at != step || !taps.Any(pattern => FileSystemName.MatchesSimpleExpression(pattern, name, ignoreCase: false)))
            {
                continue;
            }

            string folder = Path.Combine(_root, stage);
            Directory.CreateDirectory(folder);
            np.save(Path.Combine(folder, name + ".npy"), value);
        }
    }
}
