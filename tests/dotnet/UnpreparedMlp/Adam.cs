using NumSharp;

namespace UnpreparedMlp;

/// <summary>
/// Adam. <paramref name="square"/>: <c>product</c> or <c>power</c> (np.power(grad, 2)); <paramref name="correction"/>:
/// <c>running</c> products of the betas in float, or <c>pow</c> (Math.Pow(beta, t)).
/// </summary>
public sealed class Adam(float rate, string square, string correction) : Optimizer
{
    private const float Beta1 = 0.9f;
    private const float Beta2 = 0.999f;
    private readonly Dictionary<(Layer, string), (NDArray M, NDArray V)> _moments = [];
    private int _iteration;

    /// <summary>Product of beta1 over all iterations; a number among arrays.</summary>
    public float Product1 { get; private set; } = 1f;

    /// <summary>The same of beta2.</summary>
    public float Product2 { get; private set; } = 1f;

    public override void Update(int iteration, Layer layer)
    {
        if (iteration != _iteration)
        {
            _iteration = iteration;
            Product1 *= Beta1;
            Product2 *= Beta2;
        }
        bool pow = correction == "pow";
        float correction1 = 1 - (pow ? (float)Math.Pow(Beta1, iteration) : Product1);
        float correction2 = 1 - (pow ? (float)Math.Pow(Beta2, iteration) : Product2);
        foreach ((string name, NDArray value) in layer.Parameters.ToList())
        {
            NDArray grad = layer.Grads[name];
            (NDArray m, NDArray v) = _moments.TryGetValue((layer, name), out (NDArray M, NDArray V) known)
                ? known
                : (np.zeros(value.Shape, NPTypeCode.Single), np.zeros(value.Shape, NPTypeCode.Single));
            m = (Beta1 * m) + ((1 - Beta1) * grad);
            v = (Beta2 * v) + ((1 - Beta2) * (square == "power" ? np.power(grad, 2) : grad * grad));
            _moments[(layer, name)] = (m, v);
            layer.Parameters[name] = value - (rate * (m / correction1) / (np.sqrt(v / correction2) + 1e-7f));
        }
    }
}
