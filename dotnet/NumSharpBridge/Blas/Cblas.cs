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
    internal void Gemm(
        bool transposeA, bool transposeB, long m, long n, long k, T* a, long lda, T* b, long ldb, T* c, long ldc)
    {
        VectorState.Clear();
        CallGemm(transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc);
    }

    /// <summary>Row major upper triangle of C (n × n) = op(A) · op(A)ᵀ; A is n × k, or k × n if transposed.</summary>
    internal void Syrk(bool transpose, long n, long k, T* a, long lda, T* c, long ldc)
    {
        VectorState.Clear();
        CallSyrk(transpose, n, k, a, lda, c, ldc);
    }

    /// <summary>y = op(A) · x for A (m × n) in the given storage order.</summary>
    internal void Gemv(
        Order order, bool transpose, long m, long n, T* a, long lda, T* x, long incX, T* y, long incY)
    {
        VectorState.Clear();
        CallGemv(order, transpose, m, n, a, lda, x, incX, y, incY);
    }

    /// <summary>Sum of x·y; at most <see cref="Chunk"/> elements.</summary>
    internal T Dot(long n, T* x, long incX, T* y, long incY)
    {
        VectorState.Clear();
        return CallDot(n, x, incX, y, incY);
    }

    /// <summary>y += alpha · x.</summary>
    internal void Axpy(long n, T alpha, T* x, long incX, T* y, long incY)
    {
        VectorState.Clear();
        CallAxpy(n, alpha, x, incX, y, incY);
    }

    // The native calls themselves, never inlined: a method that makes one first calls into the runtime, which
    // is SSE code as well, so the registers have to be cleared before that method begins.
    protected abstract void CallGemm(
        bool transposeA, bool transposeB, long m, long n, long k, T* a, long lda, T* b, long ldb, T* c, long ldc);

    protected abstract void CallSyrk(bool transpose, long n, long k, T* a, long lda, T* c, long ldc);

    protected abstract void CallGemv(
        Order order, bool transpose, long m, long n, T* a, long lda, T* x, long incX, T* y, long incY);

    protected abstract T CallDot(long n, T* x, long incX, T* y, long incY);

    protected abstract void CallAxpy(long n, T alpha, T* x, long incX, T* y, long incY);
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
