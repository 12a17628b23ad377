using System.Runtime.InteropServices;

namespace Cotrain.Lockstep;

/// <summary>What became of a published tap; written by the candidate's worker.</summary>
internal enum TapState
{
    /// <summary>The candidate has not handed in this tap.</summary>
    Missing = 0,

    /// <summary>Every byte is equal.</summary>
    Equal = 1,

    /// <summary>Some element's bytes differ; the finding says which.</summary>
    Differs = 2,

    /// <summary>Another dtype or shape, or out of line: nothing was compared.</summary>
    Structural = 3,
}

/// <summary>The outcome beside a <see cref="TapEntry"/> of the same position.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct TapOutcome
{
    /// <summary>The comparison's result when the state is <see cref="TapState.Differs"/>.</summary>
    public Finding Finding;

    /// <summary>Hash of the reference's bytes, when a trace is kept.</summary>
    public fixed byte ReferenceHash[16];

    /// <summary>Hash of the candidate's.</summary>
    public fixed byte CandidateHash[16];

    /// <summary>Nanoseconds of the candidate's own work since its previous tap.</summary>
    public long OperationTime;

    /// <summary>Nanoseconds spent comparing.</summary>
    public long CompareTime;

    /// <summary>What happened.</summary>
    public TapState State;

    /// <summary>1 when an injected bit flip was applied to this tap.</summary>
    public int Injected;
}
