namespace Cotrain.Lockstep;

/// <summary>One row of each of two operands: elements a fixed stride apart.</summary>
internal readonly unsafe struct RowPair
{
    /// <summary>The reference's first element.</summary>
    public byte* Reference { get; init; }

    /// <summary>Bytes from one of its elements to the next.</summary>
    public long ReferenceStride { get; init; }

    /// <summary>The candidate's first element.</summary>
    public byte* Candidate { get; init; }

    /// <summary>Bytes from one of its elements to the next.</summary>
    public long CandidateStride { get; init; }

    /// <summary>Number of elements.</summary>
    public long Length { get; init; }

    /// <summary>Flat C-order index of the first element, when rows are walked in C order.</summary>
    public long Index { get; init; }

    /// <summary>Whether the elements of both lie without gaps.</summary>
    public bool IsDense(int itemSize) => ReferenceStride == itemSize && CandidateStride == itemSize;

    /// <summary>What remains of the row without its first elements.</summary>
    public RowPair Skip(long count) => new()
    {
        Reference = Reference + count * ReferenceStride,
        ReferenceStride = ReferenceStride,
        Candidate = Candidate + count * CandidateStride,
        CandidateStride = CandidateStride,
        Length = Length - count,
        Index = Index + count,
    };
}
