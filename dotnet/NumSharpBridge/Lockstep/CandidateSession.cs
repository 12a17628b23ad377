using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Cotrain.Interop;
using NumSharp;

namespace Cotrain.Lockstep;

/// <summary>
/// One candidate trainer on its worker thread, stepped by the Python driver. Jobs (create, initial, steps)
/// run in the order submitted; the driver waits for each in turn. After a selected difference, a
/// structural one or an exception the remaining jobs are skipped, so the candidate stands still where the
/// report says it does.
/// </summary>
public sealed unsafe class CandidateSession : IDisposable
{
    private readonly TapNames _names = new();
    private readonly StepTaps _taps;
    private readonly Worker _worker = new("cotrain candidate");
    private readonly ConcurrentQueue<StepReport> _reports = new();
    private readonly GCHandle _handle;
    private ITrainer? _trainer;
    private bool _stopped;

    /// <summary>A session without a trainer; <see cref="SubmitCreate"/> makes it.</summary>
    public CandidateSession()
    {
        _taps = new StepTaps(_names);
        _handle = GCHandle.Alloc(this);
    }

    /// <summary>What happens at a differing tap; set between steps.</summary>
    public DifferencePolicy OnDifference
    {
        get => _taps.OnDifference;
        set => _taps.OnDifference = value;
    }

    /// <summary>Microseconds that a waiting thread stays awake; 0 where both sides share a processor.</summary>
    public int Patience
    {
        get => _worker.Patience;
        set => _worker.Patience = value;
    }

    /// <summary>Whether each tap is hashed for a trace; set between steps.</summary>
    public bool Hashes
    {
        get => _taps.Hashes;
        set => _taps.Hashes = value;
    }

    /// <summary>What the native exports take to find this session.</summary>
    public nint Handle => GCHandle.ToIntPtr(_handle);

    /// <summary>Type and message of the exception that ended the candidate; "" without one.</summary>
    public string Failure { get; private set; } = "";

    /// <summary>The exception's stack trace, for a log; "" without one.</summary>
    public string FailureTrace { get; private set; } = "";

    /// <summary>The last tap the candidate handed in.</summary>
    public string LastTap => _taps.LastTap;

    /// <summary>Floating-point modes of the worker thread, as <see cref="FloatMode.Probe"/> codes them.</summary>
    public int WorkerFloatMode { get; private set; } = -1;

    /// <summary>Position at which the last step's taps part, or -1.</summary>
    public int UnalignedFrom => _taps.UnalignedFrom;

    /// <summary>The candidate's taps from there on.</summary>
    public CandidateTap[] Unaligned => [.. _taps.Unaligned];

    /// <summary>The candidate's state; empty before the trainer exists.</summary>
    public IReadOnlyDictionary<string, NDArray> State => _trainer?.State ?? new Dictionary<string, NDArray>();

    /// <summary>Injections that have not happened, as <c>STEP:TAP:INDEX:BIT</c>.</summary>
    public string[] UnusedInjections => [.. _taps.UnusedInjections.Select(injection => injection.ToString())];

    /// <summary>Where each side first had a NaN, an infinity or a denormal; read it between steps.</summary>
    public Birth[] Births => [.. _taps.Births];

    /// <summary>Defines the next tap name; ids count from 0.</summary>
    public int DefineName(string name) => _names.Define(name);

    /// <summary>File of the candidate's Tap call; "" while unknown.</summary>
    public string SourceFile(int nameId) => _names.Source(nameId).File;

    /// <summary>Line of the candidate's Tap call; 0 while unknown.</summary>
    public int SourceLine(int nameId) => _names.Source(nameId).Line;

    /// <summary>Asks for a bit flip at (step, tap, flat C-order index, bit).</summary>
    public void Inject(long step, string tap, long flatIndex, int bit) =>
        _taps.Add(new BitInjection(step, tap, flatIndex, bit));

    /// <summary>
    /// Queues the making of the trainer by <paramref name="type"/>'s static Create; CotrainException when it has none.
    /// </summary>
    public void SubmitCreate(Type type, TrainerOptions options)
    {
        var factory = new TrainerFactory(type);
        Submit(-2, () =>
        {
            WorkerFloatMode = FloatMode.Probe();
            _trainer = factory.Make(options);
            return new StepReport { Step = -2, FirstSelected = -1 };
        });
    }

    /// <summary>Ends the worker after the job it is running, then the trainer.</summary>
    public void Dispose()
    {
        _worker.Submit(() => _trainer?.Dispose());
        _worker.WaitOne(5_000);
        _worker.Dispose();
        if (_handle.IsAllocated)
        {
            _handle.Free();
        }
    }

    internal void SubmitStep(long step, TapEntry* entries, TapOutcome* outcomes, int count) =>
        Submit(step, () =>
        {
            _taps.Begin(step, entries, outcomes, count);
            if (step < 0)
            {
                _trainer!.Initial(_taps);
            }
            else
            {
                _trainer!.Step(step, _taps);
            }
            StepReport report = _taps.End();
            _stopped |= report.Structural != 0 || (OnDifference == DifferencePolicy.Stop && report.FirstSelected >= 0);
            return report;
        });

    internal void Wait(int milliseconds, StepReport* report)
    {
        if (!_worker.WaitOne(milliseconds) || !_reports.TryDequeue(out *report))
        {
            *report = new StepReport { FirstSelected = -1, Status = StepStatus.Pending };
        }
    }

    private void Submit(long step, Func<StepReport> job) => _worker.Submit(() => _reports.Enqueue(Run(step, job)));

    private StepReport Run(long step, Func<StepReport> job)
    {
        if (_stopped)
        {
            return new StepReport { Step = step, FirstSelected = -1, Status = StepStatus.Skipped };
        }
        long start = Stopwatch.GetTimestamp();
        try
        {
            StepReport report = job();
            report.Total = (long)Stopwatch.GetElapsedTime(start).TotalNanoseconds;
            return report;
        }
        catch (Exception exception)
        {
            _stopped = true;
            Failure = NativeError.Describe(NativeError.Unwrap(exception));
            FailureTrace = exception.ToString();
            StepReport report = step == -2 ? default : _taps.End();
            report.Step = step;
            report.Status = StepStatus.Failed;
            report.FirstSelected = -1;
            return report;
        }
    }
}
