using System.Collections.Concurrent;
using System.Numerics;
using System.Runtime.InteropServices;
using NumSharp;
using NumSharp.Backends;
using NumSharp.Backends.Unmanaged;

namespace Cotrain.Interop;

/// <summary>NDArrays over NumPy memory.</summary>
public static unsafe class NumPyArrays
{
    // Below this an import says nothing to the collector: telling it costs more than the memory is worth.
    private const long PressureFromBytes = 64 * 1024;

    // Tokens of NumPy arrays that NumSharp no longer needs. It releases memory on whatever thread, mostly the
    // finalizer's, which must not wait for Python's lock; Python fetches the tokens when it next comes by.
    private static readonly ConcurrentQueue<long> Released = new();

    /// <summary>
    /// An NDArray over the memory that <paramref name="descriptor"/> describes, without a copy. Its owner is
    /// kept by Python under <paramref name="token"/> until <c>Drain</c> returns that token.
    /// </summary>
    /// <exception cref="CotrainException">The element type is unknown.</exception>
    public static NDArray Import(long descriptor, long token)
    {
        ArrayDescriptor source = new(descriptor);
        int itemSize = ItemSize(source.TypeCode);
        long[] shape = source.Shape.ToArray();
        long[] strides = new long[shape.Length];
        byte* lowest = source.Address;
        long span = shape.Contains(0) ? 0 : 1;
        List<int> reversed = [];
        for (int axis = shape.Length - 1; axis >= 0; axis--)
        {
            long stride = source.Strides[axis] / itemSize;
            if (shape[axis] <= 1 || span == 0)
            {
                // Never used to find an element, but read as a leading dimension: what NumPy gives new arrays.
                bool last = axis == shape.Length - 1;
                strides[axis] = last ? 1 : strides[axis + 1] * Math.Max(shape[axis + 1], 1);
                continue;
            }
            if (stride < 0)
            {
                reversed.Add(axis);
                lowest += (shape[axis] - 1) * stride * itemSize;
            }
            strides[axis] = Math.Abs(stride);
            span += (shape[axis] - 1) * strides[axis];
        }
        return Wrap(lowest, source, span, shape, strides, reversed, token);
    }

    private static NDArray Wrap(
        byte* lowest, ArrayDescriptor source, long span, long[] shape, long[] strides, List<int> reversed, long token)
    {
        long pressure = span * ItemSize(source.TypeCode) is var bytes && bytes >= PressureFromBytes ? bytes : 0;
        void OnRelease()
        {
            Released.Enqueue(token);
            if (pressure > 0)
            {
                GC.RemoveMemoryPressure(pressure);
            }
        }
        // The whole extent first, as a vector that owns the release; the result is a view of it, so that
        // NumSharp too says that it does not own its data and, of read-only memory, that it stays so.
        using NDArray whole = new(new UnmanagedStorage(Block(source.TypeCode, lowest, span, OnRelease), Shape.Vector(span)));
        if (pressure > 0)
        {
            GC.AddMemoryPressure(pressure);
        }
        if (!source.Writeable)
        {
            whole.flags.writeable = false;
        }
        // No public constructor of Shape takes an offset; the third argument only tells the buffer's size.
        // Axes that run backwards are laid out forwards from the lowest address and then reversed by slicing.
        NDArray view = new(whole.Unsafe.Storage.Alias(new Shape(shape, strides, Shape.Vector(span))));
        if (reversed.Count == 0)
        {
            return view;
        }
        using (view)
        {
            Slice[] slices = new Slice[shape.Length];
            Array.Fill(slices, Slice.All);
            foreach (int axis in reversed)
            {
                slices[axis] = new Slice(null, null, -1);
            }
            return view[slices];
        }
    }

    [UnmanagedCallersOnly]
    private static int Drain(long* tokens, int capacity)
    {
        int count = 0;
        try
        {
            while (count < capacity && Released.TryDequeue(out long token))
            {
                tokens[count++] = token;
            }
        }
        catch
        {
            // The tokens written so far are valid.
        }
        return count;
    }

    private static IArraySlice Block(NPTypeCode type, byte* start, long count, Action onRelease) => type switch
    {
        NPTypeCode.Boolean => Block<bool>(start, count, onRelease),
        NPTypeCode.SByte => Block<sbyte>(start, count, onRelease),
        NPTypeCode.Byte => Block<byte>(start, count, onRelease),
        NPTypeCode.Int16 => Block<short>(start, count, onRelease),
        NPTypeCode.UInt16 => Block<ushort>(start, count, onRelease),
        NPTypeCode.Int32 => Block<int>(start, count, onRelease),
        NPTypeCode.UInt32 => Block<uint>(start, count, onRelease),
        NPTypeCode.Int64 => Block<long>(start, count, onRelease),
        NPTypeCode.UInt64 => Block<ulong>(start, count, onRelease),
        NPTypeCode.Half => Block<Half>(start, count, onRelease),
        NPTypeCode.Single => Block<float>(start, count, onRelease),
        NPTypeCode.Double => Block<double>(start, count, onRelease),
        NPTypeCode.Complex => Block<Complex>(start, count, onRelease),
        _ => throw Unknown(type),
    };

    private static IArraySlice Block<T>(byte* start, long count, Action onRelease)
        where T : unmanaged =>
        new ArraySlice<T>(new UnmanagedMemoryBlock<T>((T*)start, count, onRelease));

    private static int ItemSize(NPTypeCode type) => type switch
    {
        NPTypeCode.Boolean or NPTypeCode.SByte or NPTypeCode.Byte => 1,
        NPTypeCode.Int16 or NPTypeCode.UInt16 or NPTypeCode.Half => 2,
        NPTypeCode.Int32 or NPTypeCode.UInt32 or NPTypeCode.Single => 4,
        NPTypeCode.Int64 or NPTypeCode.UInt64 or NPTypeCode.Double => 8,
        NPTypeCode.Complex => 16,
        _ => throw Unknown(type),
    };

    private static CotrainException Unknown(NPTypeCode type) => new($"no NumPy memory has NumSharp's type {type}");
}
