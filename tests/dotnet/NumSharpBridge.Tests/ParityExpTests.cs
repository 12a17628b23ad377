using Cotrain.Kernels;
using NumSharp;

namespace Cotrain.Tests;

public class ParityExpTests
{
    private static NDArray Values(params int[] shape)
    {
        int size = shape.Aggregate(1, (product, extent) => product * extent);
        return np.array(Enumerable.Range(0, size).Select(i => i * 0.37f - 20).ToArray()).reshape(shape);
    }

    private static void Check(NDArray x, params long[] strides)
    {
        NDArray y = new ParityMath().Exp(x);
        Assert.Equal(NPTypeCode.Single, y.typecode);
        Assert.Equal(x.Shape.Dimensions, y.Shape.Dimensions);
        Assert.Equal(strides, y.Shape.Strides);
        Assert.False(y.GetData().IsReleased);
        for (long i = 0; i < x.size; i++)
        {
            // The kernel itself is tested elsewhere; here each result must belong to its element.
            float expected = new ParityMath().Exp(NDArray.Scalar(x.GetAtIndex<float>(i))).GetAtIndex<float>(0);
            Assert.Equal(expected, y.GetAtIndex<float>(i));
        }
    }

    [Fact]
    public void ContiguousArraysKeepTheirOrder()
    {
        Check(Values(4, 5), 5, 1);
        Check(Values(4, 5).T, 1, 5);
        Check(NDArray.Scalar(1.5f));
        Check(Values(0), 1);
    }

    [Fact]
    public void StridedArraysGetTheMemoryOrderThatNumPyGives()
    {
        Check(Values(6, 5)[":, 1:4"], 3, 1);
        Check(Values(6, 5)["::-1"], 5, 1);
        Check(Values(6, 5)["::2, ::-1"].T, 1, 5);
        Check(np.transpose(Values(3, 4, 5), [1, 0, 2]), 5, 20, 1);
        Check(np.transpose(Values(3, 4, 6), [2, 0, 1])[":, ::2"], 1, 24, 6);
        Check(np.broadcast_to(Values(1, 5), new Shape(4L, 5L)), 5, 1);
        Check(Values(3000, 2)[":, 1"], 1);
    }

    [Fact]
    public void OtherDtypesAreLeftToNumSharp()
    {
        NDArray x = np.array(new[] { 0.0, 1.0, -2.5 });
        NDArray y = new ParityMath().Exp(x);
        Assert.Equal(NPTypeCode.Double, y.typecode);
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(np.exp(x).GetAtIndex<double>(i), y.GetAtIndex<double>(i));
        }
    }

    [Fact]
    public void NumSharpMathIsNumSharpsOwn()
    {
        NDArray x = np.array(new[] { BitConverter.UInt32BitsToSingle(0xC192F27C) });
        NumSharpMath own = new();
        Assert.Equal(np.exp(x).GetAtIndex<float>(0), own.Exp(x).GetAtIndex<float>(0));
        Assert.Equal(np.sum(x).GetAtIndex<float>(0), own.Sum(x).GetAtIndex<float>(0));
        Assert.Equal(np.mean(x).GetAtIndex<float>(0), own.Mean(x).GetAtIndex<float>(0));
    }
}
