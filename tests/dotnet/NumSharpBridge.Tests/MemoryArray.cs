using System.Runtime.InteropServices;
using Cotrain.Lockstep;
using NumSharp;

namespace Cotrain.Tests;

/// <summary>Memory with a shape and byte strides that lives as long as this object; makes operands.</summary>
internal sealed unsafe class MemoryArray<T> : IDisposable
    where T : unmanaged
{
    private readonly byte* _memory;
    private readonly long* _axes;
    private readonly int _typeCode;
    private readonly int _ndim;
    private readonly long _origin;

    public MemoryArray(NPTypeCode typeCode, T[] memory, long[] shape, long[] strides, long origin = 0)
    {
        _typeCode = (int)typeCode;
        _ndim = shape.Length;
        _origin = origin;
        _memory = (byte*)NativeMemory.Alloc((nuint)Math.Max(1, memory.Length * sizeof(T)));
        memory.CopyTo(new Span<T>(_memory, memory.Length));
        _axes = (long*)NativeMemory.Alloc((nuint)Math.Max(1, 2 * _ndim * sizeof(long)));
        shape.CopyTo(new Span<long>(_axes, _ndim));
        strides.CopyTo(new Span<long>(_axes + _ndim, _ndim));
    }

    /// <summary>One axis without gaps.</summary>
    public MemoryArray(NPTypeCode typeCode, params T[] memory)
        : this(typeCode, memory, [memory.Length], [sizeof(T)])
    {
    }

    /// <summary>The start of the memory; element [0, 0, …] is <c>origin</c> bytes behind it.</summary>
    public byte* Memory => _memory;

    public Operand Operand => new(_memory + _origin, _typeCode, sizeof(T), _ndim, _axes, _axes + _ndim);

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        NativeMemory.Free(_axes);
    }
}
