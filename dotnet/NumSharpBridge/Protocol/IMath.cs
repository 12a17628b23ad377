using NumSharp;

namespace Cotrain;

/// <summary>
/// The functions in which NumSharp 0.70.0 does not give NumPy's bits. <c>--math</c> chooses between the
/// bridge's exact ones and NumSharp's own.
/// </summary>
public interface IMath
{
    /// <summary>Elementwise e^x; same shape and dtype.</summary>
    NDArray Exp(NDArray x);

    /// <summary>Sum of all elements, 0-d, of the operand's dtype.</summary>
    NDArray Sum(NDArray x);

    /// <summary>Mean of all elements, 0-d, of the operand's dtype.</summary>
    NDArray Mean(NDArray x);
}
