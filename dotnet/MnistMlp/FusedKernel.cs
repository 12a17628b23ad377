using NumSharp;
using NumSharp.Backends.Iteration;

namespace MnistMlp;

/// <summary>
/// An expression over float32 arrays, compiled once by NumSharp and run in one sweep: no array is made for
/// what lies between its inputs and its output.
/// </summary>
/// <remarks>
/// NumPy has no counterpart: there the same group is a row of ufunc calls. The bits are the same, because
/// every operation still rounds to float32 and nothing is contracted (a product and a sum stay two roundings).
/// </remarks>
internal sealed class FusedKernel
{
    private readonly NDInnerLoopFunc _loop;
    private readonly NDIterPerOpFlags[] _access;

    /// <param name="expression">Reads <c>NDExpr.Input(0)</c> to <c>NDExpr.Input(inputs - 1)</c>.</param>
    /// <param name="inputs">Number of input arrays.</param>
    public FusedKernel(NDExpr expression, int inputs)
    {
        var types = new NPTypeCode[inputs];
        Array.Fill(types, NPTypeCode.Single);
        // No cache key of our own: NumSharp derives one from the tree, so that two kernels cannot be mixed up.
        _loop = expression.Compile(types, NPTypeCode.Single, cacheKey: null);
        _access = new NDIterPerOpFlags[inputs + 1];
        Array.Fill(_access, NDIterPerOpFlags.READONLY);
        _access[inputs] = NDIterPerOpFlags.WRITEONLY;
    }

    /// <summary>
    /// Runs the kernel: the inputs broadcast to the last operand, which is written. An input may be the very
    /// array that is written, since each element is read before it is stored.
    /// </summary>
    public void Run(params NDArray[] operands)
    {
        using NDIterRef iterator = NDIterRef.MultiNew(
            _access.Length,
            operands,
            NDIterGlobalFlags.EXTERNAL_LOOP,
            NPY_ORDER.NPY_KEEPORDER,
            NPY_CASTING.NPY_NO_CASTING,
            _access);
        unsafe
        {
            iterator.ForEach(_loop);
        }
    }
}
