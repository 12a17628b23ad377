namespace Cotrain;

/// <summary>
/// What a trainer is made from; the same values as the reference's factory gets. What the user did not ask for is
/// null here and missing there: a default is the trainer's own, and has to be the same on both sides.
/// </summary>
public sealed class TrainerOptions
{
    /// <summary>Length of the run in steps; null when <see cref="Epochs"/> says it or it has no end.</summary>
    public long? Steps { get; init; }

    /// <summary>Length of the run in epochs; null when <see cref="Steps"/> says it or it has no end.</summary>
    public long? Epochs { get; init; }

    /// <summary>Samples per step.</summary>
    public int? BatchSize { get; init; }

    /// <summary>Seed of the initial weights.</summary>
    public long? Seed { get; init; }

    /// <summary>Where the data comes from, a directory for example.</summary>
    public string? Data { get; init; }

    /// <summary>The functions chosen by <c>--math</c>.</summary>
    public required IMath Math { get; init; }

    /// <summary>Options beyond these (<c>--option KEY=VALUE</c>), as the user wrote them.</summary>
    public IReadOnlyDictionary<string, string> Extra { get; init; } = new Dictionary<string, string>();
}
