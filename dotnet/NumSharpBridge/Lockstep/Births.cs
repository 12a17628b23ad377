namespace Cotrain.Lockstep;

/// <summary>Notes where each kind of special value was born, once per side.</summary>
internal sealed class Births
{
    private readonly List<Birth> _found = [];
    private SpecialKinds _missingInReference = SpecialKinds.All;
    private SpecialKinds _missingInCandidate = SpecialKinds.All;

    /// <summary>In the order they were met.</summary>
    public IReadOnlyList<Birth> Found => _found;

    /// <summary>Kinds that one of the sides has not had yet.</summary>
    public SpecialKinds Wanted => _missingInReference | _missingInCandidate;

    /// <summary>Looks at a compared tap of both sides; at one of them when they are byte-equal.</summary>
    public void Look(long step, string tap, in Operand reference, in Operand candidate, bool equal)
    {
        SpecialKinds wanted = equal ? Wanted : _missingInReference;
        SpecialKinds here = SpecialValues.Find(reference, wanted);
        SpecialKinds there = equal ? here : SpecialValues.Find(candidate, _missingInCandidate);
        if ((here | there) == SpecialKinds.None)
        {
            return;
        }
        Note("reference", step, tap, reference, here & _missingInReference);
        Note("candidate", step, tap, candidate, there & _missingInCandidate);
        _missingInReference &= ~here;
        _missingInCandidate &= ~there;
    }

    private void Note(string side, long step, string tap, in Operand operand, SpecialKinds kinds)
    {
        foreach (SpecialKinds kind in (ReadOnlySpan<SpecialKinds>)
            [SpecialKinds.NaN, SpecialKinds.Infinity, SpecialKinds.Denormal])
        {
            if ((kinds & kind) != 0)
            {
                string name = kind == SpecialKinds.NaN ? "nan" : kind.ToString().ToLowerInvariant();
                _found.Add(new Birth(side, name, step, tap, SpecialValues.FirstIndex(operand, kind)));
            }
        }
    }
}
