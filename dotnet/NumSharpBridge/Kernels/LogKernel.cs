using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Cotrain.Kernels;

/// <summary>
/// Natural logarithm in float32 with the bits of NumPy 2.4.2 where that dispatches to AVX2 with FMA or to AVX-512; the
/// two give the same bits on all 2^32 inputs.
/// <para>
/// x = m·2^k with m between sqrt(1/2) and sqrt(2); log m as a quotient of polynomials in m − 1, to which k·ln 2 is added
/// in one rounding. Each rounding below is NumPy's.
/// </para>
/// </summary>
internal readonly struct LogKernel : IVectorKernel
{
    private const float Ln2 = 0.693147182f;
    private const float RootOfHalf = 0.707106769f;
    private const float P0 = 0f;
    private const float P1 = 1f;
    private const float P2 = 2.11267757f;
    private const float P3 = 1.48000062f;
    private const float P4 = 0.380883783f;
    private const float P5 = 0.0258997921f;
    private const float Q0 = 1f;
    private const float Q1 = 2.61267757f;
    private const float Q2 = 2.45300603f;
    private const float Q3 = 0.986494303f;
    private const float Q4 = 0.154647633f;
    private const float Q5 = 0.00587509526f;
    // NumPy's NaN for a NaN, whatever its sign and payload, and for a negative number.
    private const int QuietNaN = 0x7FC00000;
    private const int NegativeQuietNaN = unchecked((int)0xFFC00000);
    private const float SmallestNormal = 1.17549435e-38f;
    // Brings every denormal into the normal range, exactly.
    private const float Lift = 1.26765060e30f;
    private const float LiftExponent = 100f;
    private const int MantissaBits = 23;
    private const int MantissaMask = 0x7FFFFF;
    private const int HalfExponent = 126;
    // The mantissa in [0.5, 1), with the operand's sign.
    private const byte HalfToOne = 2;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<float> Of(Vector512<float> x)
    {
        if (!Avx512F.IsSupported)
        {
            return Vector512.Create(Of(x.GetLower()), Of(x.GetUpper()));
        }
        Vector512<float> one = Vector512<float>.One;
        Vector512<float> k = Avx512F.GetExponent(x) + one;
        Vector512<float> m = Avx512F.GetMantissa(x, HalfToOne);
        Vector512<float> small = Vector512.LessThanOrEqual(m, Vector512.Create(RootOfHalf));
        m = Vector512.ConditionalSelect(small, m + m, m);
        k = Vector512.ConditionalSelect(small, k - one, k);
        Vector512<float> r = m - one;
        Vector512<float> p = Vector512.FusedMultiplyAdd(Vector512.Create(P5), r, Vector512.Create(P4));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P3));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P2));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P1));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P0));
        Vector512<float> q = Vector512.FusedMultiplyAdd(Vector512.Create(Q5), r, Vector512.Create(Q4));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q3));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q2));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q1));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q0));
        Vector512<float> y = Vector512.FusedMultiplyAdd(k, Vector512.Create(Ln2), p / q);
        // What was computed for zero, infinity, negative numbers and NaN is replaced.
        y = Vector512.ConditionalSelect(
            Vector512.Equals(x, Vector512<float>.Zero), Vector512.Create(float.NegativeInfinity), y);
        y = Vector512.ConditionalSelect(Vector512.Equals(x, Vector512.Create(float.PositiveInfinity)), x, y);
        y = Vector512.ConditionalSelect(
            Vector512.LessThan(x, Vector512<float>.Zero), Vector512.Create(NegativeQuietNaN).AsSingle(), y);
        return Vector512.ConditionalSelect(Vector512.Equals(x, x), y, Vector512.Create(QuietNaN).AsSingle());
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<float> Of(Vector256<float> x)
    {
        Vector256<float> one = Vector256<float>.One;
        Vector256<float> denormal = Vector256.LessThan(x, Vector256.Create(SmallestNormal));
        Vector256<int> bits = Vector256.ConditionalSelect(denormal, x * Vector256.Create(Lift), x).AsInt32();
        Vector256<float> k = Vector256.ConvertToSingle(
            Vector256.ShiftRightLogical(bits, MantissaBits) - Vector256.Create(HalfExponent));
        k = Vector256.ConditionalSelect(denormal, k - Vector256.Create(LiftExponent), k);
        Vector256<float> m =
            ((bits & Vector256.Create(MantissaMask)) | Vector256.Create(HalfExponent << MantissaBits)).AsSingle();
        Vector256<float> small = Vector256.LessThanOrEqual(m, Vector256.Create(RootOfHalf));
        m = Vector256.ConditionalSelect(small, m + m, m);
        k = Vector256.ConditionalSelect(small, k - one, k);
        Vector256<float> r = m - one;
        Vector256<float> p = Vector256.FusedMultiplyAdd(Vector256.Create(P5), r, Vector256.Create(P4));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P3));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P2));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P1));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P0));
        Vector256<float> q = Vector256.FusedMultiplyAdd(Vector256.Create(Q5), r, Vector256.Create(Q4));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q3));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q2));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q1));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q0));
        Vector256<float> y = Vector256.FusedMultiplyAdd(k, Vector256.Create(Ln2), p / q);
        y = Vector256.ConditionalSelect(
            Vector256.Equals(x, Vector256<float>.Zero), Vector256.Create(float.NegativeInfinity), y);
        y = Vector256.ConditionalSelect(Vector256.Equals(x, Vector256.Create(float.PositiveInfinity)), x, y);
        y = Vector256.ConditionalSelect(
            Vector256.LessThan(x, Vector256<float>.Zero), Vector256.Create(NegativeQuietNaN).AsSingle(), y);
        return Vector256.ConditionalSelect(Vector256.Equals(x, x), y, Vector256.Create(QuietNaN).AsSingle());
    }
}
