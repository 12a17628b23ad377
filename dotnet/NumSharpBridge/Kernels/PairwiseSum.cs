using System.Numerics;
using System.Runtime.Intrinsics;
using NumSharp;

namespace Cotrain.Kernels;

/// <summary>Sums in the order of additions in which NumPy 2.4.2 sums a whole float array.</summary>
internal static unsafe class PairwiseSum
{
    // NumPy's constants: longest stretch summed without splitting, its partial sums, elements per buffer.
    private const int Leaf = 128;
    private const int Lanes = 8;
    private const long BufferLength = 8192;

    /// <summary>
    /// Sum of all elements: one pairwise sum where one stride steps through the whole array. Otherwise NumPy
    /// copies stretches of it to a buffer, or goes row by row where rows are long; each stretch is summed
    /// pairwise and the sums are added in order.
    /// </summary>
    /// <param name="origin">The array's element with index [0, 0, …].</param>
    /// <param name="walk">The order of its elements.</param>
    public static T Whole<T>(T* origin, in MemoryWalk walk)
        where T : unmanaged, IBinaryFloatingPointIeee754<T>
    {
        // NumPy adds to +0, which turns a sum of −0 into +0.
        T total = T.Zero;
        if (walk.Size == 0)
        {
            return total;
        }
        (long segment, long stretch) = Stretches(in walk);
        bool direct = segment == walk.Extent(0);
        T* buffer = stackalloc T[direct ? 0 : (int)stretch];
        for (long start = 0; start < walk.Size; start += segment)
        {
            for (long at = 0; at < segment; at += stretch)
            {
                long count = Math.Min(stretch, segment - at);
                if (direct)
                {
                    total += Sum(origin + walk.Offset(start + at), count, walk.Stride(0));
                    continue;
                }
                walk.Gather(origin, start + at, count, buffer);
                total += Sum(buffer, count, 1);
            }
        }
        return total;
    }

    /// <summary>
    /// One pairwise sum: up to 128 elements in eight interleaved partial sums, more than that in two halves,
    /// the first a multiple of eight.
    /// </summary>
    public static T Sum<T>(T* x, long n, long stride)
        where T : unmanaged, IBinaryFloatingPointIeee754<T>
    {
        if (n > Leaf)
        {
            long half = n / 2;
            half -= half % Lanes;
            return Sum(x, half, stride) + Sum(x + half * stride, n - half, stride);
        }
        if (n < Lanes)
        {
            T few = T.NegativeZero;
            for (long i = 0; i < n; i++)
            {
                few += x[i * stride];
            }
            return few;
        }
        if (stride == 1)
        {
            return Contiguous(x, n);
        }
        T s0 = x[0], s1 = x[stride], s2 = x[2 * stride], s3 = x[3 * stride];
        T s4 = x[4 * stride], s5 = x[5 * stride], s6 = x[6 * stride], s7 = x[7 * stride];
        long whole = n - n % Lanes;
        for (long i = Lanes; i < whole; i += Lanes)
        {
            T* next = x + i * stride;
            s0 += next[0];
            s1 += next[stride];
            s2 += next[2 * stride];
            s3 += next[3 * stride];
            s4 += next[4 * stride];
            s5 += next[5 * stride];
            s6 += next[6 * stride];
            s7 += next[7 * stride];
        }
        T sum = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
        for (long i = whole; i < n; i++)
        {
            sum += x[i * stride];
        }
        return sum;
    }

    /// <summary>The same for 8 to 128 contiguous elements: a lane of a vector is a partial sum.</summary>
    private static T Contiguous<T>(T* x, long n)
        where T : unmanaged, IBinaryFloatingPointIeee754<T>
    {
        T* s = stackalloc T[Lanes];
        long whole = n - n % Lanes;
        // Eight lanes: 256 bits of float, 512 of double.
        if (sizeof(T) == sizeof(float))
        {
            Vector256<T> sums = Vector256.Load(x);
            for (long i = Lanes; i < whole; i += Lanes)
            {
                sums += Vector256.Load(x + i);
            }
            sums.Store(s);
        }
        else
        {
            Vector512<T> sums = Vector512.Load(x);
            for (long i = Lanes; i < whole; i += Lanes)
            {
                sums += Vector512.Load(x + i);
            }
            sums.Store(s);
        }
        T sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
        for (long i = whole; i < n; i++)
        {
            sum += x[i];
        }
        return sum;
    }

    /// <summary>
    /// How NumPy's buffered iterator cuts a walk: a segment is what it does not cross, a stretch what it hands
    /// to one pairwise sum. It buffers over inner axes where that at least doubles the length of a stretch.
    /// </summary>
    private static (long Segment, long Stretch) Stretches(in MemoryWalk walk)
    {
        long segment = walk.Extent(0);
        long core = 1;
        long size = segment;
        int cost = 1;
        for (int axis = 1; axis < walk.Axes; axis++)
        {
            if (axis > 1 && size >= BufferLength)
            {
                break;
            }
            long inner = size;
            size *= walk.Extent(axis);
            if (2 * segment > cost * Math.Min(size, BufferLength))
            {
                continue;
            }
            cost = 2;
            core = inner;
            segment = size;
        }
        return (segment, cost == 1 ? segment : Math.Min(segment, core * (BufferLength / core)));
    }
}
