using System.Runtime.InteropServices;
using Cotrain.Interop;

namespace Cotrain.Lockstep;

/// <summary>The native entry points of the per-step path; Python calls them with the GIL released.</summary>
public static unsafe class LockstepExports
{
    /// <summary>Sizes of TapEntry, TapOutcome and StepReport, which Python checks against its own.</summary>
    public static int[] Sizes => [sizeof(TapEntry), sizeof(TapOutcome), sizeof(StepReport)];

    /// <summary>Queues a step (-1: the initial taps) against <paramref name="count"/> published taps.</summary>
    [UnmanagedCallersOnly]
    private static int Submit(
        nint session, long step, TapEntry* entries, TapOutcome* outcomes, int count, byte* error, int errorSize)
    {
        try
        {
            Session(session).SubmitStep(step, entries, outcomes, count);
            return NativeError.None;
        }
        catch (Exception exception)
        {
            return NativeError.Report(exception, error, errorSize);
        }
    }

    /// <summary>Waits for the next job to end and fills its report, or says that it is pending.</summary>
    [UnmanagedCallersOnly]
    private static int Wait(nint session, int milliseconds, StepReport* report, byte* error, int errorSize)
    {
        try
        {
            Session(session).Wait(milliseconds, report);
            return NativeError.None;
        }
        catch (Exception exception)
        {
            return NativeError.Report(exception, error, errorSize);
        }
    }

    private static CandidateSession Session(nint handle) =>
        (CandidateSession)GCHandle.FromIntPtr(handle).Target!;
}
