using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Cotrain.Blas;

/// <summary>
/// Clears the upper halves of the vector registers before a native call. The interface layer of OpenBLAS is
/// plain SSE code, which some x86-64 processors slow down by about 0.1 µs a call, twice over, while those
/// halves are in use; and the JIT uses them to copy structures, but does not clear them before it calls
/// through a function pointer.
/// </summary>
internal static unsafe class VectorState
{
    // Not on the stack: the JIT would see that nobody reads it, and drop the 256-bit code altogether.
    private static readonly byte* s_room = (byte*)NativeMemory.AlignedAlloc(64, 64);

    /// <summary>Runs 256-bit code in a method of its own, at whose end the JIT does clear them.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Clear()
    {
        if (Vector256.IsHardwareAccelerated)
        {
            Vector256<byte>.Zero.Store(s_room);
        }
    }
}
