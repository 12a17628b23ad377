namespace Cotrain.Blas;

/// <summary>Walks the stack axes of two operands and a result in C order, as offsets in elements.</summary>
internal ref struct StackWalk
{
    private readonly ReadOnlySpan<long> _extents;
    private readonly ReadOnlySpan<long> _aStrides;
    private readonly ReadOnlySpan<long> _bStrides;
    private readonly ReadOnlySpan<long> _cStrides;
    private readonly Span<long> _index;

    internal long A;
    internal long B;
    internal long C;

    /// <summary>At the first item; <paramref name="index"/> is room for one number per axis.</summary>
    internal StackWalk(
        ReadOnlySpan<long> extents, ReadOnlySpan<long> aStrides, ReadOnlySpan<long> bStrides,
        ReadOnlySpan<long> cStrides, Span<long> index)
    {
        _extents = extents;
        _aStrides = aStrides;
        _bStrides = bStrides;
        _cStrides = cStrides;
        _index = index;
        _index.Clear();
    }

    /// <summary>Goes to the next item; false after the last.</summary>
    internal bool Next()
    {
        for (int axis = _extents.Length - 1; axis >= 0; axis--)
        {
            A += _aStrides[axis];
            B += _bStrides[axis];
            C += _cStrides[axis];
            if (++_index[axis] < _extents[axis])
            {
                return true;
            }
            _index[axis] = 0;
            A -= _extents[axis] * _aStrides[axis];
            B -= _extents[axis] * _bStrides[axis];
            C -= _extents[axis] * _cStrides[axis];
        }
        return false;
    }
}
