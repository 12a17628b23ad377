namespace Cotrain.Blas;

/// <summary>One matrix of a product: extents and strides in elements.</summary>
internal readonly struct MatrixLayout
{
    internal readonly long Rows;
    internal readonly long Columns;
    internal readonly long RowStride;
    internal readonly long ColumnStride;

    /// <summary>An axis of extent 1 has stride 0, as in a gufunc's inner loop.</summary>
    internal MatrixLayout(long rows, long columns, long rowStride, long columnStride)
    {
        Rows = rows;
        Columns = columns;
        RowStride = rows == 1 ? 0 : rowStride;
        ColumnStride = columns == 1 ? 0 : columnStride;
    }

    internal MatrixLayout Transposed => new(Columns, Rows, ColumnStride, RowStride);

    /// <summary>Rows are contiguous and do not overlap: BLAS takes it as it is.</summary>
    internal bool IsRowMajor(long maxSize) =>
        ColumnStride == 1 && RowStride >= Columns && RowStride <= maxSize;

    /// <summary>The same of its columns: BLAS takes it as a transposed operand.</summary>
    internal bool IsColumnMajor(long maxSize) =>
        RowStride == 1 && ColumnStride >= Rows && ColumnStride <= maxSize;

    internal bool IsBlasable(long maxSize) => IsRowMajor(maxSize) || IsColumnMajor(maxSize);

    /// <summary>The layout of a copy: its tighter axis stays the tighter one.</summary>
    internal MatrixLayout Packed() =>
        Math.Abs(RowStride) < Math.Abs(ColumnStride)
            ? new MatrixLayout(Rows, Columns, 1, Rows)
            : new MatrixLayout(Rows, Columns, Columns, 1);
}
