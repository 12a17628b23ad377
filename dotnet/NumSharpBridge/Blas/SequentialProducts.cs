using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>NumPy's kinds of products, each sum by the plain chain, as in a NumPy without BLAS.</summary>
/// <remarks>Those of vectors are null where the operands do not fit together: NumSharp then says why.</remarks>
internal static unsafe class SequentialProducts
{
    /// <summary>np.dot of any number of dimensions; extents have been checked to be aligned.</summary>
    internal static NDArray Dot<T>(NPTypeCode type, in Operand<T> a, in Operand<T> b)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (a.Rank == 0 || b.Rank == 0)
        {
            return Scaled(type, a, b);
        }
        MatrixLayout left = a.Rank == 1 ? Row(a) : Matrix(a);
        MatrixLayout right = b.Rank == 1 ? Row(b).Transposed : Matrix(b);
        ReadOnlySpan<long> leftStack = a.Shape[..Math.Max(a.Rank - 2, 0)];
        ReadOnlySpan<long> rightStack = b.Shape[..Math.Max(b.Rank - 2, 0)];
        ReadOnlySpan<long> columns = b.Rank == 1 ? [] : b.Shape[^1..];
        NDArray result = Results.New(type, new Shape([.. a.Shape[..^1], .. rightStack, .. columns]));
        if (result.size == 0)
        {
            return result;
        }
        // A row of the result goes through the columns of all matrices of b.
        long rowStride = right.Columns;
        foreach (long extent in rightStack)
        {
            rowStride *= extent;
        }
        var layout = new MatrixLayout(left.Rows, right.Columns, rowStride, 1);
        T* rows = (T*)result.GetData().Address;
        StackWalk leftWalk = Walk(leftStack, a.Strides, stackalloc long[leftStack.Length]);
        Span<long> rightIndex = stackalloc long[rightStack.Length];
        do
        {
            T* c = rows;
            StackWalk rightWalk = Walk(rightStack, b.Strides, rightIndex);
            do
            {
                SequentialGemm.Product(left, a.Data + leftWalk.A, right, b.Data + rightWalk.A, layout, c);
                c += right.Columns;
            }
            while (rightWalk.Next());
            rows += left.Rows * rowStride;
        }
        while (leftWalk.Next());
        return result;
    }

    /// <summary>np.matmul of stacks of matrices, all of one rank and already stretched; into c.</summary>
    internal static void Matmul<T>(in Operand<T> a, in Operand<T> b, in Operand<T> c)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (c.Size == 0)
        {
            return;
        }
        int stack = c.Rank - 2;
        MatrixLayout left = Matrix(a);
        MatrixLayout right = Matrix(b);
        MatrixLayout layout = Matrix(c);
        var walk = new StackWalk(
            c.Shape[..stack], a.Strides[..stack], b.Strides[..stack], c.Strides[..stack], stackalloc long[stack]);
        do
        {
            SequentialGemm.Product(left, a.Data + walk.A, right, b.Data + walk.B, layout, c.Data + walk.C);
        }
        while (walk.Next());
    }

    /// <summary>np.vecdot: (n),(n)→(), over stacks that stretch against each other.</summary>
    internal static NDArray? Vecdot<T>(NPTypeCode type, in Operand<T> a, in Operand<T> b)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (a.Rank < 1 || b.Rank < 1 || a.Shape[^1] != b.Shape[^1] ||
            !Stack.TryStretch(a, 1, b, 1, out Stack stack))
        {
            return null;
        }
        NDArray result = Results.New(type, new Shape(stack.Extents));
        if (result.size > 0)
        {
            T* c = (T*)result.GetData().Address;
            StackWalk walk = stack.Walk(1);
            do
            {
                c[walk.C] = PlainLoop.Sum(
                    a.Data + walk.A, a.Strides[^1], b.Data + walk.B, b.Strides[^1], a.Shape[^1]);
            }
            while (walk.Next());
        }
        return result;
    }

    /// <summary>np.matvec: (m,n),(n)→(m), or np.vecmat, the vector first: (n),(n,m)→(m); over stacks.</summary>
    internal static NDArray? MatrixVector<T>(
        NPTypeCode type, in Operand<T> matrix, in Operand<T> vector, bool vectorFirst)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (matrix.Rank < 2 || vector.Rank < 1)
        {
            return null;
        }
        MatrixLayout layout = Matrix(matrix);
        MatrixLayout row = Row(vector);
        long length = vectorFirst ? layout.Columns : layout.Rows;
        if ((vectorFirst ? layout.Rows : layout.Columns) != row.Columns ||
            !Stack.TryStretch(matrix, 2, vector, 1, out Stack stack))
        {
            return null;
        }
        NDArray result = Results.New(type, new Shape([.. stack.Extents, length]));
        if (result.size == 0)
        {
            return result;
        }
        T* c = (T*)result.GetData().Address;
        var target = new MatrixLayout(1, length, length, 1);
        StackWalk walk = stack.Walk(length);
        do
        {
            T* m = matrix.Data + walk.A;
            T* v = vector.Data + walk.B;
            if (vectorFirst)
            {
                SequentialGemm.Product(row, v, layout, m, target, c + walk.C);
            }
            else
            {
                SequentialGemm.Product(layout, m, row.Transposed, v, target.Transposed, c + walk.C);
            }
        }
        while (walk.Next());
        return result;
    }

    /// <summary>np.vdot: the sum over both operands raveled in C order; 0-d.</summary>
    internal static NDArray? Vdot<T>(NPTypeCode type, in Operand<T> a, in Operand<T> b, ref Scratch scratch)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        long size = a.Size;
        if (size != b.Size)
        {
            return null;
        }
        NDArray result = Results.New(type, Shape.Scalar);
        T* x = a.Raveled(type, ref scratch, out long incX);
        T* y = b.Raveled(type, ref scratch, out long incY);
        *(T*)result.GetData().Address = PlainLoop.Sum(x, incX, y, incY, size);
        return result;
    }

    /// <summary>With a 0-d operand np.dot multiplies, and nothing is added: a −0 stays.</summary>
    private static NDArray Scaled<T>(NPTypeCode type, in Operand<T> a, in Operand<T> b)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (a.Rank > 0 || b.Rank > 0)
        {
            return ScalarProduct.Product(type, a, b);
        }
        NDArray result = Results.New(type, Shape.Scalar);
        *(T*)result.GetData().Address = PlainLoop.Multiply(*a.Data, *b.Data);
        return result;
    }

    /// <summary>Walks the axes before the last two of one operand; <c>A</c> is the offset.</summary>
    private static StackWalk Walk(ReadOnlySpan<long> extents, ReadOnlySpan<long> strides, Span<long> index)
    {
        ReadOnlySpan<long> outer = strides[..extents.Length];
        return new StackWalk(extents, outer, outer, outer, index);
    }

    private static MatrixLayout Matrix<T>(in Operand<T> operand) where T : unmanaged, INumberBase<T> =>
        new(operand.Shape[^2], operand.Shape[^1], operand.Strides[^2], operand.Strides[^1]);

    private static MatrixLayout Row<T>(in Operand<T> operand) where T : unmanaged, INumberBase<T> =>
        new(1, operand.Shape[^1], 0, operand.Strides[^1]);
}
