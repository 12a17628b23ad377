using Cotrain;
using NumSharp;
using NumSharp.Backends.Iteration;

namespace MnistMlp;

/// <summary>
/// A dense layer with bias and an optional ReLU, forward and backward. Twin: twin/fully_connected.py.
/// </summary>
/// <remarks>
/// The weights belong to the optimizer (<see cref="Adam"/>), which updates them in place. Products have no
/// buffers of their own (np.dot's <c>out</c> would copy); the step's scope returns them to NumSharp's pool.
/// </remarks>
public sealed class FullyConnectedFused : IDisposable
{
    // max(x + b, 0): NumPy adds, then takes the maximum; both exact, so the fused result is the same.
    private static readonly FusedKernel BiasRelu =
        new(NDExpr.Max(NDExpr.Input(0) + NDExpr.Input(1), NDExpr.Const(0f)), 2);

    private static readonly FusedKernel Bias = new(NDExpr.Input(0) + NDExpr.Input(1), 2);

    // A product by 1 or 0, as in NumPy: a negative gradient times 0 is -0.
    private static readonly FusedKernel ReluGradient =
        new(NDExpr.Input(0) * NDExpr.Greater(NDExpr.Input(1), NDExpr.Const(0f)), 2);

    [NDBorrowed]
    private readonly NDArray _w;

    [NDBorrowed]
    private readonly NDArray _b;

    private readonly NDArray _wTransposed;
    private readonly bool _relu;
    private readonly NDArray _output;
    private readonly NDArray? _gradient;
    private readonly string _preactName;
    private readonly string _outputName;
    private readonly string _gradPreactName;
    private readonly string _gradWName;
    private readonly string _gradBName;
    private readonly string _gradInputName;

    /// <param name="name">Prefix of the layer's taps.</param>
    /// <param name="batch">Rows of a training batch.</param>
    /// <param name="w">(inputs, outputs) float32, C order; changes in place.</param>
    /// <param name="b">(outputs,) float32; changes in place.</param>
    /// <param name="relu">Whether the output passes through max(., 0).</param>
    public FullyConnectedFused(string name, int batch, NDArray w, NDArray b, bool relu)
    {
        _w = w;
        _b = b;
        _wTransposed = w.T;
        _relu = relu;
        _output = np.zeros(new Shape(batch, w.shape[1]), NPTypeCode.Single);
        _gradient = relu ? np.zeros(new Shape(batch, w.shape[1]), NPTypeCode.Single) : null;
        _preactName = name + ".preact";
        _outputName = name + ".output";
        _gradPreactName = name + ".grad.preact";
        _gradWName = name + ".grad.w";
        _gradBName = name + ".grad.b";
        _gradInputName = name + ".grad.input";
    }

    /// <summary>Gradient of the weights, (inputs, outputs); valid until the step's scope ends.</summary>
    [NDBorrowed]
    public NDArray GradW { get; private set; } = null!;

    /// <summary>Gradient of the bias, (outputs,); valid until the step's scope ends.</summary>
    [NDBorrowed]
    public NDArray GradB { get; private set; } = null!;

    /// <summary>The layer's result for a training batch of shape (batch, inputs).</summary>
    public NDArray Forward(NDArray x, ITaps taps)
    {
        NDArray preact = taps.Tap(_preactName, np.dot(x, _w));
        Activate(preact, _output);
        return taps.Tap(_outputName, _output);
    }

    /// <summary>
    /// From the gradient of the layer's output, (batch, outputs): those of its weights and bias, and that of its
    /// input, (batch, inputs), which is returned.
    /// </summary>
    public NDArray Backward(NDArray x, NDArray gradient, ITaps taps)
    {
        if (_gradient is not null)
        {
            ReluGradient.Run(gradient, _output, _gradient);
            gradient = taps.Tap(_gradPreactName, _gradient);
        }

        GradW = taps.Tap(_gradWName, np.dot(x.T, gradient));
        GradB = taps.Tap(_gradBName, np.sum(gradient, axis: 0));
        return taps.Tap(_gradInputName, np.dot(gradient, _wTransposed));
    }

    /// <summary>The layer's result for any number of rows, without taps: for evaluation.</summary>
    public NDArray Apply(NDArray x)
    {
        NDArray preact = np.dot(x, _w);
        NDArray output = np.empty(preact.Shape, NPTypeCode.Single);
        Activate(preact, output);
        return output;
    }

    /// <summary>Gives the layer's own buffers back.</summary>
    public void Dispose()
    {
        _wTransposed.Dispose();
        _output.Dispose();
        _gradient?.Dispose();
    }

    private void Activate(NDArray preact, NDArray output) => (_relu ? BiasRelu : Bias).Run(preact, _b, output);
}
