using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace Cotrain.Lockstep;

/// <summary>
/// A candidate trainer that runs by itself, on a worker thread as in a lockstep: what benchmarks hold the
/// lockstep against. While it runs, no other thread may use NumSharp.
/// </summary>
public sealed class UncomparedRun : IDisposable
{
    private readonly UncomparedTaps _taps = new();
    private readonly Worker _worker = new("cotrain alone");
    private ITrainer? _trainer;
    private long _next;

    /// <summary>Makes the trainer by <paramref name="type"/>'s static Create, and runs its Initial.</summary>
    public UncomparedRun(Type type, TrainerOptions options)
    {
        var factory = new TrainerFactory(type);
        OnWorker(() =>
        {
            _trainer = factory.Make(options);
            _trainer.Initial(_taps);
        });
    }

    /// <summary>Runs the next steps, waits for them, and returns the seconds they took.</summary>
    public double Step(long count)
    {
        long start = 0, end = 0;
        OnWorker(() =>
        {
            start = Stopwatch.GetTimestamp();
            for (long last = _next + count; _next < last; _next++)
            {
                _trainer!.Step(_next, _taps);
            }
            end = Stopwatch.GetTimestamp();
        });
        return Stopwatch.GetElapsedTime(start, end).TotalSeconds;
    }

    /// <summary>Ends the trainer and its worker.</summary>
    public void Dispose()
    {
        OnWorker(() => _trainer?.Dispose());
        _worker.Dispose();
    }

    private void OnWorker(Action job)
    {
        ExceptionDispatchInfo? failure = null;
        _worker.Submit(() =>
        {
            try
            {
                job();
            }
            catch (Exception exception)
            {
                failure = ExceptionDispatchInfo.Capture(exception);
            }
        });
        _worker.WaitOne(Timeout.Infinite);
        failure?.Throw();
    }
}
