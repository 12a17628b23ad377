using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>np.dot of operands with at most two dimensions: the BLAS call that NumPy makes for each class.</summary>
internal static unsafe class DotRoutes
{
    /// <summary>The product as a new C-ordered array; extents have been checked to be aligned.</summary>
    internal static NDArray Product<T>(Cblas<T> blas, NPTypeCode type, in Operand<T> left, in Operand<T> right,
        ref Scratch scratch)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var a = new DotOperand<T>(left, ref scratch);
        var b = new DotOperand<T>(right, ref scratch);
        NDArray result = Results.New(type, ResultShape(a, b));
        long size = result.size;
        if (size == 0)
        {
            return result;
        }
        T* c = (T*)result.GetData().Address;
        DotClass aClass = a.Class;
        DotClass bClass = b.Class;
        if (a.Rank > 0 && b.Rank > 0 && a.Last == 0)
        {
            Results.Clear(c, size);
        }
        else if (aClass == DotClass.Scalar || bClass == DotClass.Scalar)
        {
            // NumPy makes the scalar the second operand; where both are, the operands trade places.
            if (aClass == DotClass.Scalar)
            {
                Scaled(blas, b, a, c, size);
            }
            else
            {
                Scaled(blas, a, b, c, size);
            }
        }
        else if (aClass == DotClass.Matrix && bClass == DotClass.Matrix)
        {
            MatrixProduct(blas, a, b, c, ref scratch);
        }
        else if (bClass == DotClass.Column && aClass != DotClass.Matrix)
        {
            *c = VectorDot.Of(blas, a.Data, a.Increment, b.Data, b.RowStride, b.Rows);
        }
        else if (aClass == DotClass.Matrix)
        {
            MatrixVector(blas, a, b, transpose: false, c, ref scratch);
        }
        else if (bClass == DotClass.Matrix)
        {
            MatrixVector(blas, b, a, transpose: true, c, ref scratch);
        }
        else
        {
            MatrixProduct(blas, a, b, c, ref scratch);
        }
        return result;
    }

    /// <summary>The dimensions of the product: those of a but its last, then those of b but its first.</summary>
    private static Shape ResultShape<T>(in DotOperand<T> a, in DotOperand<T> b)
        where T : unmanaged, INumberBase<T>
    {
        if (a.Rank == 0 || b.Rank == 0)
        {
            return a.Rank == 0 ? Dimensions(b) : Dimensions(a);
        }
        if (a.Rank == 2)
        {
            return b.Rank == 2 ? new Shape([a.Rows, b.Columns]) : new Shape([a.Rows]);
        }
        return b.Rank == 2 ? new Shape([b.Columns]) : Shape.Scalar;
    }

    private static Shape Dimensions<T>(in DotOperand<T> operand) where T : unmanaged, INumberBase<T> =>
        operand.Rank switch
        {
            0 => Shape.Scalar,
            1 => new Shape([operand.Rows]),
            _ => new Shape([operand.Rows, operand.Columns]),
        };

    /// <summary>A scalar times something: axpy onto zeros, which turns −0 into +0; one product keeps it.</summary>
    private static void Scaled<T>(Cblas<T> blas, in DotOperand<T> x, in DotOperand<T> scalar, T* c, long size)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        T factor = *scalar.Data;
        if (size == 1)
        {
            *c = PlainLoop.Multiply(factor, *x.Data);
            return;
        }
        Results.Clear(c, size);
        if (x.Class != DotClass.Matrix)
        {
            blas.Axpy(size, factor, x.Data, x.Increment, c, 1);
            return;
        }
        if (x.Rows >= x.Columns)
        {
            for (long column = 0; column < x.Columns; column++)
            {
                blas.Axpy(x.Rows, factor, x.Data + (column * x.ColumnStride), x.RowStride, c + column, x.Columns);
            }
            return;
        }
        for (long row = 0; row < x.Rows; row++)
        {
            blas.Axpy(x.Columns, factor, x.Data + (row * x.RowStride), x.ColumnStride, c + (row * x.Columns), 1);
        }
    }

    /// <summary>gemv of the contiguous matrix, transposed where the vector was the left operand.</summary>
    private static void MatrixVector<T>(
        Cblas<T> blas, DotOperand<T> matrix, in DotOperand<T> vector, bool transpose, T* c, ref Scratch scratch)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        matrix.MakeContiguous(ref scratch);
        long increment = transpose ? vector.Increment : vector.RowStride;
        if (matrix.IsC)
        {
            blas.Gemv(Order.RowMajor, transpose, matrix.Rows, matrix.Columns, matrix.Data, matrix.Columns,
                vector.Data, increment, c, 1);
        }
        else
        {
            blas.Gemv(Order.ColMajor, transpose, matrix.Rows, matrix.Columns, matrix.Data, matrix.Rows,
                vector.Data, increment, c, 1);
        }
    }

    /// <summary>
    /// gemm, or syrk for a matrix with its own transpose. Where an operand is contiguous in both orders, it
    /// counts as F: transposed.
    /// </summary>
    private static void MatrixProduct<T>(
        Cblas<T> blas, DotOperand<T> a, DotOperand<T> b, T* c, ref Scratch scratch)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        b.MakeContiguous(ref scratch);
        a.MakeContiguous(ref scratch);
        bool transposeA = a.IsF;
        bool transposeB = b.IsF;
        long lda = transposeA ? a.Rows : a.Columns;
        long ldb = transposeB ? b.Rows : b.Columns;
        if (transposeA != transposeB && a.Data == b.Data && a.Rows == b.Columns && a.Columns == b.Rows &&
            a.RowStride == b.ColumnStride && a.ColumnStride == b.RowStride)
        {
            blas.Syrk(transposeA, b.Columns, b.Rows, a.Data, transposeA ? ldb : lda, c, b.Columns);
            Triangle.Mirror(c, b.Columns, b.Columns);
            return;
        }
        blas.Gemm(transposeA, transposeB, a.Rows, b.Columns, b.Rows, a.Data, lda, b.Data, ldb, c, b.Columns);
    }
}
