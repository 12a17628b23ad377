namespace Cotrain.Blas;

/// <summary>
/// The five CBLAS routines that NumPy's products are made of, for one element type, with alpha 1 and
/// beta 0. Sizes, leading dimensions and increments are in elements.
/// </summary>
/// <remarks>
/// The two integer widths of the library (ILP64, LP64) are separate subclasses: on some platforms a
/// 64-bit argument may not be passed where the callee reads 32 bits.
/// </remarks>
internal abstract unsafe class Cblas<T> where T : unmanaged
{
    /// <summary>Largest extent or leading dimension that NumPy hands to a library of this width.</summary>
    internal abstract long MaxSize { get; }

    /// <summary>Largest increment that NumPy hands to a library of this width.</summary>
    internal abstract long MaxStride { get; }

    /// <summary>Longest vector product in one call; NumPy adds up longer ones in pieces.</summary>
    internal abstract long Chunk { get; }

    /// <summary>Row major C (m × n) = op(A) (m × k) · op(B) (k × n).</summary>
    internal abstract void Gemm(
        bool transposeA, bool transposeB, long m, long n, long k, T* a, long lda, T* b, long ldb, T* c, long ldc);

    /// <summary>Row major upper triangle of C (n × n) = op(A) · op(A)ᵀ; A is n × k, or k × n if transposed.</summary>
    internal abstract void Syrk(bool transpose, long n, long k, T* a, long lda, T* c, long ldc);

    /// <summary>y = op(A) · x for A (m × n) in the given storage order.</summary>
    internal abstract void Gemv(
        Order order, bool transpose, long m, long n, T* a, long lda, T* x, long incX, T* y, long incY);

    /// <summary>Sum of x·y; at most <see cref="Chunk"/> elements.</summary>
    internal abstract T Dot(long n, T* x, long incX, T* y, long incY);

    /// <summary>y += alpha · x.</summary>
    internal abstract void Axpy(long n, T alpha, T* x, long incX, T* y, long incY);
}

/// <summary>CBLAS_ORDER.</summary>
internal enum Order
{
    RowMajor = 101,
    ColMajor = 102,
}

/// <summary>The remaining enumeration values of CBLAS.</summary>
internal static class CblasValues
{
    internal const int Upper = 121;

    internal static int Transpose(bool transpose) => transpose ? 112 : 111;
}
