namespace Cotrain.Blas;

/// <summary>The gemv of NumPy's gufuncs (matmul, matvec, vecmat); np.dot has another.</summary>
internal static unsafe class GufuncGemv
{
    /// <summary>Whether BLAS takes a vector of this stride.</summary>
    internal static bool IsVector(long stride, long maxSize) => stride >= 1 && stride <= maxSize;

    /// <summary>
    /// y = matrix · x for a blasable matrix. It always goes to BLAS as a transposed one, in the storage order
    /// that makes it so.
    /// </summary>
    internal static void Run<T>(
        Cblas<T> blas, in MatrixLayout matrix, T* data, T* x, long incX, T* y, long incY)
        where T : unmanaged
    {
        // BLAS counts a negative increment from the other end: it wants the lowest address.
        y += incY < 0 ? (matrix.Rows - 1) * incY : 0;
        bool rowMajor = matrix.IsRowMajor(blas.MaxSize);
        blas.Gemv(rowMajor ? Order.ColMajor : Order.RowMajor, true, matrix.Columns, matrix.Rows, data,
            rowMajor ? matrix.RowStride : matrix.ColumnStride, x, incX, y, incY);
    }
}
