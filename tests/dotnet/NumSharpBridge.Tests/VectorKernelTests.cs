using Cotrain.Kernels;

namespace Cotrain.Tests;

public unsafe class VectorKernelTests
{
    private delegate void Kernel(float* x, float* y, long n);

    private static uint[] Run(Kernel kernel, uint[] patterns)
    {
        uint[] results = new uint[patterns.Length];
        fixed (uint* x = patterns, y = results)
        {
            kernel((float*)x, (float*)y, patterns.Length);
        }
        return results;
    }

    /// <summary>Patterns of x and of NumPy 2.4.2's exp(x) on a machine with AVX2 or AVX-512.</summary>
    [Theory]
    [InlineData(0xC192F27Cu, 0x323504EFu)] // NumSharp: 0x323504F0
    [InlineData(0x3F851592u, 0x403504F2u)] // NumSharp: 0x403504F4
    [InlineData(0x401B43D5u, 0x413504F2u)]
    [InlineData(0xBF851592u, 0x3EB504F4u)]
    [InlineData(0x00000000u, 0x3F800000u)]
    [InlineData(0x80000000u, 0x3F800000u)]
    [InlineData(0x80000001u, 0x3F800000u)]
    [InlineData(0x3F800000u, 0x402DF855u)]
    [InlineData(0xBF800000u, 0x3EBC5AB1u)]
    [InlineData(0x3EB17218u, 0x3FB504F4u)] // ln 2 / 2
    [InlineData(0xBEB17218u, 0x3F3504F2u)]
    [InlineData(0x41200000u, 0x46AC14EFu)]
    [InlineData(0xC1200000u, 0x383E6BCCu)]
    [InlineData(0xC2781E37u, 0x12B65236u)]
    [InlineData(0x42B0C0A5u, 0x7F3504A4u)] // 2^128 times less than one
    [InlineData(0x42B17217u, 0x7F7FFF84u)] // the largest finite result
    [InlineData(0x42B17218u, 0x7F800000u)]
    [InlineData(0xC2AEAC50u, 0x007FFFE6u)] // denormal results
    [InlineData(0xC2AEAC51u, 0x007FFFA6u)]
    [InlineData(0xC2CE8ED0u, 0x00000001u)]
    [InlineData(0xC2CFF1B4u, 0x00000001u)] // the least that does not give zero
    [InlineData(0xC2CFF1B5u, 0x00000000u)]
    [InlineData(0x7F7FFFFFu, 0x7F800000u)]
    [InlineData(0xFF7FFFFFu, 0x00000000u)]
    [InlineData(0x7F800000u, 0x7F800000u)]
    [InlineData(0xFF800000u, 0x00000000u)]
    [InlineData(0x7FC00000u, 0x7FC00000u)] // any NaN: the positive quiet one
    [InlineData(0xFFC00000u, 0x7FC00000u)]
    [InlineData(0x7F800001u, 0x7FC00000u)]
    [InlineData(0xFFFFFFFFu, 0x7FC00000u)]
    public void ExpGivesTheBitsOfNumPy(uint x, uint expected) => Check<ExpKernel>(x, expected);

    /// <summary>The same for log(x).</summary>
    [Theory]
    [InlineData(0x00000000u, 0xFF800000u)]
    [InlineData(0x80000000u, 0xFF800000u)]
    [InlineData(0x00000001u, 0xC2CE8ED0u)]
    [InlineData(0x80000001u, 0xFFC00000u)]
    [InlineData(0x007FFFFFu, 0xC2AEAC50u)]
    [InlineData(0x00800000u, 0xC2AEAC50u)]
    [InlineData(0x3F3504F2u, 0xBEB1721Bu)]
    [InlineData(0x3F3504F3u, 0xBEB17218u)]
    [InlineData(0x3F3504F4u, 0xBEB17215u)]
    [InlineData(0x3F7FFFFFu, 0xB3800001u)]
    [InlineData(0x3F800000u, 0x00000000u)]
    [InlineData(0x3F800001u, 0x33FFFFFEu)]
    [InlineData(0x402DF854u, 0x3F800000u)]
    [InlineData(0x33D6BF95u, 0xC180F1DCu)]
    [InlineData(0x0063A82Du, 0xC2AF2C77u)]
    [InlineData(0x7F1FC62Cu, 0x42B080BBu)]
    [InlineData(0x7F7FFFFFu, 0x42B17218u)]
    [InlineData(0x7F800000u, 0x7F800000u)]
    [InlineData(0xFF800000u, 0xFFC00000u)]
    [InlineData(0xBF800000u, 0xFFC00000u)]
    [InlineData(0x7FC00000u, 0x7FC00000u)]
    [InlineData(0xFFC00000u, 0x7FC00000u)]
    [InlineData(0x7F800001u, 0x7FC00000u)]
    [InlineData(0xFFFFFFFFu, 0x7FC00000u)]
    public void LogGivesTheBitsOfNumPy(uint x, uint expected) => Check<LogKernel>(x, expected);

