using NumSharp;

namespace Cotrain.Kernels;

/// <summary>NumSharp's own functions, unchanged: what <c>--math numsharp</c> puts to the test.</summary>
public sealed class NumSharpMath : IMath
{
    /// <inheritdoc/>
    public NDArray Exp(NDArray x) => np.exp(x);

    /// <inheritdoc/>
    public NDArray Log(NDArray x) => np.log(x);

    /// <inheritdoc/>
    public NDArray Sqrt(NDArray x) => np.sqrt(x);

    /// <inheritdoc/>
    public NDArray Sum(NDArray x) => np.sum(x);

    /// <inheritdoc/>
    public NDArray Mean(NDArray x) => np.mean(x);
}
