using NumSharp;

namespace Cotrain;

/// <summary>
/// A training program on NumSharp, cut so that it can be stepped. By convention the type also has
/// <c>public static ITrainer Create(TrainerOptions options)</c>.
/// </summary>
public interface ITrainer : IDisposable
{
    /// <summary>Taps the state before step 0: parameters, moments, data sets.</summary>
    void Initial(ITaps taps);

    /// <summary>Runs one step (from 0) and taps each result as soon as it is computed.</summary>
    void Step(long step, ITaps taps);

    /// <summary>What lives across steps, by name; scalars as 0-d arrays.</summary>
    IReadOnlyDictionary<string, NDArray> State { get; }
}
