using Cotrain;
using NumSharp;

namespace TinyTrainer;

/// <summary>
/// A trainer of three operations for tests of the driver: it counts, doubles and adds. The extra option
/// <c>fault</c> plants one fault at step 2. Its twin is tests/lockstep/tiny.py.
/// </summary>
public sealed class Trainer : ITrainer
{
    private const long FaultyStep = 2;

    private readonly string _fault;
    private readonly NDArray _total = np.zeros(new Shape(4), NPTypeCode.Single);
    private readonly NDArray _scratch = np.zeros(new Shape(2, 4), NPTypeCode.Single);
    private float _scale = 1f;

    private Trainer(string fault) => _fault = fault;

    public IReadOnlyDictionary<string, NDArray> State => new Dictionary<string, NDArray> { ["total"] = _total };

    public static ITrainer Create(TrainerOptions options)
    {
        string fault = options.Extra.TryGetValue("fault", out string? named) ? named : "";
        return fault == "create" ? throw new InvalidOperationException("planted in Create") : new Trainer(fault);
    }

    public void Initial(ITaps taps)
    {
        if (_fault == "initial")
        {
            SetAll(_total, 1f);
        }
        taps.Tap("init.total", _total);
    }

    public void Step(long step, ITaps taps)
    {
        string fault = step == FaultyStep ? _fault : "";
        SetAll(_scratch, step);
        taps.Tap("count", _scratch);
        if (fault == "throw")
        {
            throw new InvalidOperationException("planted after count");
        }
        if (fault == "hang")
        {
            Thread.Sleep(Timeout.Infinite);
        }
        if (fault == "order")
        {
            Scale(taps);
            Double(taps, fault);
        }
        else
        {
            Double(taps, fault);
            if (fault != "missing")
            {
                Scale(taps);
            }
        }
        if (fault == "extra")
        {
            taps.Tap("surplus", _total);
        }
        Total(taps, fault);
    }

    public void Dispose()
    {
    }

    // The same memory as "count" held: whoever compares at the end of the step sees this value twice.
    private void Double(ITaps taps, string fault)
    {
        SetAll(_scratch, 2 * _scratch.GetSingle(0, 0));
        NDArray doubled = fault switch
        {
            "dtype" => _scratch.astype(NPTypeCode.Double),
            "shape" => _scratch.reshape(4, 2),
            "transposed" => _scratch.transpose().copy().transpose(),
            _ => _scratch,
        };
        taps.Tap("doubled", doubled);
    }

    private void Scale(ITaps taps)
    {
        _scale *= 0.5f;
        taps.Tap("scale", ref _scale);
    }

    private unsafe void Total(ITaps taps, string fault)
    {
        float* total = (float*)_total.Unsafe.Address;
        for (int i = 0; i < 4; i++)
        {
            total[i] += _scratch.GetSingle(0, i) * _scale;
        }
        if (fault == "value")
        {
            total[3] = MathF.BitIncrement(total[3]);
        }
        if (fault == "nan")
        {
            total[1] = float.NaN;
        }
        taps.Tap("total", _total);
    }

    private static unsafe void SetAll(NDArray array, float value) =>
        new Span<float>(array.Unsafe.Address, (int)array.size).Fill(value);
}
