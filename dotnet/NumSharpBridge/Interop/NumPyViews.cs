using System.Runtime.InteropServices;
using NumSharp;
using NumSharp.Backends.Unmanaged;

namespace Cotrain.Interop;

/// <summary>NumPy arrays over NumSharp memory: describes an NDArray and keeps its memory for the view.</summary>
public static unsafe class NumPyViews
{
    private static long count;

    /// <summary>
    /// Describes <paramref name="array"/> at <paramref name="descriptor"/> and takes a counted reference to
    /// its memory, which lasts, whatever happens to the array, until <c>Close</c> gets the returned handle.
    /// </summary>
    /// <exception cref="CotrainException">The array was disposed, or has too many axes.</exception>
    public static long Open(NDArray array, long descriptor)
    {
        Shape shape = array.Shape;
        if (shape.NDim > ArrayDescriptor.MaxAxes)
        {
            throw new CotrainException($"NumPy has at most {ArrayDescriptor.MaxAxes} axes, the NDArray has {shape.NDim}");
        }
        // Freed memory goes to a pool and comes back as somebody else's array, hence the count. It is taken on
        // the slice and not with a second NDArray, which an NDScope around the caller would dispose.
        IArraySlice? memory = array.GetData();
        if (memory is null || !memory.TryAddRef())
        {
            throw new CotrainException("this NDArray was disposed: its memory is gone");
        }
        int itemSize = array.dtypesize;
        ArrayDescriptor target = new(descriptor)
        {
            Address = (byte*)memory.Address + (shape.Offset * itemSize),
            TypeCode = array.typecode,
            // A broadcast array would be written in many elements at once.
            Writeable = shape.IsWriteable && !shape.IsBroadcasted,
            Axes = shape.NDim,
        };
        for (int axis = 0; axis < shape.NDim; axis++)
        {
            target.Shape[axis] = shape.Dimensions[axis];
            target.Strides[axis] = shape.Strides[axis] * itemSize;
        }
        Interlocked.Increment(ref count);
        return GCHandle.ToIntPtr(GCHandle.Alloc(memory));
    }

    /// <summary>How many views hold NumSharp memory.</summary>
    public static long Count() => Interlocked.Read(ref count);

    [UnmanagedCallersOnly]
    private static void Close(long handle)
    {
        try
        {
            GCHandle held = GCHandle.FromIntPtr((nint)handle);
            // Abandon, not Release: Release frees at once even when C# code still reads through a bare slice
            // that holds no count; after Abandon the memory lives as long as anything can reach it.
            (held.Target as IArraySlice)?.Abandon();
            held.Free();
            Interlocked.Decrement(ref count);
        }
        catch
        {
            // Called by Python's collector: there is nobody to tell, and nothing may leave a native boundary.
        }
    }
}
