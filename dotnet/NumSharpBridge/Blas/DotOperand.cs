using System.Numerics;

namespace Cotrain.Blas;

/// <summary>What np.dot takes an operand of at most two dimensions for.</summary>
internal enum DotClass
{
    /// <summary>0-d, one element or none in 1-D, (1, 1) or (0, 1).</summary>
    Scalar,

    /// <summary>1-D, or (n, 1), with n over 1.</summary>
    Column,

    /// <summary>(1, k) or (0, k) with k other than 1.</summary>
    Row,

    /// <summary>The rest.</summary>
    Matrix,
}

/// <summary>
/// An operand of np.dot of at most two dimensions; missing ones have extent 1. Strides in elements.
/// </summary>
internal unsafe struct DotOperand<T> where T : unmanaged, INumberBase<T>
{
    internal T* Data;
    internal int Rank;
    internal long Rows;
    internal long Columns;
    internal long RowStride;
    internal long ColumnStride;

    internal DotOperand(in Operand<T> operand, ref Scratch scratch)
    {
        Data = operand.Data;
        Rank = operand.Rank;
        Rows = Rank > 0 ? operand.Shape[0] : 1;
        Columns = Rank > 1 ? operand.Shape[1] : 1;
        RowStride = Rank > 0 ? operand.Strides[0] : 1;
        ColumnStride = Rank > 1 ? operand.Strides[1] : 1;
        // np.dot copies what a BLAS increment cannot say, up front; also where the axis has extent 1.
        if (IsBad(RowStride, Rows) || IsBad(ColumnStride, Columns))
        {
            CopyToC(ref scratch);
        }
    }

    internal readonly DotClass Class =>
        Rows > 1
            ? Columns == 1 ? DotClass.Column : DotClass.Matrix
            : Columns == 1 ? DotClass.Scalar : DotClass.Row;

    /// <summary>The extent that is summed over, of a left operand.</summary>
    internal readonly long Last => Rank > 1 ? Columns : Rows;

    internal readonly bool IsC =>
        (Columns == 1 || ColumnStride == 1) && (Rows == 1 || RowStride == Columns);

    internal readonly bool IsF =>
        (Rows == 1 || RowStride == 1) && (Columns == 1 || ColumnStride == Rows);

    /// <summary>Increment of a vector operand.</summary>
    internal readonly long Increment => Class == DotClass.Row ? ColumnStride : RowStride;

    /// <summary>Copies an operand that is contiguous in neither order.</summary>
    internal void MakeContiguous(ref Scratch scratch)
    {
        if (!IsC && !IsF)
        {
            CopyToC(ref scratch);
        }
    }

    private static bool IsBad(long stride, long extent) => stride < 0 || (stride == 0 && extent > 1);

    private void CopyToC(ref Scratch scratch)
    {
        T* copy = scratch.Take<T>(Rows * Columns);
        Copies.Matrix(Data, RowStride, ColumnStride, copy, Columns, 1, Rows, Columns);
        Data = copy;
        RowStride = Columns;
        ColumnStride = 1;
    }
}
