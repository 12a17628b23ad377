using System.Runtime.InteropServices;

namespace Cotrain.Lockstep;

/// <summary>
/// What a comparison of two arrays found. Blittable: the driver reads it in place. Elements are equal when
/// their bytes are, so −0 differs from +0 and a NaN equals itself only with the same payload.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct Finding
{
    /// <summary>Elements whose bytes differ.</summary>
    public long Differing;

    /// <summary>Index of the first of them in flat C order; −1 when all are equal.</summary>
    public long FirstIndex;

    /// <summary>
    /// The largest distance, in steps between neighbouring floats, over the differing elements that have
    /// one; +0 and −0 are 0 apart.
    /// </summary>
    public ulong MaxUlp;

    /// <summary>Differing elements that have such a distance: real floats, NaN on neither side.</summary>
    public long UlpDefined;

    /// <summary>The reference's first differing element, bytes 0–7 in little-endian order, zero filled.</summary>
    public ulong ReferenceLow;

    /// <summary>Its bytes 8–15.</summary>
    public ulong ReferenceHigh;

    /// <summary>The candidate's first differing element, bytes 0–7.</summary>
    public ulong CandidateLow;

    /// <summary>Its bytes 8–15.</summary>
    public ulong CandidateHigh;

    /// <summary>The finding when nothing differs.</summary>
    public static Finding Equal => new() { FirstIndex = -1 };
}
