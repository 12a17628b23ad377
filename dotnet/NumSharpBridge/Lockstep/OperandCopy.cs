namespace Cotrain.Lockstep;

/// <summary>Copies an operand's elements.</summary>
internal static unsafe class OperandCopy
{
    /// <param name="source">The elements, of any strides.</param>
    /// <param name="to">Room for <c>Size * ItemSize</c> bytes.</param>
    public static void CopyTo(this in Operand source, byte* to)
    {
        long size = source.Size;
        long bytes = size * source.ItemSize;
        if (source.IsContiguous)
        {
            Buffer.MemoryCopy(source.Address, to, bytes, bytes);
            return;
        }
        for (long index = 0; index < size; index++, to += source.ItemSize)
        {
            Buffer.MemoryCopy(source.ElementAddress(index), to, source.ItemSize, source.ItemSize);
        }
    }

    /// <summary>Copies into another operand of the same dtype and shape, of any strides.</summary>
    public static void CopyTo(this in Operand source, in Operand to)
    {
        if (to.IsContiguous)
        {
            source.CopyTo(to.Address);
            return;
        }
        long size = source.Size;
        for (long index = 0; index < size; index++)
        {
            Buffer.MemoryCopy(
                source.ElementAddress(index), to.ElementAddress(index), source.ItemSize, source.ItemSize);
        }
    }
}
