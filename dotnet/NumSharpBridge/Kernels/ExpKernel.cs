using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Cotrain.Kernels;

/// <summary>
/// float32 e^x with the bits of NumPy 2.4.2 where that dispatches to AVX2 with FMA or to AVX-512; the two
/// give the same bits on all 2^32 inputs.
/// <para>
/// x = k·ln 2 + r with |r| ≤ ln 2 / 2, e^r as a quotient of polynomials in r, then the scaling by 2^k. Each
/// rounding below is NumPy's. k comes from x·log2(e) rounded to a float, plus and minus a constant that leaves
/// no fraction bits: fusing that product with the sum is what makes NumSharp's own exp differ by an ulp on
/// some inputs. C# never fuses by itself.
/// </para>
/// </summary>
internal readonly struct ExpKernel : IVectorKernel
{
    private const float Log2E = 1.44269504f;
    // 1.5 · 2^23: a float of this size has no fraction bits, and its low bits count in ones.
    private const float RoundingShift = 12582912f;
    // −ln 2 in two parts; the first has trailing zeros, so that k times it is exact.
    private const float MinusLn2High = -0.693145752f;
    private const float MinusLn2Low = -1.42860677e-6f;
    // At and above this, infinity; at and below Smallest, zero.
    private const float Largest = 88.7228394f;
    private const float Smallest = -103.972084f;
    private const float P0 = 1f;
    private const float P1 = 0.725766461f;
    private const float P2 = 0.247361543f;
    private const float P3 = 0.0511451208f;
    private const float P4 = 0.00675789699f;
    private const float P5 = 0.000508276253f;
    private const float Q0 = 1f;
    private const float Q1 = -0.274233539f;
    private const float Q2 = 0.0215950937f;
    // NumPy's NaN whatever the input's sign and payload; float.NaN is the negative one.
    private const int QuietNaN = 0x7FC00000;
    private const int ExponentBias = 127;
    private const int MantissaBits = 23;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<float> Of(Vector512<float> x)
    {
        if (!Avx512F.IsSupported)
        {
            return Vector512.Create(Of(x.GetLower()), Of(x.GetUpper()));
        }
        Vector512<float> shift = Vector512.Create(RoundingShift);
        Vector512<float> shifted = x * Vector512.Create(Log2E) + shift;
        Vector512<float> k = shifted - shift;
        Vector512<float> r = Vector512.FusedMultiplyAdd(k, Vector512.Create(MinusLn2High), x);
        r = Vector512.FusedMultiplyAdd(k, Vector512.Create(MinusLn2Low), r);
        Vector512<float> p = Vector512.FusedMultiplyAdd(Vector512.Create(P5), r, Vector512.Create(P4));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P3));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P2));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P1));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P0));
        Vector512<float> q = Vector512.FusedMultiplyAdd(Vector512.Create(Q2), r, Vector512.Create(Q1));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q0));
        // Times 2^k, rounded once: denormal results, infinity.
        Vector512<float> y = Avx512F.Scale(p / q, k);
        // What was computed for inputs out of range is replaced.
        y = Vector512.ConditionalSelect(
            Vector512.GreaterThanOrEqual(x, Vector512.Create(Largest)), Vector512.Create(float.PositiveInfinity), y);
        y = Vector512.ConditionalSelect(
            Vector512.LessThanOrEqual(x, Vector512.Create(Smallest)), Vector512<float>.Zero, y);
        return Vector512.ConditionalSelect(Vector512.Equals(x, x), y, Vector512.Create(QuietNaN).AsSingle());
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<float> Of(Vector256<float> x)
    {
        Vector256<float> shift = Vector256.Create(RoundingShift);
        Vector256<float> shifted = x * Vector256.Create(Log2E) + shift;
        Vector256<float> k = shifted - shift;
        Vector256<float> r = Vector256.FusedMultiplyAdd(k, Vector256.Create(MinusLn2High), x);
        r = Vector256.FusedMultiplyAdd(k, Vector256.Create(MinusLn2Low), r);
        Vector256<float> p = Vector256.FusedMultiplyAdd(Vector256.Create(P5), r, Vector256.Create(P4));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P3));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P2));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P1));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P0));
        Vector256<float> q = Vector256.FusedMultiplyAdd(Vector256.Create(Q2), r, Vector256.Create(Q1));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q0));
        // 2^k in two factors: the first product is exact, the second rounds once, to a denormal if need be.
        Vector256<int> exponent = shifted.AsInt32() - shift.AsInt32();
        Vector256<int> main = Vector256.Min(
            Vector256.Max(exponent, Vector256.Create(2 - ExponentBias)), Vector256.Create(ExponentBias));
        Vector256<int> rest = exponent - main;
        Vector256<float> y = p / q;
        y *= ((main + Vector256.Create(ExponentBias)) << MantissaBits).AsSingle();
        y *= ((rest + Vector256.Create(ExponentBias)) << MantissaBits).AsSingle();
        y = Vector256.ConditionalSelect(
            Vector256.GreaterThanOrEqual(x, Vector256.Create(Largest)), Vector256.Create(float.PositiveInfinity), y);
        y = Vector256.ConditionalSelect(
            Vector256.LessThanOrEqual(x, Vector256.Create(Smallest)), Vector256<float>.Zero, y);
        return Vector256.ConditionalSelect(Vector256.Equals(x, x), y, Vector256.Create(QuietNaN).AsSingle());
    }
}
