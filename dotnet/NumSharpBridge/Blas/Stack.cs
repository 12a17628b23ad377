using System.Numerics;

namespace Cotrain.Blas;

/// <summary>The stack axes of two operands, stretched against each other by NumPy's broadcasting.</summary>
internal readonly struct Stack
{
    private readonly long[] _aStrides;
    private readonly long[] _bStrides;

    private Stack(int rank)
    {
        Extents = new long[rank];
        _aStrides = new long[rank];
        _bStrides = new long[rank];
    }

    internal long[] Extents { get; }

    /// <summary>False where the axes before the last <c>core</c> ones do not stretch.</summary>
    internal static bool TryStretch<T>(
        in Operand<T> a, int aCore, in Operand<T> b, int bCore, out Stack stack)
        where T : unmanaged, INumberBase<T>
    {
        int aRank = a.Rank - aCore;
        int bRank = b.Rank - bCore;
        stack = new Stack(Math.Max(aRank, bRank));
        for (int back = 1; back <= stack.Extents.Length; back++)
        {
            long aExtent = back <= aRank ? a.Shape[aRank - back] : 1;
            long bExtent = back <= bRank ? b.Shape[bRank - back] : 1;
            if (aExtent != bExtent && aExtent != 1 && bExtent != 1)
            {
                return false;
            }
            stack.Extents[^back] = aExtent == 1 ? bExtent : aExtent;
            stack._aStrides[^back] = aExtent == 1 ? 0 : a.Strides[aRank - back];
            stack._bStrides[^back] = bExtent == 1 ? 0 : b.Strides[bRank - back];
        }
        return true;
    }

    /// <summary>Walks the stack; the result is C-ordered, with <paramref name="itemSize"/> elements an item.</summary>
    internal StackWalk Walk(long itemSize)
    {
        var results = new long[Extents.Length];
        for (int axis = results.Length - 1; axis >= 0; axis--)
        {
            results[axis] = itemSize;
            itemSize *= Extents[axis];
        }
        return new StackWalk(Extents, _aStrides, _bStrides, results, new long[results.Length]);
    }
}
