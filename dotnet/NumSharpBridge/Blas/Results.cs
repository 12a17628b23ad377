using NumSharp;

namespace Cotrain.Blas;

/// <summary>Memory of products.</summary>
internal static unsafe class Results
{
    /// <summary>A new C-ordered array, not cleared.</summary>
    internal static NDArray New(NPTypeCode type, Shape shape) => new(type, shape, fillZeros: false);

    /// <summary>Writes +0 into contiguous elements.</summary>
    internal static void Clear<T>(T* first, long count) where T : unmanaged =>
        System.Runtime.InteropServices.NativeMemory.Clear(first, (nuint)count * (nuint)sizeof(T));
}
