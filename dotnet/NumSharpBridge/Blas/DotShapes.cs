using NumSharp;

namespace Cotrain.Blas;

/// <summary>Which extents of a product must be equal, and what NumPy says when they are not.</summary>
internal static class DotShapes
{
    /// <summary>The axis of a right operand that np.dot sums over.</summary>
    internal static int SummedAxis(int rank) => rank > 1 ? rank - 2 : 0;

    /// <summary>Checks the operands of np.dot; with a 0-d one there is nothing to be aligned.</summary>
    /// <exception cref="IncorrectShapeException">The extents summed over differ.</exception>
    internal static void CheckDot(NDArray left, NDArray right)
    {
        long[] a = left.Shape.Dimensions;
        long[] b = right.Shape.Dimensions;
        if (a.Length == 0 || b.Length == 0)
        {
            return;
        }
        int axis = SummedAxis(b.Length);
        if (a[^1] != b[axis])
        {
            throw new IncorrectShapeException(
                $"shapes {Tuple(a)} and {Tuple(b)} not aligned: {a[^1]} (dim {a.Length - 1}) != " +
                $"{b[axis]} (dim {axis})");
        }
    }

    /// <summary>Checks the operands and the result of a (stacked) matrix product; all of rank 2 or more.</summary>
    /// <exception cref="IncorrectShapeException">An extent does not match.</exception>
    internal static void CheckMatmul(NDArray left, NDArray right, NDArray result)
    {
        long[] a = left.Shape.Dimensions;
        long[] b = right.Shape.Dimensions;
        long[] c = result.Shape.Dimensions;
        if (a.Length < 2 || b.Length != a.Length || c.Length != a.Length)
        {
            throw new IncorrectShapeException(
                $"matmul: operands {Tuple(a)}, {Tuple(b)} and result {Tuple(c)} are not stacks of matrices of " +
                "equal rank");
        }
        if (a[^1] != b[^2])
        {
            throw new IncorrectShapeException(
                "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature " +
                $"(n?,k),(k,m?)->(n?,m?) (size {b[^2]} is different from {a[^1]})");
        }
        bool fits = c[^2] == a[^2] && c[^1] == b[^1];
        for (int axis = 0; axis < a.Length - 2; axis++)
        {
            fits &= a[axis] == c[axis] && b[axis] == c[axis];
        }
        if (!fits)
        {
            throw new IncorrectShapeException(
                $"matmul: operands {Tuple(a)} and {Tuple(b)} do not give a result of shape {Tuple(c)}");
        }
    }

    private static string Tuple(long[] dimensions) =>
        dimensions.Length == 1 ? $"({dimensions[0]},)" : $"({string.Join(",", dimensions)})";
}
