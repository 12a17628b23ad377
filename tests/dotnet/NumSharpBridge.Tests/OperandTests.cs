using Cotrain.Lockstep;
using NumSharp;

namespace Cotrain.Tests;

public unsafe class OperandTests
{
    [Fact]
    public void AddressesFollowStridesInCOrder()
    {
        // Shape (2, 3): the first axis backwards, the second with a gap.
        using MemoryArray<int> array = new(NPTypeCode.Int32, new int[12], [2, 3], [-24, 8], origin: 24);
        Operand operand = array.Operand;
        long[] offsets = new long[6];
        for (int i = 0; i < offsets.Length; i++)
        {
            offsets[i] = operand.ElementAddress(i) - array.Memory;
        }
        Assert.Equal([24, 32, 40, 0, 8, 16], offsets);
        Assert.Equal(6, operand.Size);
        Assert.False(operand.IsContiguous);
    }

    [Fact]
    public void AScalarHasOneElement()
    {
        using MemoryArray<double> array = new(NPTypeCode.Double, [1.0], [], []);
        Operand operand = array.Operand;
        Assert.Equal(1, operand.Size);
        Assert.True(operand.IsContiguous);
        Assert.True(operand.ElementAddress(0) == array.Memory);
        Assert.Throws<ArgumentOutOfRangeException>(() => { array.Operand.ElementAddress(1); });
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(3)]
    public void AnElementThatDoesNotExistIsRefused(long index)
    {
        using MemoryArray<float> array = new(NPTypeCode.Single, 1, 2, 3);
        Assert.Throws<ArgumentOutOfRangeException>(() => { array.Operand.ElementAddress(index); });
    }

    [Theory]
    [InlineData(new long[] { 2, 3 }, new long[] { 12, 4 }, true)]
    [InlineData(new long[] { 2, 3 }, new long[] { 4, 8 }, false)]
    [InlineData(new long[] { 1, 3 }, new long[] { 999, 4 }, true)]
    [InlineData(new long[] { 3, 1 }, new long[] { 4, 0 }, true)]
    [InlineData(new long[] { 3 }, new long[] { 0 }, false)]
    [InlineData(new long[] { 3 }, new long[] { -4 }, false)]
    [InlineData(new long[] { 2, 0 }, new long[] { 77, 77 }, true)]
    public void ContiguityIsThatOfNumPy(long[] shape, long[] strides, bool contiguous)
    {
        using MemoryArray<float> array = new(NPTypeCode.Single, new float[8], shape, strides);
        Assert.Equal(contiguous, array.Operand.IsContiguous);
    }
}
