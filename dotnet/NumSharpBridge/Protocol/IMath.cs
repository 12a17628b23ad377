using NumSharp;

namespace Cotrain;

/// <summary>
/// Functions that a trainer takes from here, so that <c>--math</c> can choose between the bridge's, which have NumPy's
/// bits, and NumSharp's own, which do not in exp, sum and mean (0.70.0).
/// </summary>
public interface IMath
{
    /// <summary>Elementwise e^x; same shape and dtype.</summary>
    NDArray Exp(NDArray x);

    /// <summary>Elementwise natural logarithm; same shape and dtype.</summary>
    NDArray Log(NDArray x);

    /// <summary>Elementwise square root; same shape and dtype.</summary>
    NDArray Sqrt(NDArray x);

    /// <summary>Sum of all elements, 0-d, of the operand's dtype.</summary>
    NDArray Sum(NDArray x);

    /// <summary>Mean of all elements, 0-d, of the operand's dtype.</summary>
    NDArray Mean(NDArray x);
}
