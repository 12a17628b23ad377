using System.Runtime.CompilerServices;

namespace Cotrain.Blas;

/// <summary>
/// The innermost loops of <see cref="SequentialGemm"/>: the sums of four rows and one or two vectors of columns stay
/// in registers while k ascends, one product and one addition per sum and k.
/// </summary>
internal static unsafe class SequentialTile
{
    internal const int Rows = 4;

    /// <summary>
    /// Goes on with the sums of 4 rows and 2 vectors of columns in c, or begins them at +0.
    /// a holds 4 numbers, b two vectors for each k.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static void Wide<TLanes, T>(long depth, T* a, T* b, T* c, long rowStride, bool begin)
        where TLanes : unmanaged, ILanes<TLanes, T>
        where T : unmanaged
    {
        int lanes = TLanes.Count;
        T* c1 = c + rowStride;
        T* c2 = c1 + rowStride;
        T* c3 = c2 + rowStride;
        TLanes s00, s01, s10, s11, s20, s21, s30, s31;
        if (begin)
        {
            s00 = s01 = s10 = s11 = s20 = s21 = s30 = s31 = TLanes.All(default);
        }
        else
        {
            s00 = TLanes.Load(c);
            s01 = TLanes.Load(c + lanes);
            s10 = TLanes.Load(c1);
            s11 = TLanes.Load(c1 + lanes);
            s20 = TLanes.Load(c2);
            s21 = TLanes.Load(c2 + lanes);
            s30 = TLanes.Load(c3);
            s31 = TLanes.Load(c3 + lanes);
        }
        for (T* end = a + (Rows * depth); a != end; a += Rows, b += 2 * lanes)
        {
            TLanes b0 = TLanes.Load(b);
            TLanes b1 = TLanes.Load(b + lanes);
            TLanes x = TLanes.All(a[0]);
            s00 = TLanes.AddProduct(s00, x, b0);
            s01 = TLanes.AddProduct(s01, x, b1);
            x = TLanes.All(a[1]);
            s10 = TLanes.AddProduct(s10, x, b0);
            s11 = TLanes.AddProduct(s11, x, b1);
            x = TLanes.All(a[2]);
            s20 = TLanes.AddProduct(s20, x, b0);
            s21 = TLanes.AddProduct(s21, x, b1);
            x = TLanes.All(a[3]);
            s30 = TLanes.AddProduct(s30, x, b0);
            s31 = TLanes.AddProduct(s31, x, b1);
        }
        TLanes.Store(s00, c);
        TLanes.Store(s01, c + lanes);
        TLanes.Store(s10, c1);
        TLanes.Store(s11, c1 + lanes);
        TLanes.Store(s20, c2);
        TLanes.Store(s21, c2 + lanes);
        TLanes.Store(s30, c3);
        TLanes.Store(s31, c3 + lanes);
    }

    /// <summary>The same for 4 rows and one vector of columns.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static void Narrow<TLanes, T>(long depth, T* a, T* b, T* c, long rowStride, bool begin)
        where TLanes : unmanaged, ILanes<TLanes, T>
        where T : unmanaged
    {
        T* c1 = c + rowStride;
        T* c2 = c1 + rowStride;
        T* c3 = c2 + rowStride;
        TLanes s0, s1, s2, s3;
        if (begin)
        {
            s0 = s1 = s2 = s3 = TLanes.All(default);
        }
        else
        {
            s0 = TLanes.Load(c);
            s1 = TLanes.Load(c1);
            s2 = TLanes.Load(c2);
            s3 = TLanes.Load(c3);
        }
        for (T* end = a + (Rows * depth); a != end; a += Rows, b += TLanes.Count)
        {
            TLanes b0 = TLanes.Load(b);
            s0 = TLanes.AddProduct(s0, TLanes.All(a[0]), b0);
            s1 = TLanes.AddProduct(s1, TLanes.All(a[1]), b0);
            s2 = TLanes.AddProduct(s2, TLanes.All(a[2]), b0);
            s3 = TLanes.AddProduct(s3, TLanes.All(a[3]), b0);
        }
        TLanes.Store(s0, c);
        TLanes.Store(s1, c1);
        TLanes.Store(s2, c2);
        TLanes.Store(s3, c3);
    }
}
