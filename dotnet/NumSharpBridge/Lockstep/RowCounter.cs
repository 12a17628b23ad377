using System.Numerics;
using System.Runtime.CompilerServices;
using NumSharp;

namespace Cotrain.Lockstep;

/// <summary>Counts and measures the differing elements of one row of two operands.</summary>
internal static unsafe class RowCounter
{
    // The magnitude bits of infinity; a larger magnitude is a NaN.
    private const short HalfInfinity = 0x7C00;
    private const int SingleInfinity = 0x7F800000;
    private const long DoubleInfinity = 0x7FF0000000000000;

    /// <summary>Adds what a row shows to the finding; <c>FirstIndex</c> only if none was set before.</summary>
    public static void Count(int typeCode, int itemSize, in RowPair row, ref Finding finding)
    {
        switch ((NPTypeCode)typeCode)
        {
            case NPTypeCode.Half:
                Run<short, ushort>(HalfInfinity, true, in row, ref finding);
                return;
            case NPTypeCode.Single:
                Run<int, uint>(SingleInfinity, true, in row, ref finding);
                return;
            case NPTypeCode.Double:
                Run<long, ulong>(DoubleInfinity, true, in row, ref finding);
                return;
        }
        switch (itemSize)
        {
            case 1:
                Run<sbyte, byte>(0, false, in row, ref finding);
                return;
            case 2:
                Run<short, ushort>(0, false, in row, ref finding);
                return;
            case 4:
                Run<int, uint>(0, false, in row, ref finding);
                return;
            case 8:
                Run<long, ulong>(0, false, in row, ref finding);
                return;
            case 16:
                RunWide(in row, ref finding);
                return;
            default:
                throw new NotSupportedException($"Elements of {itemSize} bytes cannot be compared.");
        }
    }

    private static void Run<TSigned, TUnsigned>(TSigned infinity, bool isFloat, in RowPair row, ref Finding finding)
        where TSigned : unmanaged, IBinaryInteger<TSigned>, IMinMaxValue<TSigned>
        where TUnsigned : unmanaged, IBinaryInteger<TUnsigned>
    {
        if (!row.IsDense(sizeof(TSigned)))
        {
            Scalars<TSigned, TUnsigned>(infinity, isFloat, in row, ref finding);
            return;
        }
        long done = Vectors<TSigned, TUnsigned>(infinity, isFloat, in row, ref finding);
        RowPair tail = row.Skip(done);
        Scalars<TSigned, TUnsigned>(infinity, isFloat, in tail, ref finding);
    }

    private static void Scalars<TSigned, TUnsigned>(TSigned infinity, bool isFloat, in RowPair row, ref Finding finding)
        where TSigned : unmanaged, IBinaryInteger<TSigned>, IMinMaxValue<TSigned>
        where TUnsigned : unmanaged, IBinaryInteger<TUnsigned>
    {
        for (long i = 0; i < row.Length; i++)
        {
            TSigned a = Unsafe.ReadUnaligned<TSigned>(row.Reference + i * row.ReferenceStride);
            TSigned b = Unsafe.ReadUnaligned<TSigned>(row.Candidate + i * row.CandidateStride);
            if (a == b)
            {
                continue;
            }
            finding.Differing++;
            if (finding.FirstIndex < 0)
            {
                finding.FirstIndex = row.Index + i;
            }
            if (!isFloat)
            {
                continue;
            }
            TSigned magnitudeA = a & TSigned.MaxValue;
            TSigned magnitudeB = b & TSigned.MaxValue;
            if (magnitudeA > infinity || magnitudeB > infinity)
            {
                continue;
            }
            // Sign and magnitude to two's complement: neighbouring floats become neighbouring integers.
            TSigned orderedA = TSigned.IsNegative(a) ? -magnitudeA : magnitudeA;
            TSigned orderedB = TSigned.IsNegative(b) ? -magnitudeB : magnitudeB;
            TSigned distance = orderedA > orderedB ? orderedA - orderedB : orderedB - orderedA;
            finding.UlpDefined++;
            finding.MaxUlp = Math.Max(finding.MaxUlp, ulong.CreateTruncating(TUnsigned.CreateTruncating(distance)));
        }
    }

