using System.Numerics;
using System.Runtime.Intrinsics;

namespace Cotrain.Blas;

/// <summary>
/// One product of two matrices by the plain chain: c[i, j] begins at +0, and for ascending k a[i, k]·b[k, j] is
/// rounded, then added. Vectors run across the columns, so a sum's order is the same at any vector width.
/// </summary>
/// <remarks>
/// Both operands are copied block by block of k into the order in which the tiles read them; between blocks the
/// sums rest in c. Which NaN a vector instruction keeps of two is the JIT's choice, so sums that end in a NaN are
/// formed again by <see cref="PlainLoop"/>.
/// </remarks>
internal static unsafe class SequentialGemm
{
    /// <summary>Numbers of a tile's operand b that stay in the first cache while all rows pass.</summary>
    private const int Depth = 256;

    /// <summary>Products that are not worth the copies.</summary>
    private const long Small = 512;

    /// <summary>Writes the product; c overlaps neither operand.</summary>
    internal static void Product<T>(in MatrixLayout a, T* aData, in MatrixLayout b, T* bData, in MatrixLayout c, T* cData)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        long m = a.Rows;
        long n = b.Columns;
        if (m == 0 || n == 0)
        {
            return;
        }
        if (m * n == 1 || m * n * a.Columns <= Small)
        {
            Plain(a, aData, b, bData, c, cData);
            return;
        }
        if (Vector512.IsHardwareAccelerated)
        {
            Product<Lanes512<T>, T>(a, aData, b, bData, c, cData);
        }
        else if (Vector256.IsHardwareAccelerated)
        {
            Product<Lanes256<T>, T>(a, aData, b, bData, c, cData);
        }
        else
        {
            Product<Lanes128<T>, T>(a, aData, b, bData, c, cData);
        }
        RestoreNaNs(a, aData, b, bData, c, cData);
    }

    private static void Plain<T>(in MatrixLayout a, T* aData, in MatrixLayout b, T* bData, in MatrixLayout c, T* cData)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        for (long i = 0; i < a.Rows; i++)
        {
            for (long j = 0; j < b.Columns; j++)
            {
                cData[(i * c.RowStride) + (j * c.ColumnStride)] = PlainLoop.Sum(
                    aData + (i * a.RowStride), a.ColumnStride, bData + (j * b.ColumnStride), b.RowStride, a.Columns);
            }
        }
    }

    /// <summary>
    /// The product, or the transposed one where that has the longer or the contiguous rows; which NaN it is where
    /// there are several is left open.
    /// </summary>
    internal static void Product<TLanes, T>(
        in MatrixLayout a, T* aData, in MatrixLayout b, T* bData, in MatrixLayout c, T* cData)
        where TLanes : unmanaged, ILanes<TLanes, T>
        where T : unmanaged
    {
        bool narrow = b.Columns < TLanes.Count && a.Rows > b.Columns;
        bool columnMajor = c.RowStride == 1 && c.ColumnStride != 1 && b.Columns > 1;
        if (narrow || columnMajor)
        {
            Blocks<TLanes, T>(b.Transposed, bData, a.Transposed, aData, c.Transposed, cData);
        }
        else
        {
            Blocks<TLanes, T>(a, aData, b, bData, c, cData);
        }
    }

    private static void Blocks<TLanes, T>(
        in MatrixLayout a, T* aData, in MatrixLayout b, T* bData, in MatrixLayout c, T* cData)
        where TLanes : unmanaged, ILanes<TLanes, T>
        where T : unmanaged
    {
        long wide = 2 * TLanes.Count;
        long rows = RoundedUp(a.Rows, SequentialTile.Rows);
        long columns = RoundedUp(b.Columns, TLanes.Count);
        long depth = Math.Min(a.Columns, Depth);
        var scratch = new Scratch();
        T* left = scratch.Take<T>(rows * depth);
        T* right = scratch.Take<T>(columns * depth);
        T* edge = scratch.Take<T>(SequentialTile.Rows * wide);
        for (long k = 0; k < a.Columns; k += depth)
        {
            long block = Math.Min(depth, a.Columns - k);
            Pack(aData + (k * a.ColumnStride), a.Rows, a.RowStride, block, a.ColumnStride,
                SequentialTile.Rows, SequentialTile.Rows, left);
            Pack(bData + (k * b.RowStride), b.Columns, b.ColumnStride, block, b.RowStride, wide, TLanes.Count, right);
            for (long j = 0; j < columns; j += wide)
            {
                long width = Math.Min(wide, columns - j);
                T* panel = right + (j * block);
                for (long i = 0; i < rows; i += SequentialTile.Rows)
                {
                    T* target = cData + (i * c.RowStride) + (j * c.ColumnStride);
                    long tileRows = Math.Min(SequentialTile.Rows, a.Rows - i);
                    long tileColumns = Math.Min(width, b.Columns - j);
                    bool whole = tileRows == SequentialTile.Rows && tileColumns == width && c.ColumnStride == 1;
                    T* sums = whole ? target : edge;
                    long stride = whole ? c.RowStride : wide;
                    if (!whole && k > 0)
                    {
                        Copies.Matrix(target, c.RowStride, c.ColumnStride, edge, wide, 1, tileRows, tileColumns);
                    }
                    if (width == wide)
                    {
                        SequentialTile.Wide<TLanes, T>(block, left + (i * block), panel, sums, stride, k == 0);
                    }
                    else
                    {
                        SequentialTile.Narrow<TLanes, T>(block, left + (i * block), panel, sums, stride, k == 0);
                    }
                    if (!whole)
                    {
                        Copies.Matrix(edge, wide, 1, target, c.RowStride, c.ColumnStride, tileRows, tileColumns);
                    }
                }
            }
        }
        scratch.Dispose();
    }

    /// <summary>
    /// Copies lines (rows of a, columns of b) into panels of <paramref name="width"/> lines, the last one only as
    /// wide as whole <paramref name="unit"/>s need: for each k the panel's numbers side by side, +0 for lines that
    /// are not there.
    /// </summary>
    private static void Pack<T>(
        T* source, long lines, long lineStride, long depth, long kStride, long width, long unit, T* target)
        where T : unmanaged
    {
        for (long first = 0; first < lines; first += width)
        {
            long used = Math.Min(width, lines - first);
            long step = Math.Min(width, RoundedUp(used, unit));
            T* from = source + (first * lineStride);
            if (used == step && lineStride == 1)
            {
                for (long k = 0; k < depth; k++)
                {
                    new ReadOnlySpan<T>(from + (k * kStride), (int)step).CopyTo(new Span<T>(target + (k * step), (int)step));
                }
            }
            else
            {
                if (used < step)
                {
                    Results.Clear(target, step * depth);
                }
                for (long line = 0; line < used; line++)
                {
                    T* number = from + (line * lineStride);
                    T* to = target + line;
                    for (long k = 0; k < depth; k++)
                    {
                        *to = *number;
                        number += kStride;
                        to += step;
                    }
                }
            }
            target += step * depth;
        }
    }

    private static void RestoreNaNs<T>(
        in MatrixLayout a, T* aData, in MatrixLayout b, T* bData, in MatrixLayout c, T* cData)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        for (long i = 0; i < c.Rows; i++)
        {
            T* row = cData + (i * c.RowStride);
            for (long j = 0; j < c.Columns; j++)
            {
                if (c.ColumnStride == 1 && c.Columns - j >= Vector<T>.Count)
                {
                    Vector<T> numbers = Vector.Load(row + j);
                    if (Vector.EqualsAll(numbers, numbers))
                    {
                        j += Vector<T>.Count - 1;
                        continue;
                    }
                }
                if (T.IsNaN(row[j * c.ColumnStride]))
                {
                    row[j * c.ColumnStride] = PlainLoop.Sum(
                        aData + (i * a.RowStride), a.ColumnStride, bData + (j * b.ColumnStride), b.RowStride, a.Columns);
                }
            }
        }
    }

    private static long RoundedUp(long count, long unit) => (count + unit - 1) / unit * unit;
}
