using System.Runtime.CompilerServices;
using NumSharp;

namespace Cotrain.Testing;

/// <summary>
/// The <see cref="ITaps"/> of a layer that is called by itself: keeps a copy of each value as it was at that
/// moment. Copies lie in managed memory, so a scope of the layer's cannot take them away.
/// </summary>
public sealed unsafe class RecordingTaps : ITaps
{
    private readonly List<RecordedTap> _taps = [];

    /// <summary>What was handed in since <see cref="Clear"/>, in order.</summary>
    public RecordedTap[] Taps => [.. _taps];

    /// <summary>How much that is.</summary>
    public int Count => _taps.Count;

    /// <summary>Forgets everything.</summary>
    public void Clear() => _taps.Clear();

    /// <inheritdoc/>
    public NDArray Tap(string name, NDArray value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
    {
        Record(name, value, file, line);
        return value;
    }

    /// <summary>As <see cref="Tap(string, NDArray, string, int)"/>, for an array that no source line taps.</summary>
    public void Record(string name, NDArray value, string file = "", int line = 0)
    {
        Shape shape = value.Shape;
        long[] extents = (long[])shape.Dimensions.Clone();
        int itemSize = value.dtypesize;
        byte[] bytes = new byte[value.size * itemSize];
        byte* origin = (byte*)value.GetData().Address + (shape.Offset * itemSize);
        fixed (byte* to = bytes)
        {
            Copy(origin, extents, shape.Strides, itemSize, 0, to);
        }
        GC.KeepAlive(value);
        _taps.Add(new RecordedTap(name, (int)value.typecode, extents, bytes, file, line));
    }

    /// <inheritdoc/>
    public void Tap<T>(string name, ref T value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : unmanaged
    {
        byte[] bytes = new byte[sizeof(T)];
        Unsafe.WriteUnaligned(ref bytes[0], value);
        _taps.Add(new RecordedTap(name, (int)typeof(T).GetTypeCode(), [], bytes, file, line));
    }

    /// <summary>Copies the axes from <paramref name="axis"/> on; returns where the next element goes.</summary>
    private static byte* Copy(byte* from, long[] extents, long[] strides, int itemSize, int axis, byte* to)
    {
        if (axis == extents.Length)
        {
            Buffer.MemoryCopy(from, to, itemSize, itemSize);
            return to + itemSize;
        }
        if (axis == extents.Length - 1 && strides[axis] == 1)
        {
            long row = extents[axis] * itemSize;
            Buffer.MemoryCopy(from, to, row, row);
            return to + row;
        }
        for (long index = 0; index < extents[axis]; index++)
        {
            to = Copy(from + (index * strides[axis] * itemSize), extents, strides, itemSize, axis + 1, to);
        }
        return to;
    }
}
