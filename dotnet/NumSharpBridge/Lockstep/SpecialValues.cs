using System.Numerics;
using System.Runtime.CompilerServices;
using NumSharp;

namespace Cotrain.Lockstep;

/// <summary>Kinds of values that a program may not expect.</summary>
[Flags]
internal enum SpecialKinds
{
    None = 0,
    NaN = 1,
    Infinity = 2,
    Denormal = 4,
    All = NaN | Infinity | Denormal,
}

/// <summary>Looks for NaNs, infinities and denormals in float32, float64 and complex128 taps.</summary>
internal static unsafe class SpecialValues
{
    /// <summary>Which of the wanted kinds an operand holds; none for other dtypes.</summary>
    public static SpecialKinds Find(in Operand operand, SpecialKinds wanted)
    {
        bool single = operand.TypeCode == (int)NPTypeCode.Single;
        if (wanted == SpecialKinds.None || (!single && operand.ItemSize < 8) || !IsFloat(operand.TypeCode))
        {
            return SpecialKinds.None;
        }
        if (!operand.IsContiguous)
        {
            return OneByOne(operand, single, wanted);
        }
        long bytes = operand.Size * operand.ItemSize;
        return single
            ? Scan<uint>((uint*)operand.Address, bytes / 4, wanted, 0x7FFFFFFF, 0x7F800000, 0x007FFFFF)
            : Scan<ulong>(
                (ulong*)operand.Address, bytes / 8, wanted, long.MaxValue, 0x7FF0000000000000, 0x000FFFFFFFFFFFFF);
    }

    /// <summary>
    /// Whether two contiguous float32 or float64 operands are byte-equal and hold none of the wanted kinds, in one
    /// pass. False says nothing: look again, slowly.
    /// </summary>
    public static bool EqualAndOrdinary(in Operand reference, in Operand candidate, SpecialKinds wanted)
    {
        if (!reference.IsContiguous || !candidate.IsContiguous)
        {
            return false;
        }
        long count = candidate.Size;
        bool denormals = (wanted & SpecialKinds.Denormal) != 0;
        switch ((NPTypeCode)candidate.TypeCode)
        {
            case NPTypeCode.Single:
                return FusedScan.Equal<uint>(
                        (uint*)reference.Address, (uint*)candidate.Address, count, 0x7FFFFFFF, out uint high, out uint low)
                    && high < 0x7F800000 && !(denormals && low < 0x007FFFFF);
            case NPTypeCode.Double:
                return FusedScan.Equal<ulong>(
                        (ulong*)reference.Address, (ulong*)candidate.Address, count, long.MaxValue,
                        out ulong top, out ulong bottom)
                    && top < 0x7FF0000000000000 && !(denormals && bottom < 0x000FFFFFFFFFFFFF);
            default:
                return false;
        }
    }

    /// <summary>Flat index of the first element of a kind, -1 without one.</summary>
    public static long FirstIndex(in Operand operand, SpecialKinds kind)
    {
        bool single = operand.TypeCode == (int)NPTypeCode.Single;
        for (long index = 0; index < operand.Size; index++)
        {
            if ((KindOf(operand, index, single) & kind) != 0)
            {
                return index;
            }
        }
        return -1;
    }

    private static bool IsFloat(int typeCode) =>
        (NPTypeCode)typeCode is NPTypeCode.Single or NPTypeCode.Double or NPTypeCode.Complex;

    // A block is passed with the largest magnitude, and the smallest one but zero, of all its elements; only a block
    // with a hit is looked at one by one.
    private static SpecialKinds Scan<T>(T* values, long count, SpecialKinds wanted, T magnitude, T infinity, T fraction)
        where T : unmanaged, IBinaryInteger<T>
    {
        const int Block = 4096;
        var found = SpecialKinds.None;
        for (long start = 0; start < count && found != wanted; start += Block)
        {
            int length = (int)Math.Min(Block, count - start);
            T* block = values + start;
            FusedScan.Equal(block, block, length, magnitude, out T largest, out T smallest);
            bool denormal = (wanted & ~found & SpecialKinds.Denormal) != 0 && smallest < fraction;
            if (largest >= infinity || denormal)
            {
                found |= Classify((byte*)block, length, sizeof(T) == 4) & wanted;
            }
        }
        return found;
    }

    private static SpecialKinds Classify(byte* values, int count, bool single)
    {
        var found = SpecialKinds.None;
        for (int i = 0; i < count; i++)
        {
            found |= single ? KindOf(((float*)values)[i]) : KindOf(((double*)values)[i]);
        }
        return found;
    }

    private static SpecialKinds OneByOne(in Operand operand, bool single, SpecialKinds wanted)
    {
        var found = SpecialKinds.None;
        for (long index = 0; index < operand.Size && found != wanted; index++)
        {
            found |= KindOf(operand, index, single) & wanted;
        }
        return found;
    }

    private static SpecialKinds KindOf(in Operand operand, long index, bool single)
    {
        byte* element = operand.ElementAddress(index);
        if (single)
        {
            return KindOf(Unsafe.ReadUnaligned<float>(element));
        }
        SpecialKinds first = KindOf(Unsafe.ReadUnaligned<double>(element));
        return operand.ItemSize == 16 ? first | KindOf(Unsafe.ReadUnaligned<double>(element + 8)) : first;
    }

    private static SpecialKinds KindOf(double value) =>
        double.IsNaN(value) ? SpecialKinds.NaN
        : double.IsInfinity(value) ? SpecialKinds.Infinity
        : double.IsSubnormal(value) ? SpecialKinds.Denormal
        : SpecialKinds.None;

    private static SpecialKinds KindOf(float value) =>
        float.IsSubnormal(value) ? SpecialKinds.Denormal : KindOf((double)value);
}
