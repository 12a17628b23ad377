using Cotrain;
using NumSharp;

namespace Logistic;

/// <summary>Logistic regression by stochastic gradient descent: the NumSharp side. Python: logistic.py.</summary>
public sealed class Trainer : ITrainer
{
    private const int Samples = 480;
    private const int Features = 20;
    private const int Batch = 60;

    private readonly IMath _math;
    private readonly bool _planted;
    private readonly NDArray _rate = NDArray.Scalar(0.5f);
    private readonly NDArray _one = NDArray.Scalar(1f);
    private readonly NDArray _factor = NDArray.Scalar(1f / Batch);
    private readonly NDArray _x;
    private readonly NDArray _y;
    private readonly NDArray _w = np.zeros(new Shape(Features), NPTypeCode.Single);
    private readonly NDArray _b = NDArray.Scalar(0f);

    private Trainer(TrainerOptions options)
    {
        _math = options.Math;
        _planted = options.Extra.ContainsKey("plant");
        NumPyRandom random = np.random.RandomState((int)options.Seed);
        _x = random.normal(0.0, 1.0, new Shape(Samples, Features)).astype(NPTypeCode.Single);
        NDArray truth = random.normal(0.0, 1.0, new Shape(Features)).astype(NPTypeCode.Single);
        _y = np.greater(np.dot(_x, truth), NDArray.Scalar(0f)).astype(NPTypeCode.Single);
    }

    public IReadOnlyDictionary<string, NDArray> State => new Dictionary<string, NDArray> { ["w"] = _w, ["b"] = _b };

    public static ITrainer Create(TrainerOptions options) => new Trainer(options);

    public void Initial(ITaps taps)
    {
        taps.Tap("data.x", _x);
        taps.Tap("data.y", _y);
        taps.Tap("init.w", _w);
        taps.Tap("init.b", _b);
    }

    public void Step(long step, ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        long batch = step % (Samples / Batch);
        string rows = $"{batch * Batch}:{(batch + 1) * Batch}";
        (NDArray x, NDArray y) = (_x[rows], _y[rows]);
        NDArray product = taps.Tap("product", np.dot(x, _w));
        NDArray logits = taps.Tap("logits", np.add(product, _b));
        NDArray exps = taps.Tap("exps", _math.Exp(np.negative(logits)));
        NDArray p = taps.Tap("p", np.divide(_one, np.add(_one, exps)));
        NDArray error = taps.Tap("error", np.subtract(p, y));
        // --option plant=1: the factor before the product, a rounding elsewhere.
        NDArray gradW = _planted
            ? np.dot(x.T, np.multiply(error, _factor))
            : np.multiply(np.dot(x.T, error), _factor);
        taps.Tap("grad.w", gradW);
        NDArray gradB = taps.Tap("grad.b", np.multiply(np.sum(error, axis: 0), _factor));
        taps.Tap("w", np.subtract(_w, np.multiply(_rate, gradW), @out: _w));
        taps.Tap("b", np.subtract(_b, np.multiply(_rate, gradB), @out: _b));
    }

    public void Dispose()
    {
        foreach (NDArray array in (NDArray[])[_rate, _one, _factor, _x, _y, _w, _b])
        {
            array.Dispose();
        }
    }
}
