using System.Runtime.CompilerServices;

namespace Cotrain.Lockstep;

/// <summary>
/// Compares two arrays byte for byte. <c>cotrain/bits.py</c> is the same in plain NumPy, and tests hold the
/// two together.
/// </summary>
internal static unsafe class BitComparer
{
    // Spans are limited to int lengths; a multiple of every element size.
    private const long MaxSpan = 1L << 30;

    /// <summary>
    /// Fills the finding anew. Both operands must have the same type code and shape, which the caller has
    /// checked; layouts may differ in any way. Equal arrays cost one pass, at memory speed where rows are
    /// contiguous on both sides; only a difference leads to the second pass that counts and measures.
    /// </summary>
    public static void Compare(in Operand reference, in Operand candidate, ref Finding finding)
    {
        finding = Finding.Equal;
        long size = reference.Size;
        if (size == 0 || AllEqual(in reference, in candidate, size))
        {
            return;
        }
        Count(in reference, in candidate, ref finding);
        (finding.ReferenceLow, finding.ReferenceHigh) = Bits(in reference, finding.FirstIndex);
        (finding.CandidateLow, finding.CandidateHigh) = Bits(in candidate, finding.FirstIndex);
    }

    /// <summary>Address of an element by its flat C-order index.</summary>
    public static byte* ElementAddress(in Operand operand, long flatIndex) => operand.ElementAddress(flatIndex);

    /// <summary>The bytes of an element in little-endian order, bytes 0–7 and 8–15, zero filled.</summary>
    public static (ulong Low, ulong High) Bits(in Operand operand, long flatIndex)
    {
        ulong* bits = stackalloc ulong[2] { 0, 0 };
        if (operand.ItemSize > 2 * sizeof(ulong))
        {
            throw new NotSupportedException($"Elements of {operand.ItemSize} bytes cannot be compared.");
        }
        Unsafe.CopyBlockUnaligned(bits, operand.ElementAddress(flatIndex), (uint)operand.ItemSize);
        return (bits[0], bits[1]);
    }

    private static bool AllEqual(in Operand reference, in Operand candidate, long size)
    {
        if (reference.IsContiguous && candidate.IsContiguous)
        {
            return SameBytes(reference.Address, candidate.Address, size * reference.ItemSize);
        }
        MergedAxes axes = new(in reference, in candidate, anyOrder: true);
        do
        {
            if (!SameRow(reference.ItemSize, axes.Row))
            {
                return false;
            }
        }
        while (axes.NextRow());
        return true;
    }

    private static bool SameBytes(byte* reference, byte* candidate, long length)
    {
        for (long at = 0; at < length; at += MaxSpan)
        {
            int span = (int)Math.Min(MaxSpan, length - at);
            ReadOnlySpan<byte> left = new(reference + at, span);
            if (!left.SequenceEqual(new ReadOnlySpan<byte>(candidate + at, span)))
            {
                return false;
            }
        }
        return true;
    }

    private static bool SameRow(int itemSize, in RowPair row)
    {
        if (row.IsDense(itemSize))
        {
            return SameBytes(row.Reference, row.Candidate, row.Length * itemSize);
        }
        return itemSize switch
        {
            1 => SameElements<byte>(in row),
            2 => SameElements<ushort>(in row),
            4 => SameElements<uint>(in row),
            8 => SameElements<ulong>(in row),
            16 => SameElements<UInt128>(in row),
            _ => throw new NotSupportedException($"Elements of {itemSize} bytes cannot be compared."),
        };
    }

    private static bool SameElements<T>(in RowPair row)
        where T : unmanaged, IEquatable<T>
    {
        for (long i = 0; i < row.Length; i++)
        {
            T a = Unsafe.ReadUnaligned<T>(row.Reference + i * row.ReferenceStride);
            T b = Unsafe.ReadUnaligned<T>(row.Candidate + i * row.CandidateStride);
            if (!a.Equals(b))
            {
                return false;
            }
        }
        return true;
    }

    private static void Count(in Operand reference, in Operand candidate, ref Finding finding)
    {
        // C order, so that the first difference met is the first in C order.
        MergedAxes axes = new(in reference, in candidate, anyOrder: false);
        do
        {
            RowCounter.Count(reference.TypeCode, reference.ItemSize, axes.Row, ref finding);
        }
        while (axes.NextRow());
    }
}
