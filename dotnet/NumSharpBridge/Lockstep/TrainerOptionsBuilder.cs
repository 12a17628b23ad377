using System.Globalization;
using Cotrain.Interop;
using Cotrain.Kernels;

namespace Cotrain.Lockstep;

/// <summary>Makes <see cref="TrainerOptions"/> from the driver's names and texts.</summary>
public sealed class TrainerOptionsBuilder
{
    private readonly Dictionary<string, string> _values = [];

    /// <summary>Sets an option by its Python name; unknown names end up in <see cref="TrainerOptions.Extra"/>.</summary>
    public void Set(string name, string value) => _values[name] = value;

    /// <param name="math"><c>parity</c> or <c>numsharp</c>.</param>
    public TrainerOptions Build(string math) => new()
    {
        Steps = Take("steps") is { } steps ? Number(steps) : null,
        Epochs = Take("epochs") is { } epochs ? Number(epochs) : null,
        BatchSize = Take("batch_size") is { } size ? (int)Number(size) : null,
        Seed = Take("seed") is { } seed ? Number(seed) : null,
        Data = Take("data"),
        Math = math switch
        {
            "parity" => new ParityMath(),
            "numsharp" => new NumSharpMath(),
            _ => throw new CotrainException($"--math {math}: choose parity or numsharp"),
        },
        Extra = new Dictionary<string, string>(_values),
    };

    private string? Take(string name) => _values.Remove(name, out string? value) ? value : null;

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
