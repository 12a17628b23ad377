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
    public bool WaitOne(int milliseconds) => _finished.Wait(milliseconds);

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

    private void Loop()
    {
        while (true)
        {
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
