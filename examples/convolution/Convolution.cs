using System.Globalization;
using Cotrain;
using NumSharp;

namespace Examples;

/// <summary>A convolution layer with SGD and momentum, the NumSharp side; convolution.py declares the taps.</summary>
public sealed class Convolution : ITrainer
{
    private const int Images = 16, Side = 8, Channels = 2;
    private const int Kernel = 3, Filters = 4;
    private const int Out = Side - Kernel + 1;
    private const int Patch = Kernel * Kernel * Channels;
    private const float Decay = 0.9f;

    private readonly float _rate;
    private readonly IMath _math;
    private readonly NDArray _images;
    private readonly NDArray _target;
    private readonly NDArray _w;
    private readonly NDArray _b = np.zeros(new Shape(Filters), NPTypeCode.Single);
    private readonly NDArray _momentumW = np.zeros(new Shape(Patch, Filters), NPTypeCode.Single);
    private readonly NDArray _momentumB = np.zeros(new Shape(Filters), NPTypeCode.Single);
    private readonly NDArray _columns = np.zeros(new Shape(Images * Out * Out, Patch), NPTypeCode.Single);

    private Convolution(TrainerOptions options)
    {
        using NDScope scope = NDScope.Open();
        _rate = (float)double.Parse(options.Extra.GetValueOrDefault("rate", "0.2"), CultureInfo.InvariantCulture);
        _math = options.Math;
        NumPyRandom random = np.random.RandomState((int)(options.Seed ?? 1));
        _images = scope.Returns(Draw(random, 1.0, new Shape(Images, Side, Side, Channels)));
        NDArray teacher = Draw(random, 0.5, new Shape(Patch, Filters));
        _w = scope.Returns(Draw(random, 0.1, new Shape(Patch, Filters)));
        _target = scope.Returns(np.maximum(np.dot(Patches(), teacher), NDArray.Scalar(0f)));
    }

    public static ITrainer Create(TrainerOptions options) => new Convolution(options);

    public IReadOnlyDictionary<string, NDArray> State => new Dictionary<string, NDArray>
    {
        ["w"] = _w, ["b"] = _b, ["momentum.w"] = _momentumW, ["momentum.b"] = _momentumB,
    };

    public void Initial(ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        taps.Tap("init.w", _w);
        taps.Tap("init.b", _b);
        taps.Tap("data.images", _images);
        taps.Tap("data.target", _target);
    }

    public void Step(long step, ITaps taps)
    {
        using NDScope scope = NDScope.Open(); // whatever the step allocates goes back when it ends
        NDArray columns = taps.Tap("patches", Patches());
        NDArray product = taps.Tap("product", np.dot(columns, _w));
        NDArray preact = taps.Tap("preact", product + _b);
        NDArray output = taps.Tap("output", np.maximum(preact, NDArray.Scalar(0f)));

        NDArray error = taps.Tap("error", output - _target);
        taps.Tap("loss.mean", _math.Mean(error * error));
        NDArray positive = (preact > 0f).astype(NPTypeCode.Single);
        NDArray gradient = taps.Tap("grad.preact", error * (float)(2.0 / error.size) * positive);
        NDArray gradB = taps.Tap("grad.b", np.sum(gradient, axis: 0));
        NDArray gradW = taps.Tap("grad.w", np.dot(columns.T, gradient));

        Update("b", _b, _momentumB, gradB, taps);
        Update("w", _w, _momentumW, gradW, taps);
    }

    public void Dispose()
    {
        _images.Dispose();
        _target.Dispose();
        _w.Dispose();
        _b.Dispose();
        _momentumW.Dispose();
        _momentumB.Dispose();
        _columns.Dispose();
    }

    private static NDArray Draw(NumPyRandom random, double deviation, Shape shape)
    {
        using NDArray drawn = random.normal(0.0, deviation, shape);
        return drawn.astype(NPTypeCode.Single);
    }

    private void Update(string name, NDArray value, NDArray momentum, NDArray gradient, ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        np.add(momentum * Decay, gradient, @out: momentum);
        taps.Tap($"momentum.{name}", momentum);
        np.subtract(value, momentum * _rate, @out: value);
        taps.Tap(name, value);
    }

    /// <summary>Every 3 x 3 patch as a row: (images * 36, 18).</summary>
    private NDArray Patches()
    {
        using NDScope scope = NDScope.Open();
        NDArray views = _columns.reshape(Images, Out, Out, Kernel * Kernel, Channels);
        for (int row = 0; row < Kernel; row++)
        {
            for (int column = 0; column < Kernel; column++)
            {
                views[$":, :, :, {row * Kernel + column}, :"] =
                    _images[$":, {row}:{row + Out}, {column}:{column + Out}, :"];
            }
        }
        return _columns;
    }
}
