using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>np.dot of a 0-d operand with one of more than two dimensions, which NumPy multiplies elementwise.</summary>
internal static unsafe class ScalarProduct
{
    /// <summary>The product as a new C-ordered array.</summary>
    internal static NDArray Product<T>(NPTypeCode type, in Operand<T> left, in Operand<T> right)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        bool leftIsScalar = left.Rank == 0;
        Operand<T> array = leftIsScalar ? right : left;
        NDArray result = Results.New(type, new Shape(array.Shape.ToArray()));
        if (result.size > 0)
        {
            T* c = (T*)result.GetData().Address;
            Walk(leftIsScalar ? *left.Data : *right.Data, leftIsScalar, array.Data, array.Shape, array.Strides, ref c);
        }
        return result;
    }

    private static void Walk<T>(
        T scalar, bool scalarFirst, T* data, ReadOnlySpan<long> shape, ReadOnlySpan<long> strides, ref T* c)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        for (long i = 0; i < shape[0]; i++)
        {
            T* element = data + (i * strides[0]);
            if (shape.Length > 1)
            {
                Walk(scalar, scalarFirst, element, shape[1..], strides[1..], ref c);
            }
            else
            {
                *c++ = scalarFirst ? PlainLoop.Multiply(scalar, *element) : PlainLoop.Multiply(*element, scalar);
            }
        }
    }
}
