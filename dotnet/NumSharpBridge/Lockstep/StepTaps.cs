using System.Diagnostics;
using NumSharp;

namespace Cotrain.Lockstep;

/// <summary>
/// The <see cref="ITaps"/> of a compared run: each call lines the candidate's tap up with the published
/// one of the same position, applies injections, compares, and leaves the outcome for Python to read.
/// </summary>
internal sealed unsafe class StepTaps : ITaps
{
    private readonly TapNames _names;
    private readonly List<BitInjection> _injections = [];
    private readonly List<CandidateTap> _unaligned = [];
    private readonly Births _births = new();
    private TapEntry* _entries;
    private TapOutcome* _outcomes;
    private int _count;
    private long _step;
    private long _mark;
    private StepReport _report;

    public StepTaps(TapNames names) => _names = names;

    /// <summary>What happens at a differing tap.</summary>
    public DifferencePolicy OnDifference { get; set; }

    /// <summary>Whether each tap is hashed for a trace.</summary>
    public bool Hashes { get; set; }

    /// <summary>The candidate's taps from the first one that is out of line on.</summary>
    public IReadOnlyList<CandidateTap> Unaligned => _unaligned;

    /// <summary>Position at which the two sides' taps part, or -1.</summary>
    public int UnalignedFrom { get; private set; } = -1;

    /// <summary>The name of the last tap handed in; "" before the first.</summary>
    public string LastTap { get; private set; } = "";

    /// <summary>Where NaNs, infinities and denormals were first met.</summary>
    public IReadOnlyList<Birth> Births => _births.Found;

    /// <summary>The injections that have not happened.</summary>
    public IEnumerable<BitInjection> UnusedInjections => _injections.Where(injection => !injection.Applied);

    public void Add(BitInjection injection) => _injections.Add(injection);

    public void Begin(long step, TapEntry* entries, TapOutcome* outcomes, int count)
    {
        _step = step;
        _entries = entries;
        _outcomes = outcomes;
        _count = count;
        _unaligned.Clear();
        UnalignedFrom = -1;
        LastTap = "";
        _report = new StepReport { Step = step, FirstSelected = -1 };
        new Span<TapOutcome>(outcomes, count).Clear();
        _mark = Stopwatch.GetTimestamp();
    }

    /// <summary>Closes the step: a published tap that was never handed in is structural.</summary>
    public StepReport End()
    {
        if (_report.Seen < _count && UnalignedFrom < 0)
        {
            Part(_report.Seen);
        }
        _report.Structural = UnalignedFrom < 0 ? 0 : 1;
        return _report;
    }

    public NDArray Tap(string name, NDArray value, string file = "", int line = 0)
    {
        Shape shape = value.Shape;
        long[] extents = shape.Dimensions;
        int rank = extents.Length;
        int itemSize = value.dtypesize;
        long* dimensions = stackalloc long[rank + 1];
        long* strides = stackalloc long[rank + 1];
        for (int axis = 0; axis < rank; axis++)
        {
            dimensions[axis] = extents[axis];
            strides[axis] = shape.Strides[axis] * itemSize;
        }
        byte* address = (byte*)value.GetData().Address + (shape.Offset * itemSize);
        Take(name, new Operand(address, (int)value.typecode, itemSize, rank, dimensions, strides), file, line);
        return value;
    }

    public void Tap<T>(string name, ref T value, string file = "", int line = 0)
        where T : unmanaged
    {
        fixed (T* address = &value)
        {
            long none = 0;
            int code = (int)typeof(T).GetTypeCode();
            Take(name, new Operand((byte*)address, code, sizeof(T), 0, &none, &none), file, line);
        }
    }

    private void Take(string name, in Operand candidate, string file, int line)
    {
        long arrived = Stopwatch.GetTimestamp();
        int place = _report.Seen++;
        int position = UnalignedFrom < 0 && place < _count ? Find(name, place) : -1;
        LastTap = name;
        if (position >= 0)
        {
            _names.Locate(_entries[position].NameId, file, line);
            Compare(position, name, candidate);
            _outcomes[position].OperationTime = Nanoseconds(arrived - _mark);
            long done = Stopwatch.GetTimestamp();
            _outcomes[position].CompareTime = Nanoseconds(done - arrived);
            _report.Compare += _outcomes[position].CompareTime;
            _mark = done;
            return;
        }
        if (UnalignedFrom < 0)
        {
            Part(place);
        }
        Note(name, candidate);
    }

