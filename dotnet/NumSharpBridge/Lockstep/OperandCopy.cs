namespace Cotrain.Lockstep;

/// <summary>Copies an operand's elements to C order.</summary>
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
}
