using System.Runtime.CompilerServices;

namespace Cotrain.Blas;

/// <summary>float32 routines of a library with 32-bit integers.</summary>
internal sealed unsafe class SingleLp64 : Cblas<float>
{
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, int, int, int, float, float*, int, float*, int, float, float*, int, void> _gemm;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, int, int, float, float*, int, float, float*, int, void> _syrk;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, int, float, float*, int, float*, int, float, float*, int, void> _gemv;
    private readonly delegate* unmanaged[Cdecl]<int, float*, int, float*, int, float> _dot;
    private readonly delegate* unmanaged[Cdecl]<int, float, float*, int, float*, int, void> _axpy;

    internal SingleLp64(Func<string, nint> symbol)
    {
        _gemm = (delegate* unmanaged[Cdecl]<
            int, int, int, int, int, int, float, float*, int, float*, int, float, float*, int, void>)
            symbol("cblas_sgemm");
        _syrk = (delegate* unmanaged[Cdecl]<
            int, int, int, int, int, float, float*, int, float, float*, int, void>)symbol("cblas_ssyrk");
        _gemv = (delegate* unmanaged[Cdecl]<
            int, int, int, int, float, float*, int, float*, int, float, float*, int, void>)
            symbol("cblas_sgemv");
        _dot = (delegate* unmanaged[Cdecl]<int, float*, int, float*, int, float>)symbol("cblas_sdot");
        _axpy = (delegate* unmanaged[Cdecl]<int, float, float*, int, float*, int, void>)symbol("cblas_saxpy");
    }

    internal override long MaxSize => int.MaxValue - 1;

    internal override long MaxStride => int.MaxValue;

    internal override long Chunk => (int.MaxValue / 2) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemm(
        bool transposeA, bool transposeB, long m, long n, long k,
        float* a, long lda, float* b, long ldb, float* c, long ldc)
    {
        _gemm((int)Order.RowMajor, CblasValues.Transpose(transposeA), CblasValues.Transpose(transposeB),
            (int)m, (int)n, (int)k, 1f, a, (int)lda, b, (int)ldb, 0f, c, (int)ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallSyrk(bool transpose, long n, long k, float* a, long lda, float* c, long ldc)
    {
        _syrk((int)Order.RowMajor, CblasValues.Upper, CblasValues.Transpose(transpose),
            (int)n, (int)k, 1f, a, (int)lda, 0f, c, (int)ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemv(
        Order order, bool transpose, long m, long n, float* a, long lda, float* x, long incX, float* y, long incY)
    {
        _gemv((int)order, CblasValues.Transpose(transpose),
            (int)m, (int)n, 1f, a, (int)lda, x, (int)incX, 0f, y, (int)incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override float CallDot(long n, float* x, long incX, float* y, long incY)
    {
        return _dot((int)n, x, (int)incX, y, (int)incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallAxpy(long n, float alpha, float* x, long incX, float* y, long incY)
    {
        _axpy((int)n, alpha, x, (int)incX, y, (int)incY);
    }
}

/// <summary>float64 routines of a library with 32-bit integers.</summary>
internal sealed unsafe class DoubleLp64 : Cblas<double>
{
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, int, int, int, double, double*, int, double*, int, double, double*, int, void> _gemm;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, int, int, double, double*, int, double, double*, int, void> _syrk;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, int, double, double*, int, double*, int, double, double*, int, void> _gemv;
    private readonly delegate* unmanaged[Cdecl]<int, double*, int, double*, int, double> _dot;
    private readonly delegate* unmanaged[Cdecl]<int, double, double*, int, double*, int, void> _axpy;

    internal DoubleLp64(Func<string, nint> symbol)
    {
        _gemm = (delegate* unmanaged[Cdecl]<
            int, int, int, int, int, int, double, double*, int, double*, int, double, double*, int, void>)
            symbol("cblas_dgemm");
        _syrk = (delegate* unmanaged[Cdecl]<
            int, int, int, int, int, double, double*, int, double, double*, int, void>)symbol("cblas_dsyrk");
        _gemv = (delegate* unmanaged[Cdecl]<
            int, int, int, int, double, double*, int, double*, int, double, double*, int, void>)
            symbol("cblas_dgemv");
        _dot = (delegate* unmanaged[Cdecl]<int, double*, int, double*, int, double>)symbol("cblas_ddot");
        _axpy = (delegate* unmanaged[Cdecl]<int, double, double*, int, double*, int, void>)symbol("cblas_daxpy");
    }

    internal override long MaxSize => int.MaxValue - 1;

    internal override long MaxStride => int.MaxValue;

    internal override long Chunk => (int.MaxValue / 2) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemm(
        bool transposeA, bool transposeB, long m, long n, long k,
        double* a, long lda, double* b, long ldb, double* c, long ldc)
    {
        _gemm((int)Order.RowMajor, CblasValues.Transpose(transposeA), CblasValues.Transpose(transposeB),
            (int)m, (int)n, (int)k, 1.0, a, (int)lda, b, (int)ldb, 0.0, c, (int)ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallSyrk(bool transpose, long n, long k, double* a, long lda, double* c, long ldc)
    {
        _syrk((int)Order.RowMajor, CblasValues.Upper, CblasValues.Transpose(transpose),
            (int)n, (int)k, 1.0, a, (int)lda, 0.0, c, (int)ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemv(
        Order order, bool transpose, long m, long n, double* a, long lda, double* x, long incX, double* y, long incY)
    {
        _gemv((int)order, CblasValues.Transpose(transpose),
            (int)m, (int)n, 1.0, a, (int)lda, x, (int)incX, 0.0, y, (int)incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override double CallDot(long n, double* x, long incX, double* y, long incY)
    {
        return _dot((int)n, x, (int)incX, y, (int)incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallAxpy(long n, double alpha, double* x, long incX, double* y, long incY)
    {
        _axpy((int)n, alpha, x, (int)incX, y, (int)incY);
    }
}
