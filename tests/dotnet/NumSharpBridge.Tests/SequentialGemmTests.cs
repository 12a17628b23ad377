using System.Numerics;
using Cotrain.Blas;
using NumSharp;

namespace Cotrain.Tests;

/// <summary>Products in one fixed order against the definition, element by element.</summary>
public unsafe class SequentialGemmTests
{
    private delegate void Multiply<T>(in MatrixLayout a, T* x, in MatrixLayout b, T* y, in MatrixLayout c, T* z)
        where T : unmanaged;

    /// <summary>Rows and columns around a tile's, lengths around a block's.</summary>
    public static TheoryData<int, int, int> Shapes => new()
    {
        { 4, 256, 32 }, { 5, 257, 33 }, { 3, 255, 31 }, { 9, 512, 70 }, { 1, 784, 40 }, { 40, 784, 1 }, { 13, 100, 16 },
        { 64, 1, 17 }, { 1, 300, 1 }, { 6, 600, 48 }, { 128, 20, 10 },
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    public void EveryVectorWidthGivesTheDefinition(int m, int k, int n)
    {
        Check<float>(m, k, n, SequentialGemm.Product<float>);
        Check<float>(m, k, n, SequentialGemm.Product<Lanes512<float>, float>);
        Check<float>(m, k, n, SequentialGemm.Product<Lanes256<float>, float>);
        Check<float>(m, k, n, SequentialGemm.Product<Lanes128<float>, float>);
        Check<double>(m, k, n, SequentialGemm.Product<double>);
        Check<double>(m, k, n, SequentialGemm.Product<Lanes512<double>, double>);
        Check<double>(m, k, n, SequentialGemm.Product<Lanes256<double>, double>);
        Check<double>(m, k, n, SequentialGemm.Product<Lanes128<double>, double>);
    }

    [Fact]
    public void TheFirstNaNOfAChainStays()
    {
        float[] nans = [BitConverter.UInt32BitsToSingle(0x7FC00011), BitConverter.UInt32BitsToSingle(0xFFC00022)];
        var a = new float[8 * 20];
        var b = new float[20 * 40];
        Array.Fill(a, 1f);
        Array.Fill(b, 1f);
        a[7] = nans[1];
        a[11] = float.PositiveInfinity;
        b[(7 * 40) + 3] = nans[0];
        b[(5 * 40) + 9] = nans[0];
        var c = new float[8 * 40];
        fixed (float* x = a, y = b, z = c)
        {
            SequentialGemm.Product(
                new MatrixLayout(8, 20, 20, 1), x, new MatrixLayout(20, 40, 40, 1), y, new MatrixLayout(8, 40, 40, 1), z);
        }
        Assert.Equal(0xFFC00022, BitConverter.SingleToUInt32Bits(c[0]));
        Assert.Equal(0xFFC00022, BitConverter.SingleToUInt32Bits(c[3])); // of two factors the left one's
        Assert.Equal(0x7FC00011u, BitConverter.SingleToUInt32Bits(c[9])); // k 5 comes before k 7
        Assert.Equal(0x7FC00011u, BitConverter.SingleToUInt32Bits(c[40 + 3]));
        Assert.Equal(20f, c[40]);
    }

    [Fact]
    public void NumSharpUsesItAndTheNameSaysSo()
    {
        BlasBackends.UseSequential();
        try
        {
            Assert.Equal("sequential", BlasBackends.Name);
            NDArray a = np.array(new[] { -0f, 1f + (1f / 4096) }).reshape(1, 2);
            NDArray b = np.array(new[] { 1f, 1f + (1f / 4096) }).reshape(2, 1);
            // The square rounds to 1 + 2⁻¹¹ before anything is added.
            Assert.Equal(1f + (1f / 2048), np.dot(a, b).GetAtIndex<float>(0));
            NDArray zero = np.dot(a[":, :1"], b[":1"]);
            Assert.Equal(0u, BitConverter.SingleToUInt32Bits(zero.GetAtIndex<float>(0)));
            Assert.Throws<IncorrectShapeException>(() => np.dot(a, a));
        }
        finally
        {
            BlasBackends.UseNative();
        }
        Assert.Equal("native", BlasBackends.Name);
    }

    private static void Check<T>(int m, int k, int n, Multiply<T> multiply)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var random = new Random(m + (1000 * k) + n);
        T[] left = Numbers<T>(random, m * k);
        T[] right = Numbers<T>(random, k * n);
        var expected = new T[m * n];
        for (int i = 0; i < m; i++)
        {
            for (int j = 0; j < n; j++)
            {
                T sum = T.Zero;
                for (int p = 0; p < k; p++)
                {
                    T product = left[(i * k) + p] * right[(p * n) + j];
                    sum += product;
                }
                expected[(i * n) + j] = sum;
            }
        }
        foreach (bool leftColumns in (bool[])[false, true])
        {
            foreach (bool rightColumns in (bool[])[false, true])
            {
                foreach (bool resultColumns in (bool[])[false, true])
                {
                    MatrixLayout a = Layout(m, k, leftColumns);
                    MatrixLayout b = Layout(k, n, rightColumns);
                    MatrixLayout c = Layout(m, n, resultColumns);
                    var result = new T[m * n];
                    fixed (T* x = Placed(left, a, k), y = Placed(right, b, n), z = result)
                    {
                        multiply(a, x, b, y, c, z);
                    }
                    Assert.Equal(Placed(expected, c, n), result);
                }
            }
        }
    }

    private static T[] Numbers<T>(Random random, int count) where T : unmanaged, IFloatingPointIeee754<T> =>
        Enumerable.Range(0, count).Select(_ => T.CreateTruncating((random.NextDouble() * 2) - 1)).ToArray();

    private static MatrixLayout Layout(int rows, int columns, bool columnMajor) =>
        columnMajor ? new MatrixLayout(rows, columns, 1, rows) : new MatrixLayout(rows, columns, columns, 1);

    /// <summary>A row major matrix in another layout.</summary>
    private static T[] Placed<T>(T[] rowMajor, MatrixLayout layout, int columns)
    {
        var placed = new T[rowMajor.Length];
        for (int i = 0; i < rowMajor.Length; i++)
        {
            placed[(i / columns * layout.RowStride) + (i % columns * layout.ColumnStride)] = rowMajor[i];
        }
        return placed;
    }
}
