namespace Cotrain.Lockstep;

/// <summary>A tap as the candidate handed it in; listed when the two sides' taps do not line up.</summary>
/// <param name="Name">Its name.</param>
/// <param name="TypeCode">NumSharp's <c>NPTypeCode</c>.</param>
/// <param name="Shape">Extents.</param>
public sealed record CandidateTap(string Name, int TypeCode, long[] Shape);
