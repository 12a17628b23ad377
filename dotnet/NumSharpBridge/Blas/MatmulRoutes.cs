using System.Numerics;

namespace Cotrain.Blas;

/// <summary>np.matmul of stacks of matrices, all of one rank and already stretched against each other.</summary>
internal static unsafe class MatmulRoutes
{
    /// <summary>Writes every product of the stack into c; extents have been checked.</summary>
    internal static void Product<T>(
        Cblas<T> blas, in Operand<T> a, in Operand<T> b, in Operand<T> c, ref Scratch scratch)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        int stack = c.Rank - 2;
        if (c.Size == 0)
        {
            return;
        }
        var plan = new MatmulPlan<T>(blas, Layout(a), Layout(b), Layout(c));
        long needed = plan.ScratchCount;
        T* block = needed > 0 ? scratch.Take<T>(needed) : null;
        if (stack == 0)
        {
            plan.Run(a.Data, b.Data, c.Data, block);
            return;
        }
        Span<long> index = stackalloc long[stack];
        index.Clear();
        T* aData = a.Data;
        T* bData = b.Data;
        T* cData = c.Data;
        while (true)
        {
            plan.Run(aData, bData, cData, block);
            int axis = stack - 1;
            while (axis >= 0)
            {
                aData += a.Strides[axis];
                bData += b.Strides[axis];
                cData += c.Strides[axis];
                if (++index[axis] < c.Shape[axis])
                {
                    break;
                }
                index[axis] = 0;
                aData -= c.Shape[axis] * a.Strides[axis];
                bData -= c.Shape[axis] * b.Strides[axis];
                cData -= c.Shape[axis] * c.Strides[axis];
                axis--;
            }
            if (axis < 0)
            {
                return;
            }
        }
    }

    private static MatrixLayout Layout<T>(in Operand<T> operand) where T : unmanaged, INumberBase<T> =>
        new(operand.Shape[^2], operand.Shape[^1], operand.Strides[^2], operand.Strides[^1]);
}
