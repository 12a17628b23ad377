using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>np.vecdot, np.matvec, np.vecmat and np.vdot.</summary>
/// <remarks>Null where the operands do not fit together: NumSharp then says why.</remarks>
internal static unsafe class VectorGufuncs
{
    /// <summary>(n),(n)→(), over stacks that stretch against each other.</summary>
    internal static NDArray? Vecdot<T>(Cblas<T> blas, NPTypeCode type, in Operand<T> a, in Operand<T> b)
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
            long length = a.Shape[^1];
            long aStep = Step(a);
            long bStep = Step(b);
            StackWalk walk = stack.Walk(1);
            do
            {
                c[walk.C] = VectorDot.Of(blas, a.Data + walk.A, aStep, b.Data + walk.B, bStep, length);
            }
            while (walk.Next());
        }
        return result;
    }

    /// <summary>(m,n),(n)→(m), or with the vector first (n),(n,m)→(m); over stacks.</summary>
    internal static NDArray? MatrixVector<T>(
        Cblas<T> blas, NPTypeCode type, in Operand<T> matrix, in Operand<T> vector, bool vectorFirst)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (matrix.Rank < 2 || vector.Rank < 1)
        {
            return null;
        }
        var layout = new MatrixLayout(matrix.Shape[^2], matrix.Shape[^1], matrix.Strides[^2], matrix.Strides[^1]);
        layout = vectorFirst ? layout.Transposed : layout;
        if (layout.Columns != vector.Shape[^1] || !Stack.TryStretch(matrix, 2, vector, 1, out Stack stack))
        {
            return null;
        }
        NDArray result = Results.New(type, new Shape([.. stack.Extents, layout.Rows]));
        if (result.size == 0)
        {
            return result;
        }
        T* c = (T*)result.GetData().Address;
        long max = blas.MaxSize;
        long step = Step(vector);
        bool gemv = layout.Rows > 1 && layout.Columns > 1 && layout.Rows <= max && layout.Columns <= max &&
            layout.IsBlasable(max) && GufuncGemv.IsVector(step, max);
        StackWalk walk = stack.Walk(layout.Rows);
        do
        {
            T* data = matrix.Data + walk.A;
            T* x = vector.Data + walk.B;
            T* y = c + walk.C;
            if (gemv)
            {
                GufuncGemv.Run(blas, layout, data, x, step, y, 1);
                continue;
            }
            for (long row = 0; row < layout.Rows; row++)
            {
                T* line = data + (row * layout.RowStride);
                y[row] = vectorFirst
                    ? VectorDot.Of(blas, x, step, line, layout.ColumnStride, layout.Columns)
                    : VectorDot.Of(blas, line, layout.ColumnStride, x, step, layout.Columns);
            }
        }
        while (walk.Next());
        return result;
    }

    /// <summary>The vector product of both operands raveled in C order; 0-d.</summary>
    internal static NDArray? Vdot<T>(
        Cblas<T> blas, NPTypeCode type, in Operand<T> a, in Operand<T> b, ref Scratch scratch)
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
        *(T*)result.GetData().Address = VectorDot.Of(blas, x, incX, y, incY, size);
        return result;
    }

    /// <summary>The stride along the last axis; 0 for one element, as in a gufunc's inner loop.</summary>
    private static long Step<T>(in Operand<T> operand) where T : unmanaged, INumberBase<T> =>
        operand.Shape[^1] == 1 ? 0 : operand.Strides[^1];
}
