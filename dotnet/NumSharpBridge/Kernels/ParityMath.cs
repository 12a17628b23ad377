using NumSharp;

namespace Cotrain.Kernels;

/// <summary>
/// Functions with the bits of NumPy 2.4.2: float32 exp, log and sqrt, float32 and float64 sum and mean of a whole
/// array. NumSharp's own exp, sum and mean differ.
/// </summary>
public sealed unsafe class ParityMath : IMath
{
    private const int ChunkLength = 2048;

    /// <inheritdoc/>
    /// <remarks>float32 as NumPy; other dtypes are NumSharp's own.</remarks>
    public NDArray Exp(NDArray x) => x.typecode == NPTypeCode.Single ? Map<ExpKernel>(x) : np.exp(x);

    /// <inheritdoc/>
    /// <remarks>float32 as NumPy; other dtypes are NumSharp's own.</remarks>
    public NDArray Log(NDArray x) => x.typecode == NPTypeCode.Single ? Map<LogKernel>(x) : np.log(x);

    /// <inheritdoc/>
    /// <remarks>float32 as NumPy; other dtypes are NumSharp's own.</remarks>
    public NDArray Sqrt(NDArray x) => x.typecode == NPTypeCode.Single ? Map<SqrtKernel>(x) : np.sqrt(x);

    /// <summary>Sum of all elements, 0-d, of the same dtype, added in NumPy's order.</summary>
    /// <exception cref="NotSupportedException">The dtype is neither float32 nor float64.</exception>
    public NDArray Sum(NDArray x) => x.typecode switch
    {
        NPTypeCode.Single => NDArray.Scalar(Total<float>(x)),
        NPTypeCode.Double => NDArray.Scalar(Total<double>(x)),
        _ => throw Unsupported("sum", x),
    };

    /// <summary>
    /// Mean of all elements, 0-d, of the same dtype. NumPy divides the float32 sum by the count in float64
    /// and rounds the quotient to float32; without elements the result is NaN.
    /// </summary>
    /// <exception cref="NotSupportedException">The dtype is neither float32 nor float64.</exception>
    public NDArray Mean(NDArray x) => x.typecode switch
    {
        NPTypeCode.Single => NDArray.Scalar((float)(Total<float>(x) / (double)x.size)),
        NPTypeCode.Double => NDArray.Scalar(Total<double>(x) / x.size),
        _ => throw Unsupported("mean", x),
    };

    /// <summary>
    /// The function of each element in a new array, in the memory order that NumPy gives its result (C and F order are
    /// kept, permuted axes stay permuted).
    /// </summary>
    private static NDArray Map<TKernel>(NDArray x)
        where TKernel : struct, IVectorKernel
    {
        Shape shape = x.Shape;
        if (shape.IsContiguous || shape.IsFContiguous)
        {
            NDArray result = New(shape.Dimensions, shape.IsContiguous ? 'C' : 'F');
            Elementwise.Run<TKernel>(Origin<float>(x), Origin<float>(result), x.size);
            GC.KeepAlive(x);
            return result;
        }
        MemoryWalk walk = new(x);
        long[] extents = new long[walk.Order.Length];
        int[] positions = new int[walk.Order.Length];
        for (int i = 0; i < extents.Length; i++)
        {
            // The walk's outermost axis comes first in memory.
            int axis = walk.Order[extents.Length - 1 - i];
            extents[i] = shape.Dimensions[axis];
            positions[axis] = i;
        }
        using NDArray memory = New(extents, 'C');
        Fill<TKernel>(in walk, Origin<float>(x), Origin<float>(memory));
        GC.KeepAlive(x);
        return np.transpose(memory, positions);
    }

    private static T Total<T>(NDArray x)
        where T : unmanaged, System.Numerics.IBinaryFloatingPointIeee754<T>
    {
        T total = PairwiseSum.Whole(Origin<T>(x), new MemoryWalk(x));
        GC.KeepAlive(x);
        return total;
    }

    private static void Fill<TKernel>(in MemoryWalk walk, float* x, float* result)
        where TKernel : struct, IVectorKernel
    {
        if (walk.IsDense)
        {
            Elementwise.Run<TKernel>(x, result, walk.Size);
            return;
        }
        float* chunk = stackalloc float[ChunkLength];
        for (long at = 0; at < walk.Size; at += ChunkLength)
        {
            long count = Math.Min(ChunkLength, walk.Size - at);
            walk.Gather(x, at, count, chunk);
            Elementwise.Run<TKernel>(chunk, result + at, count);
        }
    }

    private static NDArray New(long[] extents, char order) =>
        new(NPTypeCode.Single, new Shape((long[])extents.Clone(), order), fillZeros: false);

    private static T* Origin<T>(NDArray array)
        where T : unmanaged =>
        (T*)array.GetData().Address + array.Shape.Offset;

    private static NotSupportedException Unsupported(string function, NDArray x) => new(
        $"The {function} of a whole {x.typecode} array is not reproduced to NumPy's bits, only that of Single and "
        + "Double: convert the array first, or choose --math numsharp.");
}
