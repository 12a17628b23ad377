using System.IO.Hashing;

namespace Cotrain.Lockstep;

/// <summary>The 128-bit XXH3 hash of a tap's bytes in C order, which a trace keeps instead of the tap.</summary>
internal static unsafe class TapHash
{
    /// <summary>The hash as 16 bytes in the canonical (big-endian) order of xxHash.</summary>
    public static void Write(in Operand operand, byte* to)
    {
        long bytes = operand.Size * operand.ItemSize;
        if (operand.IsContiguous && bytes <= int.MaxValue)
        {
            XxHash128.Hash(new ReadOnlySpan<byte>(operand.Address, (int)bytes), new Span<byte>(to, 16));
            return;
        }
        var hash = new XxHash128();
        Span<byte> row = stackalloc byte[4096 * 16];
        int filled = 0;
        for (long index = 0; index < operand.Size; index++)
        {
            new ReadOnlySpan<byte>(operand.ElementAddress(index), operand.ItemSize).CopyTo(row[filled..]);
            filled += operand.ItemSize;
            if (filled > row.Length - 16)
            {
                hash.Append(row[..filled]);
                filled = 0;
            }
        }
        hash.Append(row[..filled]);
        hash.GetCurrentHash(new Span<byte>(to, 16));
    }
}
