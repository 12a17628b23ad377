using NumSharp;

namespace UnpreparedMlp;

/// <summary>Softmax and cross-entropy. <paramref name="mean"/>: <c>numpy</c> for NumPy's bits, <c>numsharp</c>.</summary>
public sealed class SoftmaxCost(string mean) : Cost
{
    private NDArray? _softmax;

    public override NDArray Forward(NDArray predictions, NDArray labels)
    {
        NDArray exps = np.exp(predictions - np.max(predictions, axis: 1, keepdims: true));
        _softmax = exps / np.sum(exps, axis: 1, keepdims: true);
        NDArray log = np.log(np.maximum(_softmax, NDArray.Scalar(1e-7f)));
        NDArray perSample = np.sum(labels * log, axis: 1);
        return mean == "numsharp" ? -np.mean(perSample) : -(np.sum(perSample, axis: 0) / (float)perSample.size);
    }

    public override NDArray Backward(NDArray predictions, NDArray labels) =>
        (_softmax! - labels) * (1f / predictions.shape[0]);
}
