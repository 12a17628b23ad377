using Cotrain.Lockstep;
using NumSharp;

namespace Cotrain.Adapter;

/// <summary>
/// A trainer made of an assembly that has no taps: in each step it makes the mapping's calls in order and taps what
/// they leave in public members. Parameters and data are the reference's, byte by byte.
/// </summary>
/// <remarks>
/// No NDScope around the calls: the objects keep what they like of what they allocate, and nobody told us what.
/// </remarks>
public sealed unsafe class AdaptedTrainer : ITrainer
{
    private const int DefaultBatchSize = 128;

    private readonly Adaptation _adaptation;
    private readonly int _batchSize;
    private readonly int _step;
    private readonly int _iteration;
    private readonly object?[] _frame;
    [NDBorrowed]
    private readonly List<(int Slot, NDArray[] Turns)> _feeds = [];

    private AdaptedTrainer(Adaptation adaptation, int batchSize)
    {
        _adaptation = adaptation;
        _batchSize = batchSize;
        _frame = adaptation.MakeObjects();
        _step = adaptation.Scope.Define(Scope.Step, typeof(long));
        _iteration = adaptation.Scope.Define(Scope.Iteration, typeof(long));
    }

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, NDArray> State => _adaptation.Parameters.ToDictionary(
        each => each.Plan.Name, each => each.Path.Get(_frame) as NDArray ?? throw each.Plan.At.Error($"{each.Path} is null"));

    /// <summary>The trainer of the adaptation whose key the option <c>adapter</c> gives.</summary>
    public static ITrainer Create(TrainerOptions options) =>
        new AdaptedTrainer(Adaptation.Take(options.Extra["adapter"]), options.BatchSize ?? DefaultBatchSize);

    /// <summary>Copies the reference's parameters into the objects, cuts the data, and taps both.</summary>
    public void Initial(ITaps taps)
    {
        string file = _adaptation.Plan.File;
        foreach ((ParameterPlan plan, BoundPath path) in _adaptation.Parameters)
        {
            Assign(path, _adaptation.Given[plan.Name]);
            BoundCall.Tap(plan.Tap, path, plan.At, _frame, taps, file);
        }
        foreach (FeedPlan feed in _adaptation.Plan.Feeds)
        {
            if (_adaptation.Given.TryGetValue(feed.Name, out NDArray? whole))
            {
                _feeds.Add((_adaptation.Slot(feed.Name), feed.Batches ? Cut(whole, feed.At) : [whole]));
                BoundCall.Hand(feed.Tap, whole, feed.At, taps, file);
            }
            else
            {
                _feeds.Add((_adaptation.Slot(feed.Name), _adaptation.Rings[feed.Name]));
            }
        }
    }

    /// <inheritdoc/>
    public void Step(long step, ITaps taps)
    {
        _frame[_step] = step;
        _frame[_iteration] = step + 1;
        foreach ((int slot, NDArray[] turns) in _feeds)
        {
            _frame[slot] = turns[step % turns.Length];
        }
        foreach (BoundCall call in _adaptation.Calls)
        {
            call.Run(_frame, taps, _adaptation.Plan.File);
        }
    }

    /// <summary>Disposes the objects that can be; their arrays are theirs.</summary>
    public void Dispose()
    {
        foreach (object? value in _frame)
        {
            if (value is IDisposable disposable and not NDArray)
            {
                disposable.Dispose();
            }
        }
    }

    /// <summary>
    /// In place, since a layer may keep views of its parameter. Where the candidate has another dtype or shape it keeps
    /// its own value, and the tap shows the structural difference.
    /// </summary>
    private void Assign(BoundPath path, NDArray value)
    {
        if (path.Get(_frame) is not NDArray own)
        {
            path.Set(_frame, value.copy());
            return;
        }
        if (own.typecode != value.typecode || !own.shape.AsSpan().SequenceEqual(value.shape))
        {
            return;
        }
        Shape from = value.Shape, to = own.Shape;
        byte* source = (byte*)value.GetData().Address + (from.Offset * value.dtypesize);
        byte* target = (byte*)own.GetData().Address + (to.Offset * own.dtypesize);
        fixed (long* shape = from.Dimensions, strides = Bytes(from, value.dtypesize), others = Bytes(to, own.dtypesize))
        {
            var given = new Operand(source, (int)value.typecode, value.dtypesize, value.ndim, shape, strides);
            given.CopyTo(new Operand(target, (int)own.typecode, own.dtypesize, own.ndim, shape, others));
        }
    }

    private static long[] Bytes(Shape shape, int itemSize) => [.. shape.Strides.Select(stride => stride * itemSize)];

    private NDArray[] Cut(NDArray whole, Spot at)
    {
        long count = whole.ndim == 0 ? 0 : whole.shape[0] / _batchSize;
        if (count == 0)
        {
            throw at.Error(
                $"the array has {(whole.ndim == 0 ? 0 : whole.shape[0])} rows, fewer than a batch of {_batchSize}; "
                + "{ whole = true } hands it over uncut");
        }
        var batches = new NDArray[count];
        for (long batch = 0; batch < count; batch++)
        {
            batches[batch] = whole[$"{batch * _batchSize}:{(batch + 1) * _batchSize}"];
        }
        return batches;
    }
}
