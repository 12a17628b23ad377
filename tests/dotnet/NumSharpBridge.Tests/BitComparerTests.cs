using Cotrain.Lockstep;
using NumSharp;

namespace Cotrain.Tests;

public class BitComparerTests
{
    private static Finding Compare<T>(MemoryArray<T> reference, MemoryArray<T> candidate)
        where T : unmanaged
    {
        Finding finding = new() { Differing = 9, FirstIndex = 9, MaxUlp = 9, UlpDefined = 9, ReferenceHigh = 9 };
        Operand left = reference.Operand;
        Operand right = candidate.Operand;
        BitComparer.Compare(in left, in right, ref finding);
        return finding;
    }

    private static Finding CompareSingles(uint[] reference, uint[] candidate)
    {
        using MemoryArray<uint> left = new(NPTypeCode.Single, reference);
        using MemoryArray<uint> right = new(NPTypeCode.Single, candidate);
        return Compare(left, right);
    }

    [Fact]
    public void EqualBytesAreEqualAndTheFindingIsFilledAnew() =>
        Assert.Equal(Finding.Equal, CompareSingles([0x7FC00001, 0x80000000, 1], [0x7FC00001, 0x80000000, 1]));

    [Fact]
    public void ZerosOfBothSignsDifferByNoUlp()
    {
        Finding finding = CompareSingles([0x3F800000, 0x00000000], [0x3F800000, 0x80000000]);
        Assert.Equal((1, 1, 0ul, 1), (finding.Differing, finding.FirstIndex, finding.MaxUlp, finding.UlpDefined));
        Assert.Equal((0ul, 0x80000000ul), (finding.ReferenceLow, finding.CandidateLow));
    }

    [Theory]
    [InlineData(0x323504EFu, 0x323504F0u, 1ul)]
    [InlineData(0x00000001u, 0x80000001u, 2ul)] // across zero
    [InlineData(0x7F7FFFFFu, 0x7F800000u, 1ul)] // to infinity
    [InlineData(0xFF800000u, 0x7F800000u, 0xFF000000ul)] // more than a signed int holds
    public void UlpIsTheDistanceOnTheOrderedIntegers(uint reference, uint candidate, ulong ulp)
    {
        Finding finding = CompareSingles([reference], [candidate]);
        Assert.Equal((1, ulp), (finding.UlpDefined, finding.MaxUlp));
        // The same in the vectorised part.
        uint[] many = [.. Enumerable.Repeat(0x3F800000u, 40)];
        uint[] changed = [.. many];
        (many[5], changed[5]) = (candidate, reference);
        finding = CompareSingles(many, changed);
        Assert.Equal((1, 5, 1, ulp), (finding.Differing, finding.FirstIndex, finding.UlpDefined, finding.MaxUlp));
    }

    [Fact]
    public void DoublesMayBeMoreThanASignedLongApart()
    {
        using MemoryArray<double> left = new(NPTypeCode.Double, double.NegativeInfinity);
        using MemoryArray<double> right = new(NPTypeCode.Double, double.PositiveInfinity);
        Assert.Equal(0xFFE0000000000000ul, Compare(left, right).MaxUlp);
    }

    [Fact]
    public void NaNHasNoUlpOnEitherSide()
    {
        Finding finding = CompareSingles(
            [0x7FC00000, 0x3F800000, 0x7FC00000, 0x3F800000], [0x7FC00001, 0xFFC00000, 0x3F800000, 0x3F800002]);
        Assert.Equal((4, 0, 2ul, 1), (finding.Differing, finding.FirstIndex, finding.MaxUlp, finding.UlpDefined));
    }

    [Fact]
    public void IntegersHaveNoUlp()
    {
        using MemoryArray<long> left = new(NPTypeCode.Int64, 1, 2, 3);
        using MemoryArray<long> right = new(NPTypeCode.Int64, 1, -2, 4);
        Finding finding = Compare(left, right);
        Assert.Equal((2, 1, 0ul, 0), (finding.Differing, finding.FirstIndex, finding.MaxUlp, finding.UlpDefined));
        Assert.Equal(ulong.MaxValue - 1, finding.CandidateLow);
    }

    [Fact]
    public void ComplexElementsAreComparedWhole()
    {
        using MemoryArray<UInt128> left = new(NPTypeCode.Complex, new UInt128(2, 1), new UInt128(4, 3));
        using MemoryArray<UInt128> right = new(NPTypeCode.Complex, new UInt128(2, 1), new UInt128(5, 3));
        Finding finding = Compare(left, right);
        Assert.Equal((1, 1, 0), (finding.Differing, finding.FirstIndex, finding.UlpDefined));
        Assert.Equal((3ul, 4ul), (finding.ReferenceLow, finding.ReferenceHigh));
        Assert.Equal((3ul, 5ul), (finding.CandidateLow, finding.CandidateHigh));
    }

    [Fact]
    public void EmptyArraysAreEqual()
    {
        using MemoryArray<float> left = new(NPTypeCode.Single, [], [3, 0], [0, 4]);
        using MemoryArray<float> right = new(NPTypeCode.Single, [], [3, 0], [8, -4]);
        Assert.Equal(Finding.Equal, Compare(left, right));
    }

    [Fact]
    public void TheFirstDifferenceIsTheFirstInCOrder()
    {
        // Column-major memory on both sides: [1, 0] comes before [0, 1] in memory, but not in C order.
        using MemoryArray<byte> left = new(NPTypeCode.Byte, [0, 0, 0, 0], [2, 2], [1, 2]);
        using MemoryArray<byte> right = new(NPTypeCode.Byte, [0, 7, 8, 0], [2, 2], [1, 2]);
        Finding finding = Compare(left, right);
        Assert.Equal((2, 1, 8ul), (finding.Differing, finding.FirstIndex, finding.CandidateLow));
    }

    [Fact]
    public void LayoutsMayDiffer()
    {
        // [[1, 2, 3], [1, 2, 3]]: broadcast, reversed and plain.
        short[] plain = [1, 2, 3, 1, 2, 3];
        using MemoryArray<short> dense = new(NPTypeCode.Int16, plain, [2, 3], [6, 2]);
        using MemoryArray<short> broadcast = new(NPTypeCode.Int16, [1, 2, 3], [2, 3], [0, 2]);
        using MemoryArray<short> reversed = new(NPTypeCode.Int16, [3, 2, 1], [2, 3], [0, -2], origin: 4);
        Assert.Equal(Finding.Equal, Compare(dense, broadcast));
        Assert.Equal(Finding.Equal, Compare(reversed, dense));
        Assert.Equal(Finding.Equal, Compare(broadcast, reversed));
        using MemoryArray<short> other = new(NPTypeCode.Int16, [3, 9, 1], [2, 3], [0, -2], origin: 4);
        Finding finding = Compare(dense, other);
        Assert.Equal((2, 1), (finding.Differing, finding.FirstIndex));
        Assert.Equal((2ul, 9ul), (finding.ReferenceLow, finding.CandidateLow));
    }
}
