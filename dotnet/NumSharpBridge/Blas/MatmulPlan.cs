using System.Numerics;

namespace Cotrain.Blas;

/// <summary>
/// How np.matmul multiplies one (m, n) by one (n, p) matrix, chosen once for a whole stack: extents and
/// strides are the same for each of its products.
/// </summary>
internal readonly unsafe struct MatmulPlan<T> where T : unmanaged, IFloatingPointIeee754<T>
{
    private readonly Cblas<T> _blas;
    private readonly MatrixLayout _a;
    private readonly MatrixLayout _b;
    private readonly MatrixLayout _c;
    private readonly Route _route;

    internal MatmulPlan(Cblas<T> blas, in MatrixLayout a, in MatrixLayout b, in MatrixLayout c)
    {
        _blas = blas;
        _a = a;
        _b = b;
        _c = c;
        _route = Choose(blas, a, b);
    }

    private enum Route
    {
        Plain,
        Vectors,
        VectorMatrix,
        MatrixVector,
        Matrices,
    }

    /// <summary>Scratch that <see cref="Run"/> needs, in elements; NumPy, too, copies into one block.</summary>
    internal long ScratchCount
    {
        get
        {
            if (_route != Route.Matrices)
            {
                return 0;
            }
            long max = _blas.MaxSize;
            return (_a.IsBlasable(max) ? 0 : _a.Rows * _a.Columns) +
                (_b.IsBlasable(max) ? 0 : _b.Rows * _b.Columns) +
                (_c.IsBlasable(max) ? 0 : _c.Rows * _c.Columns);
        }
    }

    /// <summary>Writes one product; the result overlaps neither operand.</summary>
    internal void Run(T* a, T* b, T* c, T* scratch)
    {
        switch (_route)
        {
            case Route.Vectors:
                *c = VectorDot.Of(_blas, a, _a.ColumnStride, b, _b.RowStride, _a.Columns);
                break;
            case Route.VectorMatrix:
                GufuncGemv.Run(_blas, _b.Transposed, b, a, _a.ColumnStride, c, _c.ColumnStride);
                break;
            case Route.MatrixVector:
                GufuncGemv.Run(_blas, _a, a, b, _b.RowStride, c, _c.RowStride);
                break;
            case Route.Matrices:
                Matrices(a, b, c, scratch);
                break;
            default:
                Plain(a, b, c);
                break;
        }
    }

    private static Route Choose(Cblas<T> blas, in MatrixLayout a, in MatrixLayout b)
    {
        long max = blas.MaxSize;
        long m = a.Rows;
        long n = a.Columns;
        long p = b.Columns;
        if (m == 0 || n == 0 || p == 0 || m > max || n > max || p > max)
        {
            return Route.Plain;
        }
        if (m == 1 && p == 1)
        {
            return Route.Vectors;
        }
        if (n == 1 && (m == 1 || p == 1))
        {
            return Route.Plain;
        }
        if (m == 1 && b.IsBlasable(max) && GufuncGemv.IsVector(a.ColumnStride, max))
        {
            return Route.VectorMatrix;
        }
        if (p == 1 && a.IsBlasable(max) && GufuncGemv.IsVector(b.RowStride, max))
        {
            return Route.MatrixVector;
        }
        return m == 1 || n == 1 || p == 1 ? Route.Plain : Route.Matrices;
    }

    private void Plain(T* a, T* b, T* c)
    {
        for (long i = 0; i < _a.Rows; i++)
        {
            for (long j = 0; j < _b.Columns; j++)
            {
                c[(i * _c.RowStride) + (j * _c.ColumnStride)] = PlainLoop.Sum(
                    a + (i * _a.RowStride), _a.ColumnStride, b + (j * _b.ColumnStride), _b.RowStride, _a.Columns);
            }
        }
    }

    private void Matrices(T* a, T* b, T* c, T* scratch)
    {
        long max = _blas.MaxSize;
        MatrixLayout aLayout = _a;
        MatrixLayout bLayout = _b;
        if (!aLayout.IsBlasable(max))
        {
            a = Copy(a, ref aLayout, ref scratch);
        }
        if (!bLayout.IsBlasable(max))
        {
            b = Copy(b, ref bLayout, ref scratch);
        }
        bool direct = _c.IsBlasable(max);
        MatrixLayout cLayout = direct ? _c : _c.Packed();
        T* target = direct ? c : scratch;
        // A column major result is its transpose in row major: cᵀ = bᵀ · aᵀ.
        if (Math.Abs(_c.RowStride) < Math.Abs(_c.ColumnStride))
        {
            RowMajorProduct(bLayout.Transposed, b, aLayout.Transposed, a, cLayout.ColumnStride, target);
        }
        else
        {
            RowMajorProduct(aLayout, a, bLayout, b, cLayout.RowStride, target);
        }
        if (!direct)
        {
            Copies.Matrix(target, cLayout.RowStride, cLayout.ColumnStride, c, _c.RowStride, _c.ColumnStride,
                _c.Rows, _c.Columns);
        }
    }

    private static T* Copy(T* source, ref MatrixLayout layout, ref T* scratch)
    {
        MatrixLayout packed = layout.Packed();
        T* copy = scratch;
        Copies.Matrix(source, layout.RowStride, layout.ColumnStride, copy, packed.RowStride, packed.ColumnStride,
            layout.Rows, layout.Columns);
        scratch += layout.Rows * layout.Columns;
        layout = packed;
        return copy;
    }

    /// <summary>gemm, or syrk for a matrix with its own transpose. Where both orders fit, C wins: not transposed.</summary>
    private void RowMajorProduct(in MatrixLayout a, T* aData, in MatrixLayout b, T* bData, long ldc, T* c)
    {
        bool transposeA = !a.IsRowMajor(_blas.MaxSize);
        bool transposeB = !b.IsRowMajor(_blas.MaxSize);
        long lda = transposeA ? a.ColumnStride : a.RowStride;
        long ldb = transposeB ? b.ColumnStride : b.RowStride;
        if (aData == bData && a.Rows == b.Columns && a.RowStride == b.ColumnStride &&
            a.ColumnStride == b.RowStride && transposeA != transposeB)
        {
            _blas.Syrk(transposeA, b.Columns, a.Columns, aData, transposeA ? ldb : lda, c, ldc);
            Triangle.Mirror(c, b.Columns, ldc);
            return;
        }
        _blas.Gemm(transposeA, transposeB, a.Rows, b.Columns, a.Columns, aData, lda, bData, ldb, c, ldc);
    }
}
