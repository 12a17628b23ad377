using Cotrain;
using NumSharp;

namespace Lstm;

/// <summary>An LSTM over short sequences, trained through time: the NumSharp side. Python: lstm.py.</summary>
public sealed class Trainer : ITrainer
{
    private const int Length = 5;
    private const int Batch = 12;
    private const int Inputs = 6;
    private const int Hidden = 8;

    private static readonly NDArray One = NDArray.Scalar(1f);
    private static readonly NDArray Rate = NDArray.Scalar(0.1f);
    private static readonly NDArray Factor = NDArray.Scalar(2f / (Batch * Hidden));

    private readonly IMath _math;
    private readonly NDArray _x;
    private readonly NDArray _y;
    private readonly Dictionary<string, NDArray> _state;

    private Trainer(TrainerOptions options)
    {
        _math = options.Math;
        NumPyRandom random = np.random.RandomState((int)(options.Seed ?? 1337));
        _x = random.normal(0.0, 1.0, new Shape(Length, Batch, Inputs)).astype(NPTypeCode.Single);
        _y = random.uniform(-0.5, 0.5, new Shape(Batch, Hidden)).astype(NPTypeCode.Single);
        _state = new()
        {
            ["wx"] = random.normal(0.0, 0.4, new Shape(Inputs, 4 * Hidden)).astype(NPTypeCode.Single),
            ["wh"] = random.normal(0.0, 0.4, new Shape(Hidden, 4 * Hidden)).astype(NPTypeCode.Single),
            ["b"] = np.zeros(new Shape(4 * Hidden), NPTypeCode.Single),
        };
    }

    public IReadOnlyDictionary<string, NDArray> State => _state;

    public static ITrainer Create(TrainerOptions options) => new Trainer(options);

    public void Initial(ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        taps.Tap("data.x", _x);
        taps.Tap("data.y", _y);
        foreach ((string name, NDArray value) in _state)
        {
            taps.Tap("init." + name, value);
        }
    }

    public void Step(long step, ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        (NDArray wx, NDArray wh, NDArray b) = (_state["wx"], _state["wh"], _state["b"]);
        NDArray h = Zeros(Batch, Hidden);
        NDArray c = h;
        var saved = new Stack<(NDArray X, NDArray H, NDArray C, NDArray I, NDArray F, NDArray O, NDArray G, NDArray Tanh)>();
        for (int t = 0; t < Length; t++)
        {
            NDArray x = _x[$"{t}"];
            NDArray gates = taps.Tap($"t{t}.gates", np.add(np.add(np.dot(x, wx), np.dot(h, wh)), b));
            (NDArray i, NDArray f) = (Sigmoid(Gate(gates, 0)), Sigmoid(Gate(gates, 1)));
            (NDArray o, NDArray g) = (Sigmoid(Gate(gates, 2)), np.tanh(Gate(gates, 3)));
            (NDArray hBefore, NDArray cBefore) = (h, c);
            c = taps.Tap($"t{t}.c", np.add(np.multiply(f, c), np.multiply(i, g)));
            NDArray squashed = np.tanh(c);
            h = taps.Tap($"t{t}.h", np.multiply(o, squashed));
            saved.Push((x, hBefore, cBefore, i, f, o, g, squashed));
        }
        NDArray error = taps.Tap("error", np.subtract(h, _y));

        NDArray dh = np.multiply(error, Factor);
        NDArray dc = Zeros(Batch, Hidden);
        var gradients = _state.ToDictionary(each => each.Key, each => np.zeros_like(each.Value));
        for (int t = Length - 1; t >= 0; t--)
        {
            (NDArray x, NDArray hBefore, NDArray cBefore, NDArray i, NDArray f, NDArray o, NDArray g, NDArray squashed) = saved.Pop();
            dc = np.add(dc, Product(dh, o, np.subtract(One, np.multiply(squashed, squashed))));
            NDArray dGates = taps.Tap($"t{t}.grad.gates", np.concatenate(
                [
                    Product(dc, g, i, np.subtract(One, i)),
                    Product(dc, cBefore, f, np.subtract(One, f)),
                    Product(dh, squashed, o, np.subtract(One, o)),
                    Product(dc, i, np.subtract(One, np.multiply(g, g))),
                ],
                axis: 1));
            np.add(gradients["wx"], np.dot(x.T, dGates), @out: gradients["wx"]);
            np.add(gradients["wh"], np.dot(hBefore.T, dGates), @out: gradients["wh"]);
            np.add(gradients["b"], np.sum(dGates, axis: 0), @out: gradients["b"]);
            dh = np.dot(dGates, wh.T);
            dc = np.multiply(dc, f);
        }
        foreach ((string name, NDArray value) in _state)
        {
            NDArray gradient = taps.Tap("grad." + name, gradients[name]);
            taps.Tap(name, np.subtract(value, np.multiply(Rate, gradient), @out: value));
        }
    }

    public void Dispose()
    {
        _x.Dispose();
        _y.Dispose();
        foreach (NDArray value in _state.Values)
        {
            value.Dispose();
        }
    }

    private static NDArray Zeros(int rows, int columns) => np.zeros(new Shape(rows, columns), NPTypeCode.Single);

    private static NDArray Gate(NDArray gates, int k) => gates[$":, {k * Hidden}:{(k + 1) * Hidden}"];

    /// <summary>From left to right, as NumPy computes a * b * c.</summary>
    private static NDArray Product(params NDArray[] factors) => factors.Aggregate((left, right) => np.multiply(left, right));

    private NDArray Sigmoid(NDArray x)
    {
        using NDScope scope = NDScope.Open();
        return scope.Returns(np.divide(One, np.add(One, _math.Exp(np.negative(x)))));
    }
}
