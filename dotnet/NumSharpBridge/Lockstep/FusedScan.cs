using System.Numerics;
using System.Runtime.Intrinsics;

namespace Cotrain.Lockstep;

/// <summary>
/// Compares two contiguous blocks of floats and takes their extremes in the same pass: memory is read once, and the
/// arithmetic hides behind it.
/// </summary>
internal static unsafe class FusedScan
{
    /// <summary>Whether all bits are equal; the extremes are those of the candidate.</summary>
    /// <param name="reference">First element.</param>
    /// <param name="candidate">First element.</param>
    /// <param name="count">Elements of each.</param>
    /// <param name="magnitude">All bits but the sign.</param>
    /// <param name="largest">The largest magnitude, as bits; 0 without elements.</param>
    /// <param name="smallest">The smallest magnitude minus one, where zero wraps to the largest number.</param>
    public static bool Equal<T>(T* reference, T* candidate, long count, T magnitude, out T largest, out T smallest)
        where T : unmanaged, IBinaryInteger<T>
    {
        largest = T.Zero;
        smallest = unchecked(T.Zero - T.One);
        T difference = T.Zero;
        long i = 0;
        if (count >= 2 * Vector256<T>.Count)
        {
            Vector256<T> mask = Vector256.Create(magnitude);
            Vector256<T> differences = Vector256<T>.Zero;
            Vector256<T> highest = Vector256<T>.Zero;
            Vector256<T> lowest = Vector256.Create(smallest);
            Vector256<T> differences2 = differences, highest2 = highest, lowest2 = lowest;
            for (; i <= count - (2 * Vector256<T>.Count); i += 2 * Vector256<T>.Count)
            {
                Vector256<T> left = Vector256.Load(candidate + i);
                Vector256<T> right = Vector256.Load(candidate + i + Vector256<T>.Count);
                differences |= left ^ Vector256.Load(reference + i);
                differences2 |= right ^ Vector256.Load(reference + i + Vector256<T>.Count);
                left &= mask;
                right &= mask;
                highest = Vector256.Max(highest, left);
                highest2 = Vector256.Max(highest2, right);
                lowest = Vector256.Min(lowest, left - Vector256<T>.One);
                lowest2 = Vector256.Min(lowest2, right - Vector256<T>.One);
            }
            highest = Vector256.Max(highest, highest2);
            lowest = Vector256.Min(lowest, lowest2);
            for (int lane = 0; lane < Vector256<T>.Count; lane++)
            {
                largest = T.Max(largest, highest[lane]);
                smallest = T.Min(smallest, lowest[lane]);
            }
            if ((differences | differences2) != Vector256<T>.Zero)
            {
                return false;
            }
        }
        for (; i < count; i++)
        {
            T bits = candidate[i] & magnitude;
            difference |= candidate[i] ^ reference[i];
            largest = T.Max(largest, bits);
            smallest = T.Min(smallest, unchecked(bits - T.One));
        }
        return difference == T.Zero;
    }
}
