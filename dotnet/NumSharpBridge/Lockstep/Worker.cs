using System.Diagnostics;

namespace Cotrain.Lockstep;

/// <summary>
/// One background thread that runs jobs in the order they were submitted. NumSharp is used by this thread
/// alone while jobs are pending; two threads in it gain nothing.
/// </summary>
internal sealed class Worker : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Queue<Action> _jobs = new();
    private readonly SemaphoreSlim _available = new(0);
    private readonly SemaphoreSlim _finished = new(0);
    private readonly Thread _thread;
    private bool _closed;

    public Worker(string name)
    {
        _thread = new Thread(Loop, maxStackSize: 16 * 1024 * 1024) { IsBackground = true, Name = name };
        _thread.Start();
    }

    /// <summary>
    /// How long, in microseconds, a thread that finds nothing to do stays awake before it sleeps. Waking it costs
    /// more than the gaps between two steps where both sides have a processor of their own; where they share one,
    /// 0 leaves it to the other side.
    /// </summary>
    public int Patience { get; set; }

    /// <summary>Queues a job; it must not throw.</summary>
    public void Submit(Action job)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            _jobs.Enqueue(job);
        }
        _available.Release();
    }

    /// <summary>Waits until one more job than already waited for has finished.</summary>
    /// <returns>False when the time ran out first.</returns>
    public bool WaitOne(int milliseconds)
    {
        StayAwake(_finished);
        return _finished.Wait(milliseconds);
    }

    /// <summary>Ends the thread after the job it is running; queued ones are dropped.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _closed = true;
            _jobs.Clear();
        }
        _available.Release();
    }

    private void StayAwake(SemaphoreSlim signal)
    {
        long patience = Patience * Stopwatch.Frequency / 1_000_000;
        long begun = Stopwatch.GetTimestamp();
        while (signal.CurrentCount == 0 && Stopwatch.GetTimestamp() - begun < patience)
        {
            Thread.SpinWait(16);
        }
    }

    private void Loop()
    {
        while (true)
        {
            StayAwake(_available);
            _available.Wait();
            Action job;
            lock (_gate)
            {
                if (_closed || !_jobs.TryDequeue(out job!))
                {
                    return;
                }
            }
            job();
            _finished.Release();
        }
    }
}
