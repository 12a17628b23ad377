using System.Runtime.InteropServices;

namespace Cotrain.Lockstep;

/// <summary>
/// One published tap of the reference, as the Python driver writes it into a slot
/// (<c>cotrain/lockstep/layout.py</c> mirrors this layout; sizes are checked at load).
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct TapEntry
{
    /// <summary>Most dimensions a tap may have.</summary>
    public const int MaxRank = 16;

    /// <summary>Counts as compared and may stop the run.</summary>
    public const int Selected = 1;

    /// <summary>The candidate's value is copied out.</summary>
    public const int Watched = 2;

    /// <summary>The candidate's value is copied out where it differs.</summary>
    public const int Kept = 4;

    /// <summary>The reference's first element.</summary>
    public byte* Address;

    /// <summary>Where a copy of the candidate's value goes (C order).</summary>
    public byte* Watch;

    /// <summary>Number of elements.</summary>
    public long Size;

    /// <summary>Index into the session's names.</summary>
    public int NameId;

    /// <summary>NumSharp's <c>NPTypeCode</c>.</summary>
    public int TypeCode;

    /// <summary>Bytes of an element.</summary>
    public int ItemSize;

    /// <summary>Number of dimensions.</summary>
    public int Rank;

    /// <summary><see cref="Selected"/>, <see cref="Watched"/> and <see cref="Kept"/>, combined.</summary>
    public int Flags;

    /// <summary>The any-order group that the tap belongs to, neighbours all; 0 for none.</summary>
    public int Group;

    /// <summary>Extents.</summary>
    public fixed long Shape[MaxRank];

    /// <summary>Strides in bytes.</summary>
    public fixed long Strides[MaxRank];
}
