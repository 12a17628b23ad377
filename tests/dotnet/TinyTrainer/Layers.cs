using Cotrain;
using NumSharp;

namespace TinyTrainer;

/// <summary>A layer as most people have it: no taps, results returned. Twin: tests/testing/test_layer_pair.py.</summary>
public sealed class PlainLayer(NDArray w, float scale = 1f) : IDisposable
{
    public static int Alive { get; private set; }

    private readonly int _alive = ++Alive;

    public NDArray Forward(NDArray x) => np.multiply(np.dot(x, w), NDArray.Scalar(scale));

    public Dictionary<string, NDArray> Backward(NDArray x, NDArray gradOutput) => new()
    {
        ["grad.w"] = np.dot(x.T, gradOutput),
        ["grad.input"] = np.dot(gradOutput, w.T),
    };

    public (NDArray, long) Pair(NDArray x) => (np.copy(x), _alive > 0 ? 7 : 0);

    public NDArray Throw(NDArray x, ITaps taps)
    {
        taps.Tap("before", x);
        throw new InvalidOperationException("planted");
    }

    public void Nothing()
    {
    }

    public string Text() => "text";

    public void Dispose() => Alive--;
}

/// <summary>A layer with taps that uses one buffer twice, works in a scope, and takes exp from <c>IMath</c>.</summary>
public sealed class TappedLayer(int rows, IMath math)
{
    private readonly NDArray _buffer = np.zeros(new Shape(rows, 4), NPTypeCode.Single);

    public NDArray Forward(ITaps taps, NDArray x, float bias = 0.5f)
    {
        using NDScope scope = NDScope.Open();
        taps.Tap("biased", np.add(x, NDArray.Scalar(bias), @out: _buffer));
        taps.Tap("doubled", np.add(_buffer, _buffer, @out: _buffer));
        taps.Tap("strided", _buffer["::2, ::-1"]);
        float factor = bias;
        taps.Tap("factor", ref factor);
        return scope.Returns(taps.Tap("exp", math.Exp(_buffer)));
    }
}

/// <summary>Functions without a layer.</summary>
public static class Functions
{
    public static NDArray Relu(NDArray x) => np.maximum(x, NDArray.Scalar(0f));

    public static NDArray Reshape(NDArray x, int[] shape) => x.reshape(shape);
}

internal sealed class Hidden
{
}
