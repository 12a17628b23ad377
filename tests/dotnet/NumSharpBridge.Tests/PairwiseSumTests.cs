using Cotrain.Kernels;
using NumSharp;

namespace Cotrain.Tests;

public unsafe class PairwiseSumTests
{
    private static float[] Harmonic(int n) => [.. Enumerable.Range(1, n).Select(i => 1f / i)];

    private static NDArray Array(int[] shape) =>
        np.array(Harmonic(shape.Aggregate(1, (size, extent) => size * extent))).reshape(shape);

    private static uint Bits(NDArray scalar)
    {
        Assert.Equal(0, scalar.ndim);
        return BitConverter.SingleToUInt32Bits(scalar.GetAtIndex<float>(0));
    }

    /// <summary>The rule as a list program, without strides, pointers or unrolling.</summary>
    private static float Model(ReadOnlySpan<float> x)
    {
        if (x.Length > 128)
        {
            int half = x.Length / 2 / 8 * 8;
            return Model(x[..half]) + Model(x[half..]);
        }
        float sum = -0f;
        int rest = 0;
        if (x.Length >= 8)
        {
            float[] lanes = x[..8].ToArray();
            for (rest = 8; rest + 8 <= x.Length; rest += 8)
            {
                for (int lane = 0; lane < 8; lane++)
                {
                    lanes[lane] += x[rest + lane];
                }
            }
            sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
        }
        foreach (float value in x[rest..])
        {
            sum += value;
        }
        return sum;
    }

    [Fact]
    public void EqualsTheModelForEveryLengthAndStride()
    {
        Random random = new(2);
        float[] values = [.. Enumerable.Range(0, 3000).Select(_ => (random.NextSingle() - 0.3f) * 1000)];
        for (int n = 0; n <= 700; n++)
        {
            foreach (int stride in new[] { 1, 3, -2 })
            {
                float[] chosen = [.. Enumerable.Range(0, n).Select(i => values[(stride < 0 ? 2999 : 0) + i * stride])];
                fixed (float* x = values)
                {
                    float sum = PairwiseSum.Sum(x + (stride < 0 ? 2999 : 0), n, stride);
                    Assert.Equal(BitConverter.SingleToUInt32Bits(Model(chosen)), BitConverter.SingleToUInt32Bits(sum));
                }
            }
        }
    }

    /// <summary>Sum and mean of 1, 1/2, … 1/n in float32 as NumPy 2.4.2 gives them.</summary>
    [Theory]
    [InlineData(1, 0x3F800000u, 0x3F800000u)]
    [InlineData(5, 0x40122223u, 0x3EE9D038u)]
    [InlineData(7, 0x4025F160u, 0x3EBDA625u)]
    [InlineData(8, 0x402DF160u, 0x3EADF160u)]
    [InlineData(127, 0x40AD9C59u, 0x3D2EFA4Eu)]
    [InlineData(128, 0x40ADDC58u, 0x3D2DDC58u)]
    [InlineData(129, 0x40AE1BDAu, 0x3D2CC255u)]
    [InlineData(136, 0x40AFCB1Bu, 0x3D2573DDu)]
    [InlineData(300, 0x40C90B97u, 0x3CAB8F03u)]
    [InlineData(1000, 0x40EF88FCu, 0x3BF548B0u)]
    [InlineData(8193, 0x411969BCu, 0x3A9964F1u)]
    [InlineData(100000, 0x4141713Du, 0x38FD8C7Au)]
    public void GivesTheBitsOfNumPy(int n, uint sum, uint mean)
    {
        NDArray x = np.array(Harmonic(n));
        ParityMath math = new();
        Assert.Equal(sum, Bits(math.Sum(x)));
        Assert.Equal(mean, Bits(math.Mean(x)));
    }

    [Fact]
    public void DoublesGiveTheBitsOfNumPy()
    {
        NDArray x = np.array(Enumerable.Range(1, 1000).Select(i => 1.0 / i).ToArray());
        ParityMath math = new();
        Assert.Equal(0x401DF11F45F4E61Aul, BitConverter.DoubleToUInt64Bits(math.Sum(x).GetAtIndex<double>(0)));
        Assert.Equal(0x3F7EA915C8A8DB3Dul, BitConverter.DoubleToUInt64Bits(math.Mean(x).GetAtIndex<double>(0)));
    }

    [Fact]
    public void LayoutDecidesTheOrderAsInNumPy()
    {
        ParityMath math = new();
        Assert.Equal(0x40EF88FBu, Bits(math.Sum(Array([1000])["::-1"])));
        Assert.Equal(0x403EC6EEu, Bits(math.Sum(Array([1000])["::3"])));
        NDArray columns = Array([5000, 5])[":, 1:4"];
        Assert.Equal(0x40C3F59Au, Bits(math.Sum(columns)));
        Assert.Equal(0x40C3F599u, Bits(math.Sum(columns.copy())));
        Assert.Equal(0x40C3F59Au, Bits(math.Sum(columns.T)));
    }

    [Fact]
    public void ASumOfNothingAndOfNegativeZerosIsPositiveZero()
    {
        ParityMath math = new();
        Assert.Equal(0u, Bits(math.Sum(np.array(new[] { -0f, -0f }))));
        Assert.Equal(0u, Bits(math.Sum(np.empty(new Shape(0L), NPTypeCode.Single))));
        Assert.Equal(0xFFC00000u, Bits(math.Mean(np.empty(new Shape(0L), NPTypeCode.Single))));
    }

    [Fact]
    public void OtherDtypesAreRefused()
    {
        NDArray integers = np.arange(5);
        string sum = Assert.Throws<NotSupportedException>(() => new ParityMath().Sum(integers)).Message;
        Assert.Contains("sum of a whole Int64 array", sum);
        Assert.Throws<NotSupportedException>(() => new ParityMath().Mean(integers));
    }
}
