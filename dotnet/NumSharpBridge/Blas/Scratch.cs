using System.Runtime.InteropServices;

namespace Cotrain.Blas;

/// <summary>
/// Native memory for the copies of one product. Blocks start at the same boundary as NumPy's own copies do
/// (16 bytes, malloc's), since some kernels add in another order on addresses that are less aligned.
/// Passed by reference only.
/// </summary>
internal unsafe struct Scratch
{
    private const int Capacity = 4;
    private const nuint Alignment = 64;

    private fixed long _blocks[Capacity];
    private int _count;

    /// <summary>Uninitialised room for <paramref name="count"/> elements, freed with the scratch.</summary>
    internal T* Take<T>(long count) where T : unmanaged
    {
        void* block = NativeMemory.AlignedAlloc(Math.Max((nuint)(count * sizeof(T)), Alignment), Alignment);
        _blocks[_count++] = (long)block;
        return (T*)block;
    }

    /// <summary>Frees all blocks.</summary>
    public void Dispose()
    {
        while (_count > 0)
        {
            NativeMemory.AlignedFree((void*)_blocks[--_count]);
        }
    }
}
