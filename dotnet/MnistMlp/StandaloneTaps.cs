using System.Globalization;
using System.Runtime.CompilerServices;
using Cotrain;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// Passes every value through; prints the loss and the accuracy of evaluations, and writes the taps if asked to.
/// Twin: _report and _save in twin/mnist_mlp.py.
/// </summary>
internal sealed class StandaloneTaps : ITaps, IDisposable
{
    private readonly string? _root;
    private readonly Stages? _stages;
    private readonly HashSet<string> _made = [];
    private string _directory;
    private long _step = -1;
    private NDArray? _testLabels;

    /// <param name="root">Folder for DIR/STEP/NAME.npy, or null for none.</param>
    /// <param name="stages">Writes what the stages show, or null.</param>
    public StandaloneTaps(string? root, Stages? stages)
    {
        _root = root;
        _stages = stages;
        _directory = Path.Combine(root ?? "", "initial");
    }

    /// <summary>The loss of a step from the tap <c>loss.mean</c>; negated in float32, which is exact.</summary>
    public static float Loss(NDArray mean) => -mean.GetSingle();

    /// <summary>An accuracy, in float64.</summary>
    public static double Share(long hits, long count) => (double)hits / count;

    /// <summary>Says which step comes next.</summary>
    public void Begin(long step)
    {
        _step = step;
        _directory = Path.Combine(_root ?? "", step.ToString(CultureInfo.InvariantCulture));
    }

    /// <inheritdoc/>
    public NDArray Tap(string name, NDArray value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
    {
        Save(name, value);
        switch (name)
        {
            case "data.test.y":
                _testLabels = value.copy();
                break;
            case "loss.mean":
                float loss = Loss(value);
                Console.WriteLine(FormattableString.Invariant(
                    $"step {_step} loss {(double)loss:F8} 0x{BitConverter.SingleToUInt32Bits(loss):X8}"));
                break;
            case "eval.argmax":
                Console.WriteLine(FormattableString.Invariant($"step {_step} test accuracy {Accuracy(value):F4}"));
                break;
        }

        return value;
    }

    /// <inheritdoc/>
    public void Tap<T>(string name, ref T value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : unmanaged
    {
        using NDArray array = NDArray.Scalar(value);
        Save(name, array);
    }

    /// <summary>Gives the copy of the test labels back.</summary>
    public void Dispose() => _testLabels?.Dispose();

    private double Accuracy(NDArray predicted)
    {
        long hits = 0;
        for (long index = 0; index < predicted.size; index++)
        {
            hits += predicted.GetInt64(index) == _testLabels!.GetByte(index) ? 1 : 0;
        }

        return Share(hits, predicted.size);
    }

    private void Save(string name, NDArray value)
    {
        _stages?.Write(_step, name, value);
        if (_root is null)
        {
            return;
        }

        if (_made.Add(_directory))
        {
            Directory.CreateDirectory(_directory);
        }

        np.save(Path.Combine(_directory, name + ".npy"), value);
    }
}
