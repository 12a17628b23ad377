using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cotrain.Kernels;

/// <summary>Runs a kernel over n contiguous elements; input and output must not overlap.</summary>
internal static unsafe class Elementwise
{
    /// <summary>y[i] = f(x[i]), with the widest vectors that the hardware has.</summary>
    public static void Run<TKernel>(float* x, float* y, long n)
        where TKernel : struct, IVectorKernel
    {
        if (Vector512.IsHardwareAccelerated)
        {
            Run512<TKernel>(x, y, n);
        }
        else
        {
            Run256<TKernel>(x, y, n);
        }
    }

    /// <summary>The same with vectors of 16 floats.</summary>
    public static void Run512<TKernel>(float* x, float* y, long n)
        where TKernel : struct, IVectorKernel
    {
        long lanes = Vector512<float>.Count;
        if (n < lanes)
        {
            // Unused lanes are computed too, on zeros, and thrown away.
            float* lane = stackalloc float[Vector512<float>.Count];
            Vector512<float>.Zero.Store(lane);
            Unsafe.CopyBlockUnaligned(lane, x, (uint)(n * sizeof(float)));
            TKernel.Of(Vector512.Load(lane)).Store(lane);
            Unsafe.CopyBlockUnaligned(y, lane, (uint)(n * sizeof(float)));
            return;
        }
        long i = 0;
        for (; i <= n - lanes; i += lanes)
        {
            TKernel.Of(Vector512.Load(x + i)).Store(y + i);
        }
        // The last vector overlaps the one before and writes the same bits there again.
        if (i < n)
        {
            TKernel.Of(Vector512.Load(x + n - lanes)).Store(y + n - lanes);
        }
    }

    /// <summary>The same with vectors of 8 floats.</summary>
    public static void Run256<TKernel>(float* x, float* y, long n)
        where TKernel : struct, IVectorKernel
    {
        long lanes = Vector256<float>.Count;
        if (n < lanes)
        {
            float* lane = stackalloc float[Vector256<float>.Count];
            Vector256<float>.Zero.Store(lane);
            Unsafe.CopyBlockUnaligned(lane, x, (uint)(n * sizeof(float)));
            TKernel.Of(Vector256.Load(lane)).Store(lane);
            Unsafe.CopyBlockUnaligned(y, lane, (uint)(n * sizeof(float)));
            return;
        }
        long i = 0;
        for (; i <= n - lanes; i += lanes)
        {
            TKernel.Of(Vector256.Load(x + i)).Store(y + i);
        }
        if (i < n)
        {
            TKernel.Of(Vector256.Load(x + n - lanes)).Store(y + n - lanes);
        }
    }
}
