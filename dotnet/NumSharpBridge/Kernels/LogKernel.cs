using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cotrain.Kernels;

/// <summary>
/// float32 natural logarithm with the bits of NumPy 2.4.2 where that dispatches to AVX2 with FMA or to AVX-512; the
/// two give the same bits on all 2^32 inputs.
/// <para>
/// x = m·2^k with √½ &lt; m ≤ √2 (as floats), log m as a quotient of polynomials in m − 1, plus k·ln 2 in one fused
/// rounding. NumPy finds m and k with other instructions; both are exact, so only the roundings below count.
/// </para>
/// </summary>
internal readonly struct LogKernel : IVectorKernel
{
    private const float Ln2 = 0.693147182f;
    // The bits of the float after √½: what lies below it counts as twice as much and one k less.
    private const int AboveSqrtHalf = 0x3F3504F4;
    private const int MantissaBits = 23;
    // The smallest normal float; denormals are scaled by 2^32 first.
    private const float Smallest = 1.17549435e-38f;
    private const float Scale = 4294967296f;
    private const int ScaleExponent = 32;
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
    // NumPy's NaN of a NaN, whatever its sign and payload, and of what is below zero.
    private const int QuietNaN = 0x7FC00000;
    private const int NegativeNaN = unchecked((int)0xFFC00000);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<float> Of(Vector512<float> x)
    {
        Vector512<int> bits = x.AsInt32();
        Vector512<int> scaling = Vector512<int>.Zero;
        // Rare; computed for every vector it can take three times as long as all the rest.
        if (Vector512.LessThanAny(x, Vector512.Create(Smallest)))
        {
            Vector512<float> denormal = Vector512.LessThan(x, Vector512.Create(Smallest));
            bits = Vector512.ConditionalSelect(denormal, x * Vector512.Create(Scale), x).AsInt32();
            scaling = denormal.AsInt32() & Vector512.Create(ScaleExponent);
        }
        Vector512<int> k = (bits - Vector512.Create(AboveSqrtHalf)) >> MantissaBits;
        Vector512<float> r = (bits - (k << MantissaBits)).AsSingle() - Vector512<float>.One;
        k -= scaling;
        Vector512<float> p = Vector512.FusedMultiplyAdd(Vector512.Create(P5), r, Vector512.Create(P4));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P3));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P2));
        p = Vector512.FusedMultiplyAdd(p, r, Vector512.Create(P1));
        // P0 is zero, and so is what fusing it would change.
        p *= r;
        Vector512<float> q = Vector512.FusedMultiplyAdd(Vector512.Create(Q5), r, Vector512.Create(Q4));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q3));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q2));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q1));
        q = Vector512.FusedMultiplyAdd(q, r, Vector512.Create(Q0));
        Vector512<float> y = Vector512.FusedMultiplyAdd(Vector512.ConvertToSingle(k), Vector512.Create(Ln2), p / q);
        // What was computed for inputs without a logarithm, or with an infinite one, is replaced.
        Vector512<float> infinity = Vector512.Create(float.PositiveInfinity);
        y = Vector512.ConditionalSelect(Vector512.Equals(x, infinity), infinity, y);
        y = Vector512.ConditionalSelect(
            Vector512.LessThan(x, Vector512<float>.Zero), Vector512.Create(NegativeNaN).AsSingle(), y);
        y = Vector512.ConditionalSelect(
            Vector512.Equals(x, Vector512<float>.Zero), Vector512.Create(float.NegativeInfinity), y);
        return Vector512.ConditionalSelect(Vector512.Equals(x, x), y, Vector512.Create(QuietNaN).AsSingle());
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<float> Of(Vector256<float> x)
    {
        Vector256<int> bits = x.AsInt32();
        Vector256<int> scaling = Vector256<int>.Zero;
        // Rare; computed for every vector it can take three times as long as all the rest.
        if (Vector256.LessThanAny(x, Vector256.Create(Smallest)))
        {
            Vector256<float> denormal = Vector256.LessThan(x, Vector256.Create(Smallest));
            bits = Vector256.ConditionalSelect(denormal, x * Vector256.Create(Scale), x).AsInt32();
            scaling = denormal.AsInt32() & Vector256.Create(ScaleExponent);
        }
        Vector256<int> k = (bits - Vector256.Create(AboveSqrtHalf)) >> MantissaBits;
        Vector256<float> r = (bits - (k << MantissaBits)).AsSingle() - Vector256<float>.One;
        k -= scaling;
        Vector256<float> p = Vector256.FusedMultiplyAdd(Vector256.Create(P5), r, Vector256.Create(P4));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P3));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P2));
        p = Vector256.FusedMultiplyAdd(p, r, Vector256.Create(P1));
        // P0 is zero, and so is what fusing it would change.
        p *= r;
        Vector256<float> q = Vector256.FusedMultiplyAdd(Vector256.Create(Q5), r, Vector256.Create(Q4));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q3));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q2));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q1));
        q = Vector256.FusedMultiplyAdd(q, r, Vector256.Create(Q0));
        Vector256<float> y = Vector256.FusedMultiplyAdd(Vector256.ConvertToSingle(k), Vector256.Create(Ln2), p / q);
        // What was computed for inputs without a logarithm, or with an infinite one, is replaced.
        Vector256<float> infinity = Vector256.Create(float.PositiveInfinity);
        y = Vector256.ConditionalSelect(Vector256.Equals(x, infinity), infinity, y);
        y = Vector256.ConditionalSelect(
            Vector256.LessThan(x, Vector256<float>.Zero), Vector256.Create(NegativeNaN).AsSingle(), y);
        y = Vector256.ConditionalSelect(
            Vector256.Equals(x, Vector256<float>.Zero), Vector256.Create(float.NegativeInfinity), y);
        return Vector256.ConditionalSelect(Vector256.Equals(x, x), y, Vector256.Create(QuietNaN).AsSingle());
    }
}
