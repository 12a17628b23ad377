using NumSharp;

namespace UnpreparedMlp;

public enum Activation
{
    None,
    Relu,
}

/// <summary>A dense layer with bias; draws its own weights, from whatever NumSharp's generator is at.</summary>
public sealed class Dense : Layer
{
    private readonly Activation _activation;

    public Dense(int inputs, int outputs, Activation activation = Activation.None)
    {
        _activation = activation;
        Parameters["w"] = np.random.normal(0.0, 0.05, new Shape(inputs, outputs)).astype(NPTypeCode.Single);
        Parameters["b"] = np.zeros(new Shape(outputs), NPTypeCode.Single);
    }

    public override void Forward(NDArray x)
    {
        Input = x;
        NDArray sum = np.dot(x, Parameters["w"]) + Parameters["b"];
        Output = _activation == Activation.Relu ? np.maximum(sum, NDArray.Scalar(0f)) : sum;
    }

    public override void Backward(NDArray grad)
    {
        if (_activation == Activation.Relu)
        {
            grad *= (Output! > 0).astype(NPTypeCode.Single);
        }
        Grads["w"] = np.dot(Input!.T, grad);
        Grads["b"] = np.sum(grad, axis: 0);
        InputGrad = np.dot(grad, Parameters["w"].T);
    }
}
