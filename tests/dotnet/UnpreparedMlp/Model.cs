using NumSharp;

namespace UnpreparedMlp;

/// <summary>A layer: what went in, what came out, what is trained, and the gradients of all three.</summary>
public abstract class Layer
{
    public NDArray? Input { get; protected set; }

    public NDArray? Output { get; protected set; }

    public NDArray? InputGrad { get; protected set; }

    public Dictionary<string, NDArray> Parameters { get; } = [];

    public Dictionary<string, NDArray> Grads { get; } = [];

    public abstract void Forward(NDArray x);

    public abstract void Backward(NDArray grad);
}

/// <summary>What the outputs cost, and the gradient of that.</summary>
public abstract class Cost
{
    public abstract NDArray Forward(NDArray predictions, NDArray labels);

    public abstract NDArray Backward(NDArray predictions, NDArray labels);
}

/// <summary>Changes a layer's parameters by its gradients; iterations count from 1.</summary>
public abstract class Optimizer
{
    public abstract void Update(int iteration, Layer layer);
}