    /// <summary>The published tap that a candidate's tap is held against; -1 when it is out of line.</summary>
    private int Find(string name, int place)
    {
        // In line, and not already taken: in a group a name could come a second time.
        if (_names[_entries[place].NameId] == name && _outcomes[place].State == TapState.Missing)
        {
            return place;
        }
        if (_entries[place].Group == 0)
        {
            return -1;
        }
        (int start, int end) = GroupAt(place);
        for (int position = start; position < end; position++)
        {
            if (_names[_entries[position].NameId] == name && _outcomes[position].State == TapState.Missing)
            {
                _report.Reordered++;
                return position;
            }
        }
        return -1;
    }

    /// <summary>The positions of the any-order group that a published tap belongs to; itself without one.</summary>
    private (int Start, int End) GroupAt(int position)
    {
        int group = _entries[position].Group;
        int start = position, end = position + 1;
        while (group != 0 && start > 0 && _entries[start - 1].Group == group)
        {
            start--;
        }
        while (group != 0 && end < _count && _entries[end].Group == group)
        {
            end++;
        }
        return (start, end);
    }

    /// <summary>The two sides part where the candidate had handed in <paramref name="place"/> taps.</summary>
    private void Part(int place)
    {
        UnalignedFrom = place;
        if (place >= _count)
        {
            return;
        }
        // Of a group some members have come, perhaps not the first ones: both lists begin with the group.
        (UnalignedFrom, int end) = GroupAt(place);
        for (int position = UnalignedFrom; position < end; position++)
        {
            if (_outcomes[position].State != TapState.Missing)
            {
                TapEntry* entry = _entries + position;
                _unaligned.Add(new CandidateTap(
                    _names[entry->NameId], entry->TypeCode, new ReadOnlySpan<long>(entry->Shape, entry->Rank).ToArray()));
            }
        }
    }

    private void Compare(int position, string name, in Operand candidate)
    {
        TapEntry* entry = _entries + position;
        TapOutcome* outcome = _outcomes + position;
        if (!SameStructure(*entry, candidate))
        {
            Part(position);
            outcome->State = TapState.Structural;
            Note(name, candidate);
            return;
        }
        foreach (BitInjection injection in _injections)
        {
            if (injection.Apply(_step, name, candidate))
            {
                outcome->Injected = 1;
            }
        }
        var reference = new Operand(
            entry->Address, entry->TypeCode, entry->ItemSize, entry->Rank, entry->Shape, entry->Strides);
        if (SpecialValues.EqualAndOrdinary(reference, candidate, _births.Wanted))
        {
            outcome->Finding = Finding.Equal;
        }
        else
        {
            BitComparer.Compare(reference, candidate, ref outcome->Finding);
            _births.Look(_step, name, reference, candidate, outcome->Finding.Differing == 0);
        }
        int copied = outcome->Finding.Differing == 0 ? TapEntry.Watched : TapEntry.Watched | TapEntry.Kept;
        if ((entry->Flags & copied) != 0)
        {
            candidate.CopyTo(entry->Watch);
        }
        if (Hashes)
        {
            TapHash.Write(reference, outcome->ReferenceHash);
            if (outcome->Finding.Differing == 0)
            {
                Buffer.MemoryCopy(outcome->ReferenceHash, outcome->CandidateHash, 16, 16);
            }
            else
            {
                TapHash.Write(candidate, outcome->CandidateHash);
            }
        }
        if (outcome->Finding.Differing == 0)
        {
            outcome->State = TapState.Equal;
            return;
        }
        outcome->State = TapState.Differs;
        _report.Differing++;
        if (_report.FirstSelected < 0 && (entry->Flags & TapEntry.Selected) != 0)
        {
            _report.FirstSelected = position;
        }
        if (OnDifference == DifferencePolicy.Resync)
        {
            reference.CopyTo(candidate);
        }
    }

    private static bool SameStructure(in TapEntry entry, in Operand candidate)
    {
        if (entry.TypeCode != candidate.TypeCode || entry.Rank != candidate.Ndim)
        {
            return false;
        }
        for (int axis = 0; axis < entry.Rank; axis++)
        {
            if (entry.Shape[axis] != candidate.Shape[axis])
            {
                return false;
            }
        }
        return true;
    }

    private void Note(string name, in Operand candidate) =>
        _unaligned.Add(new CandidateTap(
            name, candidate.TypeCode, new ReadOnlySpan<long>(candidate.Shape, candidate.Ndim).ToArray()));

    private static long Nanoseconds(long ticks) => ticks * (1_000_000_000 / Stopwatch.Frequency);
}
