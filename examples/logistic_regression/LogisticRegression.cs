using System.Globalization;
using Cotrain;
using NumSharp;

namespace Examples;

/// <summary>Logistic regression with SGD, the NumSharp side; logistic_regression.py declares the taps.</summary>
public sealed class LogisticRegression : ITrainer
{
    private const int Samples = 512;
    private const int Features = 20;

    private readonly int _batch;
    private readonly float _rate;
    private readonly IMath _math;
    private readonly NDArray _x;
    private readonly NDArray _labels;
    private readonly NDArray _w = np.zeros(new Shape(Features, 1), NPTypeCode.Single);
    private readonly NDArray _b = np.zeros(new Shape(1), NPTypeCode.Single);

    private LogisticRegression(TrainerOptions options)
    {
        using NDScope scope = NDScope.Open();
        _batch = options.BatchSize ?? 64;
        _rate = (float)double.Parse(options.Extra.GetValueOrDefault("rate", "0.5"), CultureInfo.InvariantCulture);
        _math = options.Math;
        NumPyRandom random = np.random.RandomState((int)(options.Seed ?? 1));
        _labels = scope.Returns(random.randint(0, 2, new Shape(Samples, 1)).astype(NPTypeCode.Single));
        NDArray noise = random.normal(0.0, 1.0, new Shape(Samples, Features)).astype(NPTypeCode.Single);
        _x = scope.Returns(noise + (_labels - 0.5f));
    }

    public static ITrainer Create(TrainerOptions options) => new LogisticRegression(options);

    public IReadOnlyDictionary<string, NDArray> State => new Dictionary<string, NDArray> { ["w"] = _w, ["b"] = _b };

    public void Initial(ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        taps.Tap("init.w", _w);
        taps.Tap("init.b", _b);
        taps.Tap("data.x", _x);
        taps.Tap("data.labels", _labels);
    }

    public void Step(long step, ITaps taps)
    {
        using NDScope scope = NDScope.Open(); // whatever the step allocates goes back when it ends
        long start = step % (Samples / _batch) * _batch;
        NDArray x = _x[$"{start}:{start + _batch}"];
        NDArray labels = _labels[$"{start}:{start + _batch}"];

        NDArray product = taps.Tap("product", np.dot(x, _w));
        NDArray logits = taps.Tap("logits", product + _b);
        NDArray exps = taps.Tap("exps", _math.Exp(-logits));
        NDArray p = taps.Tap("p", 1f / (1f + exps));

        NDArray likelihood = (labels * np.log(p)) + ((1f - labels) * np.log(1f - p));
        taps.Tap("loss.likelihood", likelihood);
        taps.Tap("loss.mean", _math.Mean(likelihood));

        NDArray gradient = taps.Tap("grad.logits", (p - labels) * (1f / _batch));
        NDArray gradW = taps.Tap("grad.w", np.dot(x.T, gradient));
        NDArray gradB = taps.Tap("grad.b", np.sum(gradient, axis: 0));

        np.subtract(_w, gradW * _rate, @out: _w);
        taps.Tap("w", _w);
        np.subtract(_b, gradB * _rate, @out: _b);
        taps.Tap("b", _b);
    }

    public void Dispose()
    {
        _x.Dispose();
        _labels.Dispose();
        _w.Dispose();
        _b.Dispose();
    }
}
