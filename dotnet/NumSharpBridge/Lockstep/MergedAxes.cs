namespace Cotrain.Lockstep;

/// <summary>
/// The axes of two operands of one shape, as few as both layouts allow: extents of 1 dropped and
/// neighbouring axes merged where one stride steps through both on both sides. Walks the positions of all
/// but the last axis; the last is the inner loop of whoever uses it.
/// </summary>
internal unsafe struct MergedAxes
{
    /// <summary>NumPy's limit of axes.</summary>
    public const int MaxAxes = 64;

    private fixed long _extents[MaxAxes];
    private fixed long _referenceStrides[MaxAxes];
    private fixed long _candidateStrides[MaxAxes];
    private fixed long _position[MaxAxes];
    private int _count;
    private byte* _reference;
    private byte* _candidate;
    private long _rowIndex;

    /// <summary>The current row; its index holds only for a walk in C order.</summary>
    public readonly RowPair Row => new()
    {
        Reference = _reference,
        ReferenceStride = _referenceStrides[_count - 1],
        Candidate = _candidate,
        CandidateStride = _candidateStrides[_count - 1],
        Length = _extents[_count - 1],
        Index = _rowIndex,
    };

    /// <summary>
    /// Merges the axes of two operands that have elements. With <paramref name="anyOrder"/> the axes are
    /// first sorted by the reference's strides, so that rows follow its memory; otherwise rows come in C order.
    /// </summary>
    public MergedAxes(in Operand reference, in Operand candidate, bool anyOrder)
    {
        if (reference.Ndim > MaxAxes)
        {
            throw new NotSupportedException(
                $"An array of {reference.Ndim} axes cannot be compared; {MaxAxes} is the limit.");
        }
        _reference = reference.Address;
        _candidate = candidate.Address;
        for (int axis = 0; axis < reference.Ndim; axis++)
        {
            if (reference.Shape[axis] != 1)
            {
                Insert(reference.Shape[axis], reference.Strides[axis], candidate.Strides[axis], anyOrder);
            }
        }
        Merge();
        if (_count == 0)
        {
            _extents[0] = 1;
            _referenceStrides[0] = reference.ItemSize;
            _candidateStrides[0] = candidate.ItemSize;
            _count = 1;
        }
    }

    /// <summary>Moves on to the next row; false when that was the last.</summary>
    public bool NextRow()
    {
        _rowIndex += _extents[_count - 1];
        for (int axis = _count - 2; axis >= 0; axis--)
        {
            _reference += _referenceStrides[axis];
            _candidate += _candidateStrides[axis];
            if (++_position[axis] < _extents[axis])
            {
                return true;
            }
            _reference -= _extents[axis] * _referenceStrides[axis];
            _candidate -= _extents[axis] * _candidateStrides[axis];
            _position[axis] = 0;
        }
        return false;
    }

    private void Insert(long extent, long referenceStride, long candidateStride, bool sorted)
    {
        int at = _count++;
        while (sorted && at > 0 && Math.Abs(_referenceStrides[at - 1]) < Math.Abs(referenceStride))
        {
            _extents[at] = _extents[at - 1];
            _referenceStrides[at] = _referenceStrides[at - 1];
            _candidateStrides[at] = _candidateStrides[at - 1];
            at--;
        }
        _extents[at] = extent;
        _referenceStrides[at] = referenceStride;
        _candidateStrides[at] = candidateStride;
    }

    private void Merge()
    {
        int last = 0;
        for (int axis = 1; axis < _count; axis++)
        {
            if (_referenceStrides[last] == _referenceStrides[axis] * _extents[axis]
                && _candidateStrides[last] == _candidateStrides[axis] * _extents[axis])
            {
                _extents[last] *= _extents[axis];
            }
            else
            {
                last++;
                _extents[last] = _extents[axis];
            }
            _referenceStrides[last] = _referenceStrides[axis];
            _candidateStrides[last] = _candidateStrides[axis];
        }
        _count = Math.Min(_count, last + 1);
    }
}
