using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>np.dot with an operand of more than two dimensions: one vector product per output element.</summary>
internal static unsafe class NdDot
{
    /// <summary>The product as a new C-ordered array; extents have been checked to be aligned.</summary>
    internal static NDArray Product<T>(Cblas<T> blas, NPTypeCode type, in Operand<T> left, in Operand<T> right)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        int leftAxis = left.Rank - 1;
        int rightAxis = DotShapes.SummedAxis(right.Rank);
        var dimensions = new long[left.Rank + right.Rank - 2];
        int count = 0;
        for (int axis = 0; axis < leftAxis; axis++)
        {
            dimensions[count++] = left.Shape[axis];
        }
        for (int axis = 0; axis < right.Rank; axis++)
        {
            if (axis != rightAxis)
            {
                dimensions[count++] = right.Shape[axis];
            }
        }
        NDArray result = Results.New(type, new Shape(dimensions));
        if (result.size == 0)
        {
            return result;
        }
        T* c = (T*)result.GetData().Address;
        long length = left.Shape[leftAxis];
        long leftStep = left.Strides[leftAxis];
        long rightStep = right.Strides[rightAxis];
        Span<long> leftIndex = stackalloc long[left.Rank];
        Span<long> rightIndex = stackalloc long[right.Rank];
        leftIndex.Clear();
        long leftOffset = 0;
        do
        {
            rightIndex.Clear();
            long rightOffset = 0;
            do
            {
                *c++ = VectorDot.Of(blas, left.Data + leftOffset, leftStep, right.Data + rightOffset, rightStep, length);
            }
            while (Next(rightIndex, right.Shape, right.Strides, rightAxis, ref rightOffset));
        }
        while (Next(leftIndex, left.Shape, left.Strides, leftAxis, ref leftOffset));
        return result;
    }

    /// <summary>Advances an index in C order over all axes but one; false after the last.</summary>
    private static bool Next(
        Span<long> index, ReadOnlySpan<long> shape, ReadOnlySpan<long> strides, int skipped, ref long offset)
    {
        for (int axis = index.Length - 1; axis >= 0; axis--)
        {
            if (axis == skipped)
            {
                continue;
            }
            offset += strides[axis];
            if (++index[axis] < shape[axis])
            {
                return true;
            }
            offset -= shape[axis] * strides[axis];
            index[axis] = 0;
        }
        return false;
    }
}
