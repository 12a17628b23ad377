using Cotrain;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// Adam in float32 with bias correction by running products of the betas. Twin: twin/adam.py.
/// </summary>
/// <remarks>
/// Every scalar is rounded to float32 before it meets an array: lr 1e-3f (0x3A83126F), beta1 0.9f (0x3F666666),
/// 1f - beta1 (0x3DCCCCD0; the literal 0.1f would be 0x3DCCCCCD), beta2 0.999f (0x3F7FBE77), 1f - beta2
/// (0x3A831200), epsilon 1e-7f (0x33D6BF95). 1 - product is rounded once more in every step.
/// </remarks>
internal sealed class Adam : IDisposable
{
    /// <summary>Learning rate.</summary>
    public const float LearningRate = 1e-3f;

    /// <summary>Decay of the first moment.</summary>
    public const float Beta1 = 0.9f;

    /// <summary>Decay of the second moment.</summary>
    public const float Beta2 = 0.999f;

    /// <summary>Weight of the gradient in the first moment: rounded after <see cref="Beta1"/> is.</summary>
    public const float OneMinusBeta1 = 1f - Beta1;

    /// <summary>Weight of the squared gradient in the second moment: rounded after <see cref="Beta2"/> is.</summary>
    public const float OneMinusBeta2 = 1f - Beta2;

    /// <summary>Added to the root of the second moment.</summary>
    public const float Epsilon = 1e-7f;

    private readonly NDArray _one = NDArray.Scalar(1f);
    private readonly NDArray _beta1 = NDArray.Scalar(Beta1);
    private readonly NDArray _beta2 = NDArray.Scalar(Beta2);

    /// <summary>Product of beta1 over all steps so far, 0-d; 1 before the first.</summary>
    public NDArray Beta1Product { get; } = NDArray.Scalar(1f);

    /// <summary>Product of beta2 over all steps so far, 0-d; 1 before the first.</summary>
    public NDArray Beta2Product { get; } = NDArray.Scalar(1f);

    /// <summary>1 - <see cref="Beta1Product"/>, 0-d.</summary>
    public NDArray Correction1 { get; } = NDArray.Scalar(0f);

    /// <summary>1 - <see cref="Beta2Product"/>, 0-d.</summary>
    public NDArray Correction2 { get; } = NDArray.Scalar(0f);

    /// <summary>Moves on to the next step: both products, and what is derived from them.</summary>
    public void Advance(ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        taps.Tap("adam.beta1_product", np.multiply(Beta1Product, _beta1, @out: Beta1Product));
        taps.Tap("adam.beta2_product", np.multiply(Beta2Product, _beta2, @out: Beta2Product));
        np.subtract(_one, Beta1Product, @out: Correction1);
        np.subtract(_one, Beta2Product, @out: Correction2);
    }

    /// <summary>Gives the arrays back.</summary>
    public void Dispose()
    {
        _one.Dispose();
        _beta1.Dispose();
        _beta2.Dispose();
        Beta1Product.Dispose();
        Beta2Product.Dispose();
        Correction1.Dispose();
        Correction2.Dispose();
    }
}
