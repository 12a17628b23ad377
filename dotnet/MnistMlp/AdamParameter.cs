using Cotrain;
using NumSharp;
using NumSharp.Backends.Iteration;

namespace MnistMlp;

/// <summary>
/// One parameter under <see cref="Adam"/>: its value and its two moments, all updated in place.
/// Twin: AdamParameter in twin/adam.py.
/// </summary>
/// <remarks>
/// Five kernels, one sweep each. The corrections are operands and not constants of a kernel, because they change
/// in every step; m / (1 - product) is a division, not a product by the reciprocal.
/// </remarks>
internal sealed class AdamParameter : IDisposable
{
    private static readonly FusedKernel MKernel = new(
        (NDExpr.Const(Adam.Beta1) * NDExpr.Input(0)) + (NDExpr.Const(Adam.OneMinusBeta1) * NDExpr.Input(1)), 2);

    private static readonly FusedKernel VKernel = new(
        (NDExpr.Const(Adam.Beta2) * NDExpr.Input(0))
            + (NDExpr.Const(Adam.OneMinusBeta2) * (NDExpr.Input(1) * NDExpr.Input(1))),
        2);

    private static readonly FusedKernel CorrectKernel = new(NDExpr.Input(0) / NDExpr.Input(1), 2);

    private static readonly FusedKernel PKernel = new(
        NDExpr.Input(0)
            - ((NDExpr.Const(Adam.LearningRate) * NDExpr.Input(1))
                / (NDExpr.Sqrt(NDExpr.Input(2)) + NDExpr.Const(Adam.Epsilon))),
        3);

    private readonly NDArray _mHat;
    private readonly NDArray _vHat;
    private readonly string _mName;
    private readonly string _vName;
    private readonly string _mHatName;
    private readonly string _vHatName;
    private readonly string _pName;

    /// <param name="name">The parameter's name, <c>fc1.w</c> say.</param>
    /// <param name="value">Its initial value, float32; owned and changed from now on.</param>
    public AdamParameter(string name, NDArray value)
    {
        Name = name;
        Value = value;
        M = np.zeros(value.Shape, NPTypeCode.Single);
        V = np.zeros(value.Shape, NPTypeCode.Single);
        _mHat = np.zeros(value.Shape, NPTypeCode.Single);
        _vHat = np.zeros(value.Shape, NPTypeCode.Single);
        _mName = $"adam.{name}.m";
        _vName = $"adam.{name}.v";
        _mHatName = $"adam.{name}.m_hat";
        _vHatName = $"adam.{name}.v_hat";
        _pName = $"adam.{name}.p";
    }

    /// <summary>The parameter's name.</summary>
    public string Name { get; }

    /// <summary>The parameter.</summary>
    public NDArray Value { get; }

    /// <summary>First moment.</summary>
    public NDArray M { get; }

    /// <summary>Second moment.</summary>
    public NDArray V { get; }

    /// <summary>One update by the gradient of the parameter's shape.</summary>
    public void Update(NDArray gradient, Adam adam, ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        MKernel.Run(M, gradient, M);
        taps.Tap(_mName, M);
        VKernel.Run(V, gradient, V);
        taps.Tap(_vName, V);
        CorrectKernel.Run(M, adam.Correction1, _mHat);
        taps.Tap(_mHatName, _mHat);
        CorrectKernel.Run(V, adam.Correction2, _vHat);
        taps.Tap(_vHatName, _vHat);
        PKernel.Run(Value, _mHat, _vHat, Value);
        taps.Tap(_pName, Value);
    }

    /// <summary>Gives the arrays back.</summary>
    public void Dispose()
    {
        Value.Dispose();
        M.Dispose();
        V.Dispose();
        _mHat.Dispose();
        _vHat.Dispose();
    }
}
