using System.Runtime.CompilerServices;

namespace Cotrain.Blas;

/// <summary>float32 routines of a library with 64-bit integers.</summary>
internal sealed unsafe class SingleIlp64 : Cblas<float>
{
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, long, long, long, float, float*, long, float*, long, float, float*, long, void> _gemm;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, long, long, float, float*, long, float, float*, long, void> _syrk;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, long, long, float, float*, long, float*, long, float, float*, long, void> _gemv;
    private readonly delegate* unmanaged[Cdecl]<long, float*, long, float*, long, float> _dot;
    private readonly delegate* unmanaged[Cdecl]<long, float, float*, long, float*, long, void> _axpy;

    internal SingleIlp64(Func<string, nint> symbol)
    {
        _gemm = (delegate* unmanaged[Cdecl]<
            int, int, int, long, long, long, float, float*, long, float*, long, float, float*, long, void>)
            symbol("cblas_sgemm");
        _syrk = (delegate* unmanaged[Cdecl]<
            int, int, int, long, long, float, float*, long, float, float*, long, void>)symbol("cblas_ssyrk");
        _gemv = (delegate* unmanaged[Cdecl]<
            int, int, long, long, float, float*, long, float*, long, float, float*, long, void>)
            symbol("cblas_sgemv");
        _dot = (delegate* unmanaged[Cdecl]<long, float*, long, float*, long, float>)symbol("cblas_sdot");
        _axpy = (delegate* unmanaged[Cdecl]<long, float, float*, long, float*, long, void>)symbol("cblas_saxpy");
    }

    internal override long MaxSize => long.MaxValue - 1;

    internal override long MaxStride => long.MaxValue;

    internal override long Chunk => long.MaxValue;

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemm(
        bool transposeA, bool transposeB, long m, long n, long k,
        float* a, long lda, float* b, long ldb, float* c, long ldc)
    {
        _gemm((int)Order.RowMajor, CblasValues.Transpose(transposeA), CblasValues.Transpose(transposeB),
            m, n, k, 1f, a, lda, b, ldb, 0f, c, ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallSyrk(bool transpose, long n, long k, float* a, long lda, float* c, long ldc)
    {
        _syrk((int)Order.RowMajor, CblasValues.Upper, CblasValues.Transpose(transpose), n, k, 1f, a, lda, 0f, c, ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemv(
        Order order, bool transpose, long m, long n, float* a, long lda, float* x, long incX, float* y, long incY)
    {
        _gemv((int)order, CblasValues.Transpose(transpose), m, n, 1f, a, lda, x, incX, 0f, y, incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override float CallDot(long n, float* x, long incX, float* y, long incY)
    {
        return _dot(n, x, incX, y, incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallAxpy(long n, float alpha, float* x, long incX, float* y, long incY)
    {
        _axpy(n, alpha, x, incX, y, incY);
    }
}

/// <summary>float64 routines of a library with 64-bit integers.</summary>
internal sealed unsafe class DoubleIlp64 : Cblas<double>
{
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, long, long, long, double, double*, long, double*, long, double, double*, long, void> _gemm;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, int, long, long, double, double*, long, double, double*, long, void> _syrk;
    private readonly delegate* unmanaged[Cdecl]<
        int, int, long, long, double, double*, long, double*, long, double, double*, long, void> _gemv;
    private readonly delegate* unmanaged[Cdecl]<long, double*, long, double*, long, double> _dot;
    private readonly delegate* unmanaged[Cdecl]<long, double, double*, long, double*, long, void> _axpy;

    internal DoubleIlp64(Func<string, nint> symbol)
    {
        _gemm = (delegate* unmanaged[Cdecl]<
            int, int, int, long, long, long, double, double*, long, double*, long, double, double*, long, void>)
            symbol("cblas_dgemm");
        _syrk = (delegate* unmanaged[Cdecl]<
            int, int, int, long, long, double, double*, long, double, double*, long, void>)symbol("cblas_dsyrk");
        _gemv = (delegate* unmanaged[Cdecl]<
            int, int, long, long, double, double*, long, double*, long, double, double*, long, void>)
            symbol("cblas_dgemv");
        _dot = (delegate* unmanaged[Cdecl]<long, double*, long, double*, long, double>)symbol("cblas_ddot");
        _axpy = (delegate* unmanaged[Cdecl]<long, double, double*, long, double*, long, void>)symbol("cblas_daxpy");
    }

    internal override long MaxSize => long.MaxValue - 1;

    internal override long MaxStride => long.MaxValue;

    internal override long Chunk => long.MaxValue;

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemm(
        bool transposeA, bool transposeB, long m, long n, long k,
        double* a, long lda, double* b, long ldb, double* c, long ldc)
    {
        _gemm((int)Order.RowMajor, CblasValues.Transpose(transposeA), CblasValues.Transpose(transposeB),
            m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallSyrk(bool transpose, long n, long k, double* a, long lda, double* c, long ldc)
    {
        _syrk((int)Order.RowMajor, CblasValues.Upper, CblasValues.Transpose(transpose), n, k, 1.0, a, lda, 0.0, c, ldc);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallGemv(
        Order order, bool transpose, long m, long n, double* a, long lda, double* x, long incX, double* y, long incY)
    {
        _gemv((int)order, CblasValues.Transpose(transpose), m, n, 1.0, a, lda, x, incX, 0.0, y, incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override double CallDot(long n, double* x, long incX, double* y, long incY)
    {
        return _dot(n, x, incX, y, incY);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override void CallAxpy(long n, double alpha, double* x, long incX, double* y, long incY)
    {
        _axpy(n, alpha, x, incX, y, incY);
    }
}