    /// <summary>The same for sqrt(x).</summary>
    [Theory]
    [InlineData(0x00000000u, 0x00000000u)]
    [InlineData(0x80000000u, 0x80000000u)]
    [InlineData(0x00000001u, 0x1A3504F3u)]
    [InlineData(0x80000001u, 0xFFC00000u)]
    [InlineData(0x007FFFFFu, 0x1FFFFFFFu)]
    [InlineData(0x00800000u, 0x20000000u)]
    [InlineData(0x3F3504F2u, 0x3F5744FCu)]
    [InlineData(0x3F3504F3u, 0x3F5744FDu)]
    [InlineData(0x3F3504F4u, 0x3F5744FDu)]
    [InlineData(0x3F7FFFFFu, 0x3F7FFFFFu)]
    [InlineData(0x3F800000u, 0x3F800000u)]
    [InlineData(0x3F800001u, 0x3F800000u)]
    [InlineData(0x402DF854u, 0x3FD3094Cu)]
    [InlineData(0x33D6BF95u, 0x39A5CB5Fu)]
    [InlineData(0x0063A82Du, 0x1FE1E2BEu)]
    [InlineData(0x7F1FC62Cu, 0x5F4A3E2Cu)]
    [InlineData(0x7F7FFFFFu, 0x5F7FFFFFu)]
    [InlineData(0x7F800000u, 0x7F800000u)]
    [InlineData(0xFF800000u, 0xFFC00000u)]
    [InlineData(0xBF800000u, 0xFFC00000u)]
    [InlineData(0x7FC00000u, 0x7FC00000u)]
    [InlineData(0xFFC00000u, 0xFFC00000u)]
    [InlineData(0x7F800001u, 0x7FC00001u)]
    [InlineData(0xFFFFFFFFu, 0xFFFFFFFFu)]
    public void SqrtGivesTheBitsOfNumPy(uint x, uint expected) => Check<SqrtKernel>(x, expected);

    private static void Check<TKernel>(uint x, uint expected)
        where TKernel : struct, IVectorKernel
    {
        // Alone, in the middle of a vector, and in the last place.
        uint[] patterns = [.. Enumerable.Repeat(0x3F800000u, 37)];
        patterns[4] = patterns[36] = x;
        Kernel[] widths =
            [Elementwise.Run<TKernel>, Elementwise.Run512<TKernel>, Elementwise.Run256<TKernel>];
        foreach (Kernel kernel in widths)
        {
            Assert.Equal([expected], Run(kernel, [x]));
            uint[] results = Run(kernel, patterns);
            Assert.Equal((expected, expected), (results[4], results[36]));
        }
    }

    [Fact]
    public void BothVectorWidthsGiveTheSameBits()
    {
        Random random = new(1);
        uint[] patterns = new uint[1 << 18];
        for (int i = 0; i < patterns.Length; i++)
        {
            patterns[i] = i % 2 == 0
                ? (uint)random.NextInt64(1L << 32)
                : BitConverter.SingleToUInt32Bits(random.NextSingle() * 200 - 108);
        }
        Assert.Equal(Run(Elementwise.Run512<ExpKernel>, patterns), Run(Elementwise.Run256<ExpKernel>, patterns));
        Assert.Equal(Run(Elementwise.Run512<LogKernel>, patterns), Run(Elementwise.Run256<LogKernel>, patterns));
        Assert.Equal(Run(Elementwise.Run512<SqrtKernel>, patterns), Run(Elementwise.Run256<SqrtKernel>, patterns));
    }

    [Fact]
    public void ResultsDoNotDependOnLengthOrPlace()
    {
        uint[] patterns = [.. Enumerable.Range(0, 70).Select(i => BitConverter.SingleToUInt32Bits(i * 2.7f - 95))];
        uint[] single = [.. patterns.SelectMany(pattern => Run(Elementwise.Run<ExpKernel>, [pattern]))];
        for (int length = 0; length <= patterns.Length; length++)
        {
            Assert.Equal(single[..length], Run(Elementwise.Run512<ExpKernel>, patterns[..length]));
            Assert.Equal(single[..length], Run(Elementwise.Run256<ExpKernel>, patterns[..length]));
        }
    }
}
