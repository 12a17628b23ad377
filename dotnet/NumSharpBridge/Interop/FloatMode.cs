using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cotrain.Interop;

/// <summary>
/// The floating-point modes of the calling thread, found out by arithmetic because .NET cannot read the
/// control register. A library that was compiled for fast arithmetic changes them for a whole thread by
/// merely being loaded. <c>cotrain/floatmode.py</c> asks the same questions of NumPy.
/// </summary>
public static class FloatMode
{
    /// <summary>Results below the smallest normal number become zero.</summary>
    public const int FlushesResults = 1;

    /// <summary>Operands below the smallest normal number count as zero.</summary>
    public const int FlushesOperands = 2;

    /// <summary>Rounds towards minus infinity; the modes 4, 8 and 12 exclude each other.</summary>
    public const int RoundsDown = 4;

    /// <summary>Rounds towards plus infinity.</summary>
    public const int RoundsUp = 8;

    /// <summary>Rounds towards zero.</summary>
    public const int RoundsToZero = 12;

    /// <summary>0 for what IEEE 754 has by default, else a sum of the constants.</summary>
    [MethodImpl(MethodImplOptions.NoOptimization)]
    public static int Probe()
    {
        float smallestNormal = Value(0x0080_0000);
        float denormal = Value(0x0040_0000);
        float one = Value(0x3F80_0000);
        float minusOne = Value(0xBF80_0000);
        float halfUlp = Value(0x3380_0000);
        float moreThanHalfUlp = Value(0x33C0_0000);

        // Bits are looked at, not values: where operands are flushed, a denormal equals zero.
        int mode = 0;
        mode |= Bits(smallestNormal * Value(0x3F00_0000)) == 0 ? FlushesResults : 0;
        mode |= Bits(denormal * Value(0x4000_0000)) == 0 ? FlushesOperands : 0;
        if (Bits(one + halfUlp) != 0x3F80_0000)
        {
            mode |= RoundsUp;
        }
        else if (Bits(minusOne - halfUlp) != 0xBF80_0000)
        {
            mode |= RoundsDown;
        }
        else if (Bits(one + moreThanHalfUlp) == 0x3F80_0000)
        {
            mode |= RoundsToZero;
        }
        return mode;
    }

    [UnmanagedCallersOnly]
    private static int ProbeThread()
    {
        try
        {
            return Probe();
        }
        catch
        {
            return -1;
        }
    }

    // Not inlined: the compiler would compute the answers itself, in its own mode.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static float Value(uint bits) => BitConverter.UInt32BitsToSingle(bits);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static uint Bits(float value) => BitConverter.SingleToUInt32Bits(value);
}
