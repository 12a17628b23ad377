namespace Cotrain.Lockstep;

/// <summary>What happens at a differing tap; the names are those of <c>--on-diff</c>.</summary>
public enum DifferencePolicy
{
    /// <summary>The run ends after the step in which a selected tap differs.</summary>
    Stop,

    /// <summary>The candidate goes on with its own value.</summary>
    Continue,

    /// <summary>
    /// The candidate's memory gets the reference's bytes before its next operation reads them, so that each
    /// operation is judged on equal inputs.
    /// </summary>
    Resync,
}
