namespace Cotrain.Lockstep;

/// <summary>The first time a side had a NaN, an infinity or a denormal in a tap.</summary>
/// <param name="Side"><c>reference</c> or <c>candidate</c>.</param>
/// <param name="Kind"><c>nan</c>, <c>infinity</c> or <c>denormal</c>.</param>
/// <param name="Step">The step; -1 before step 0.</param>
/// <param name="Tap">The tap's name.</param>
/// <param name="FlatIndex">Its first such element, flat C order.</param>
public sealed record Birth(string Side, string Kind, long Step, string Tap, long FlatIndex);
