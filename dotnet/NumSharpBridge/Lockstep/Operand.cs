using System.Runtime.InteropServices;

namespace Cotrain.Lockstep;

/// <summary>
/// One array as the comparer sees it: raw memory with NumPy's shape and byte strides. Blittable, so a
/// caller outside .NET can fill one in place; it owns nothing.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly unsafe struct Operand
{
    /// <summary>Address of the element with index [0, 0, …], wherever in memory that lies.</summary>
    public readonly byte* Address;

    /// <summary>The element type as an <c>NPTypeCode</c> number.</summary>
    public readonly int TypeCode;

    /// <summary>Bytes per element: 1, 2, 4, 8 or 16.</summary>
    public readonly int ItemSize;

    /// <summary>Number of axes; 0 for a scalar.</summary>
    public readonly int Ndim;

    /// <summary><see cref="Ndim"/> extents.</summary>
    public readonly long* Shape;

    /// <summary><see cref="Ndim"/> strides in bytes; zero and negative ones too.</summary>
    public readonly long* Strides;

    public Operand(byte* address, int typeCode, int itemSize, int ndim, long* shape, long* strides)
    {
        Address = address;
        TypeCode = typeCode;
        ItemSize = itemSize;
        Ndim = ndim;
        Shape = shape;
        Strides = strides;
    }

    /// <summary>Number of elements; 1 for a scalar, 0 when any extent is 0.</summary>
    public long Size
    {
        get
        {
            long size = 1;
            for (int axis = 0; axis < Ndim; axis++)
            {
                size *= Shape[axis];
            }
            return size;
        }
    }

    /// <summary>
    /// Whether the elements lie in C order without gaps. Strides of axes of extent 1 do not matter, and an
    /// empty array always is: no element is ever addressed.
    /// </summary>
    public bool IsContiguous
    {
        get
        {
            long expected = ItemSize;
            bool contiguous = true;
            for (int axis = Ndim - 1; axis >= 0; axis--)
            {
                if (Shape[axis] == 0)
                {
                    return true;
                }
                contiguous &= Shape[axis] == 1 || Strides[axis] == expected;
                expected *= Shape[axis];
            }
            return contiguous;
        }
    }

    /// <summary>Address of the element with this index in flat C order.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The array has no such element.</exception>
    public byte* ElementAddress(long flatIndex)
    {
        long size = Size;
        if (flatIndex < 0 || flatIndex >= size)
        {
            throw new ArgumentOutOfRangeException(
                nameof(flatIndex), flatIndex, $"The array has {size} elements, counted from 0.");
        }
        byte* address = Address;
        for (int axis = Ndim - 1; axis >= 0; axis--)
        {
            (flatIndex, long index) = Math.DivRem(flatIndex, Shape[axis]);
            address += index * Strides[axis];
        }
        return address;
    }
}
