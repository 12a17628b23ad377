using System.Runtime.Intrinsics;

namespace Cotrain.Kernels;

/// <summary>
/// A float32 function of one operand, a vector at a time. The two widths give the same bits; an implementation is a
/// struct, so that <see cref="Elementwise"/> is compiled for it alone.
/// </summary>
internal interface IVectorKernel
{
    /// <summary>The function of 16 floats.</summary>
    static abstract Vector512<float> Of(Vector512<float> x);

    /// <summary>The function of 8 floats; in software, slowly, on hardware without such vectors.</summary>
    static abstract Vector256<float> Of(Vector256<float> x);
}
