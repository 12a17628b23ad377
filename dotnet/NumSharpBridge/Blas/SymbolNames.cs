namespace Cotrain.Blas;

/// <summary>How one build of OpenBLAS decorates its symbols: <c>prefix + name + suffix</c>.</summary>
internal readonly record struct SymbolNames(string Prefix, string Suffix)
{
    /// <summary>
    /// The decorations in use: NumPy's wheels (64-bit and 32-bit integers), distributions that rename only
    /// the 64-bit build, and a plain build.
    /// </summary>
    internal static readonly SymbolNames[] Known =
    [
        new("scipy_", "64_"),
        new("scipy_", ""),
        new("", "64_"),
        new("", "_64"),
        new("", ""),
    ];

    /// <summary>The decorated name.</summary>
    internal string Of(string name) => Prefix + name + Suffix;
}
