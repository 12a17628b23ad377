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
        if (c.Size == 0)
        {
            return;
        }
        var plan = new MatmulPlan<T>(blas, Layout(a), Layout(b), Layout(c));
        long needed = plan.ScratchCount;
        T* block = needed > 0 ? scratch.Take<T>(needed) : null;
        int stack = c.Rank - 2;
        if (stack == 0)
        {
            plan.Run(a.Data, b.Data, c.Data, block);
            return;
        }
        var walk = new StackWalk(
            c.Shape[..stack], a.Strides[..stack], b.Strides[..stack], c.Strides[..stack], stackalloc long[stack]);
        do
        {
            plan.Run(a.Data + walk.A, b.Data + walk.B, c.Data + walk.C, block);
        }
        while (walk.Next());
    }

    private static MatrixLayout Layout<T>(in Operand<T> operand) where T : unmanaged, INumberBase<T> =>
        new(operand.Shape[^2], operand.Shape[^1], operand.Strides[^2], operand.Strides[^1]);
}
