using Cotrain;
using NumSharp;
using NumSharp.Backends.Iteration;

namespace MnistMlp;

/// <summary>
/// Softmax and categorical cross-entropy over rows, and their common gradient.
/// Twin: twin/softmax_cross_entropy.py.
/// </summary>
/// <remarks>
/// Scalars, each rounded to float32 once: the clip is 1e-7f (0x33D6BF95), the gradient's factor 1f/batch
/// (0x3C000000 for 128). The product with the one-hot labels gives -0 where the label is 0, in NumPy too.
/// </remarks>
public sealed class SoftmaxCrossEntropy : IDisposable
{
    /// <summary>Smallest probability whose logarithm is taken.</summary>
    public const float Clip = 1e-7f;

    private readonly IMath _math;
    private readonly NDArray _clip = NDArray.Scalar(Clip);
    private readonly FusedKernel _gradientKernel;
    private readonly NDArray _shifted;
    private readonly NDArray _softmax;
    private readonly NDArray _clipped;
    private readonly NDArray _weighted;
    private readonly NDArray _gradient;

    /// <param name="batch">Rows of a batch.</param>
    /// <param name="classes">Columns: one per class.</param>
    /// <param name="math">Where exp, log and the mean over all elements come from.</param>
    public SoftmaxCrossEntropy(int batch, int classes, IMath math)
    {
        _math = math;
        // (softmax - labels) * (1f/batch): a difference, then a product by the factor, both rounded.
        _gradientKernel = new FusedKernel((NDExpr.Input(0) - NDExpr.Input(1)) * NDExpr.Const(GradientFactor(batch)), 2);
        var shape = new Shape(batch, classes);
        _shifted = np.zeros(shape, NPTypeCode.Single);
        _softmax = np.zeros(shape, NPTypeCode.Single);
        _clipped = np.zeros(shape, NPTypeCode.Single);
        _weighted = np.zeros(shape, NPTypeCode.Single);
        _gradient = np.zeros(shape, NPTypeCode.Single);
    }

    /// <summary>What the gradient is multiplied by: 1 / batch, rounded.</summary>
    public static float GradientFactor(int batch) => 1f / batch;

    /// <summary>
    /// From logits (batch, classes) and one-hot float32 labels of that shape: the loss, and the gradient of the
    /// logits, which is returned. The loss is tapped as the mean logarithm, before its negation.
    /// </summary>
    public NDArray Run(NDArray logits, NDArray oneHot, ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        NDArray rowMax = taps.Tap("loss.rowmax", np.max(logits, axis: 1, keepdims: true));
        NDArray shifted = taps.Tap("loss.shifted", np.subtract(logits, rowMax, @out: _shifted));
        NDArray exps = taps.Tap("loss.exps", _math.Exp(shifted));
        NDArray rowSum = taps.Tap("loss.rowsum", np.sum(exps, axis: 1, keepdims: true));
        NDArray softmax = taps.Tap("loss.softmax", np.divide(exps, rowSum, @out: _softmax));
        NDArray clipped = taps.Tap("loss.clipped", np.maximum(softmax, _clip, _clipped));
        NDArray log = taps.Tap("loss.log", _math.Log(clipped));
        NDArray weighted = taps.Tap("loss.weighted", np.multiply(oneHot, log, @out: _weighted));
        NDArray perSample = taps.Tap("loss.per_sample", np.sum(weighted, axis: 1));
        taps.Tap("loss.mean", _math.Mean(perSample));
        _gradientKernel.Run(softmax, oneHot, _gradient);
        return scope.Returns(taps.Tap("loss.grad", _gradient));
    }

    /// <summary>Gives the buffers back.</summary>
    public void Dispose()
    {
        _clip.Dispose();
        _shifted.Dispose();
        _softmax.Dispose();
        _clipped.Dispose();
        _weighted.Dispose();
        _gradient.Dispose();
    }
}
