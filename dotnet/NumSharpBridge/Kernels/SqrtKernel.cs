using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cotrain.Kernels;

/// <summary>float32 square root, correctly rounded by the hardware, as NumPy's is; a NaN keeps its payload.</summary>
internal readonly struct SqrtKernel : IVectorKernel
{
    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<float> Of(Vector512<float> x) => Vector512.Sqrt(x);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<float> Of(Vector256<float> x) => Vector256.Sqrt(x);
}