    /// <summary>The same as <see cref="Scalars"/> on whole vectors; returns how many elements it took.</summary>
    private static long Vectors<TSigned, TUnsigned>(TSigned infinity, bool isFloat, in RowPair row, ref Finding finding)
        where TSigned : unmanaged, IBinaryInteger<TSigned>, IMinMaxValue<TSigned>
        where TUnsigned : unmanaged, IBinaryInteger<TUnsigned>
    {
        int lanes = Vector<TSigned>.Count;
        // Lanes count in the element's own width: a block ends before the narrowest can overflow.
        long blockLength = (long)lanes * (sizeof(TSigned) == 1 ? sbyte.MaxValue : short.MaxValue);
        Vector<TSigned> magnitudeMask = new(TSigned.MaxValue);
        Vector<TSigned> infinities = new(infinity);
        Vector<TUnsigned> ulps = Vector<TUnsigned>.Zero;
        long whole = row.Length - row.Length % lanes;
        for (long start = 0; start < whole; start += blockLength)
        {
            long end = Math.Min(whole, start + blockLength);
            Vector<TSigned> differing = Vector<TSigned>.Zero;
            Vector<TSigned> defined = Vector<TSigned>.Zero;
            for (long i = start; i < end; i += lanes)
            {
                Vector<TSigned> a = Unsafe.ReadUnaligned<Vector<TSigned>>(row.Reference + i * sizeof(TSigned));
                Vector<TSigned> b = Unsafe.ReadUnaligned<Vector<TSigned>>(row.Candidate + i * sizeof(TSigned));
                if (a == b)
                {
                    continue;
                }
                if (finding.FirstIndex < 0)
                {
                    finding.FirstIndex = row.Index + i + FirstLane(a, b);
                }
                // A true lane is −1, so subtracting it counts.
                Vector<TSigned> differs = ~Vector.Equals(a, b);
                differing -= differs;
                if (!isFloat)
                {
                    continue;
                }
                Vector<TSigned> magnitudeA = a & magnitudeMask;
                Vector<TSigned> magnitudeB = b & magnitudeMask;
                differs &= ~(Vector.GreaterThan(magnitudeA, infinities) | Vector.GreaterThan(magnitudeB, infinities));
                defined -= differs;
                Vector<TSigned> orderedA = Vector.ConditionalSelect(
                    Vector.LessThan(a, Vector<TSigned>.Zero), -magnitudeA, magnitudeA);
                Vector<TSigned> orderedB = Vector.ConditionalSelect(
                    Vector.LessThan(b, Vector<TSigned>.Zero), -magnitudeB, magnitudeB);
                Vector<TSigned> distance = Vector.ConditionalSelect(
                    Vector.GreaterThan(orderedA, orderedB), orderedA - orderedB, orderedB - orderedA);
                ulps = Vector.Max(ulps, Vector.As<TSigned, TUnsigned>(distance & differs));
            }
            finding.Differing += Total(differing);
            finding.UlpDefined += Total(defined);
        }
        for (int lane = 0; lane < lanes; lane++)
        {
            finding.MaxUlp = Math.Max(finding.MaxUlp, ulong.CreateTruncating(ulps[lane]));
        }
        return whole;
    }

    private static int FirstLane<T>(Vector<T> a, Vector<T> b)
        where T : unmanaged, IBinaryInteger<T>
    {
        int lane = 0;
        while (a[lane] == b[lane])
        {
            lane++;
        }
        return lane;
    }

    private static long Total<T>(Vector<T> counts)
        where T : unmanaged, IBinaryInteger<T>
    {
        long total = 0;
        for (int lane = 0; lane < Vector<T>.Count; lane++)
        {
            total += long.CreateTruncating(counts[lane]);
        }
        return total;
    }

    /// <summary>Elements of 16 bytes: complex, for which no ulp is defined, and decimal.</summary>
    private static void RunWide(in RowPair row, ref Finding finding)
    {
        for (long i = 0; i < row.Length; i++)
        {
            UInt128 a = Unsafe.ReadUnaligned<UInt128>(row.Reference + i * row.ReferenceStride);
            UInt128 b = Unsafe.ReadUnaligned<UInt128>(row.Candidate + i * row.CandidateStride);
            if (a == b)
            {
                continue;
            }
            finding.Differing++;
            if (finding.FirstIndex < 0)
            {
                finding.FirstIndex = row.Index + i;
            }
        }
    }
}
