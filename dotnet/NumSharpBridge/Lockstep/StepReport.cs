using System.Runtime.InteropServices;

namespace Cotrain.Lockstep;

/// <summary>How a job of the worker ended.</summary>
internal enum StepStatus
{
    /// <summary>It ran to its end; the outcomes are complete.</summary>
    Done = 0,

    /// <summary>Not finished within the time given.</summary>
    Pending = 1,

    /// <summary>The trainer threw; <see cref="CandidateSession.Failure"/> tells.</summary>
    Failed = 2,

    /// <summary>Not run, because an earlier job diverged or failed.</summary>
    Skipped = 3,
}

/// <summary>The summary of one job, returned by the wait export.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct StepReport
{
    /// <summary>The step the report is about; -1 for the initial taps.</summary>
    public long Step;

    /// <summary>Nanoseconds from the job's start to its end, compares included.</summary>
    public long Total;

    /// <summary>Nanoseconds of it spent comparing.</summary>
    public long Compare;

    /// <summary>Taps the candidate handed in.</summary>
    public int Seen;

    /// <summary>Taps whose bytes differ, selected or not.</summary>
    public int Differing;

    /// <summary>1 when the two sides' taps do not line up.</summary>
    public int Structural;

    /// <summary>Position of the first selected tap that differs, or -1.</summary>
    public int FirstSelected;

    /// <summary>How it ended.</summary>
    public StepStatus Status;

    /// <summary>Taps handed in at another place of their any-order group than the reference's.</summary>
    public int Reordered;
}
