using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace Cotrain.Interop;

/// <summary>What NumSharp's bits can depend on in the .NET runtime, for the pins.</summary>
public static class RuntimeFacts
{
    /// <summary><c>.NET 10.0.12</c></summary>
    public static string Runtime => RuntimeInformation.FrameworkDescription;

    /// <summary><c>x64</c>, <c>arm64</c></summary>
    public static string Architecture => RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();

    /// <summary>Bits of <see cref="Vector{T}"/>.</summary>
    public static int VectorBits => Vector<byte>.Count * 8;

    /// <summary>The widest fixed vector that the processor computes with directly, in bits; 0 for none.</summary>
    public static int WidestVectorBits =>
        Vector512.IsHardwareAccelerated ? 512
        : Vector256.IsHardwareAccelerated ? 256
        : Vector128.IsHardwareAccelerated ? 128
        : 0;

    /// <summary>The instruction sets that decide which kernels NumSharp takes, those that are in use.</summary>
    public static string InstructionSets
    {
        get
        {
            (string Name, bool Used)[] sets =
            [
                ("AVX", Avx.IsSupported),
                ("AVX2", Avx2.IsSupported),
                ("FMA", Fma.IsSupported),
                ("AVX512F", Avx512F.IsSupported),
                ("AVX512BW", Avx512BW.IsSupported),
                ("AVX512DQ", Avx512DQ.IsSupported),
                ("AdvSimd", AdvSimd.IsSupported),
            ];
            return string.Join(' ', sets.Where(set => set.Used).Select(set => set.Name));
        }
    }
}
