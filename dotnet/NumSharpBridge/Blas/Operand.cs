using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>How NumPy lays out the copy of an operand that has another type or is not aligned.</summary>
internal enum CopyLayout
{
    /// <summary>np.dot: axes in the order of their strides (K order).</summary>
    KeepOrder,

    /// <summary>np.matmul: each stacked matrix in C order; stretched stack axes stay stretched.</summary>
    MatrixCOrder,
}

/// <summary>An operand of a product: address of element [0, 0, …], shape and strides in elements.</summary>
/// <remarks>The NDArray it was made from must be kept alive by the caller.</remarks>
internal readonly unsafe ref struct Operand<T> where T : unmanaged, INumberBase<T>
{
    internal readonly T* Data;
    internal readonly ReadOnlySpan<long> Shape;
    internal readonly ReadOnlySpan<long> Strides;

    /// <summary>An array of the product's type as it is: a result.</summary>
    internal Operand(NDArray array)
    {
        Shape shape = array.Shape;
        Shape = shape.Dimensions;
        Strides = shape.Strides;
        Data = (T*)array.GetData().Address + shape.Offset;
    }

    /// <summary>An operand; copied when it is of another type or not aligned, as NumPy does.</summary>
    internal Operand(NDArray array, NPTypeCode type, CopyLayout layout, ref Scratch scratch)
    {
        Shape shape = array.Shape;
        Shape = shape.Dimensions;
        Strides = shape.Strides;
        NPTypeCode code = array.typecode;
        byte* address = (byte*)array.GetData().Address;
        if (code == type)
        {
            Data = (T*)address + shape.Offset;
            if (((nuint)Data & ((nuint)sizeof(T) - 1)) == 0)
            {
                return;
            }
        }
        long[] strides = layout == CopyLayout.KeepOrder
            ? KeptOrder(Shape, Strides)
            : MatrixCOrder(Shape, Strides);
        // A stretched axis of the copy is as long in memory as one element of it.
        long count = 1;
        Span<long> extents = stackalloc long[Shape.Length];
        for (int axis = 0; axis < Shape.Length; axis++)
        {
            extents[axis] = strides[axis] == 0 && Shape[axis] > 1 ? 1 : Shape[axis];
            count *= extents[axis];
        }
        T* copy = scratch.Take<T>(count);
        if (count > 0)
        {
            void* source = address + (shape.Offset * array.dtypesize);
            Copies.Converted(code, source, extents, Strides, copy, strides);
        }
        Data = copy;
        Strides = strides;
    }

    internal int Rank => Shape.Length;

    /// <summary>Number of elements.</summary>
    internal long Size
    {
        get
        {
            long size = 1;
            foreach (long extent in Shape)
            {
                size *= extent;
            }
            return size;
        }
    }

    /// <summary>The elements in C order as a vector: where they are, if one stride leads to all, or a copy.</summary>
    internal T* Raveled(NPTypeCode type, ref Scratch scratch, out long stride)
    {
        stride = 1;
        bool single = true;
        long covered = 1;
        for (int axis = Shape.Length - 1; axis >= 0; axis--)
        {
            if (Shape[axis] == 1)
            {
                continue;
            }
            if (covered == 1)
            {
                stride = Strides[axis];
            }
            single &= Strides[axis] == stride * covered;
            covered *= Shape[axis];
        }
        if (single || covered == 0)
        {
            return Data;
        }
        stride = 1;
        T* copy = scratch.Take<T>(covered);
        Copies.Converted(type, Data, Shape, Strides, copy, MatrixCOrder(Shape, default));
        return copy;
    }

    private static long[] KeptOrder(ReadOnlySpan<long> shape, ReadOnlySpan<long> strides)
    {
        int rank = shape.Length;
        Span<int> order = stackalloc int[rank];
        for (int axis = 0; axis < rank; axis++)
        {
            order[axis] = axis;
        }
        if (!IsC(shape, strides))
        {
            if (IsF(shape, strides))
            {
                order.Reverse();
            }
            else
            {
                SortByStride(order, strides);
            }
        }
        var kept = new long[rank];
        long stride = 1;
        for (int i = rank - 1; i >= 0; i--)
        {
            kept[order[i]] = stride;
            stride *= shape[order[i]];
        }
        return kept;
    }

    /// <summary>Widest stride first; axes of equal strides stay in their order.</summary>
    private static void SortByStride(Span<int> order, ReadOnlySpan<long> strides)
    {
        for (int i = 1; i < order.Length; i++)
        {
            int axis = order[i];
            int place = i;
            while (place > 0 && Math.Abs(strides[order[place - 1]]) < Math.Abs(strides[axis]))
            {
                order[place] = order[place - 1];
                place--;
            }
            order[place] = axis;
        }
    }

    /// <summary>Strides in C order; stretched stack axes of <paramref name="strides"/>, if given, stay so.</summary>
    private static long[] MatrixCOrder(ReadOnlySpan<long> shape, ReadOnlySpan<long> strides)
    {
        int rank = shape.Length;
        var packed = new long[rank];
        long stride = 1;
        for (int axis = rank - 1; axis >= 0; axis--)
        {
            bool stretched = axis < rank - 2 && !strides.IsEmpty && strides[axis] == 0;
            packed[axis] = stretched ? 0 : stride;
            stride *= stretched ? 1 : shape[axis];
        }
        return packed;
    }

    private static bool IsC(ReadOnlySpan<long> shape, ReadOnlySpan<long> strides)
    {
        long expected = 1;
        for (int axis = shape.Length - 1; axis >= 0; axis--)
        {
            if (shape[axis] == 0)
            {
                return true;
            }
            if (shape[axis] != 1 && strides[axis] != expected)
            {
                return false;
            }
            expected *= shape[axis];
        }
        return true;
    }

    private static bool IsF(ReadOnlySpan<long> shape, ReadOnlySpan<long> strides)
    {
        long expected = 1;
        for (int axis = 0; axis < shape.Length; axis++)
        {
            if (shape[axis] == 0)
            {
                return true;
            }
            if (shape[axis] != 1 && strides[axis] != expected)
            {
                return false;
            }
            expected *= shape[axis];
        }
        return true;
    }
}
