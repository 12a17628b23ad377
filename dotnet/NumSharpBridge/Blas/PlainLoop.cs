using System.Numerics;

namespace Cotrain.Blas;

/// <summary>
/// NumPy's own inner loops, where it does not call BLAS: ascending, each product rounded, then added.
/// .NET never contracts the two roundings into one, and neither does NumPy's x86-64 build.
/// </summary>
internal static unsafe class PlainLoop
{
    /// <summary>Sum of x·y in the element type; increments may be zero or negative.</summary>
    internal static T Sum<T>(T* x, long incX, T* y, long incY, long n)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        T sum = T.Zero;
        for (long i = 0; i < n; i++)
        {
            sum += x[i * incX] * y[i * incY];
        }
        return T.IsNaN(sum) ? SumKeepingNaN(x, incX, y, incY, n) : sum;
    }

    /// <summary>x · y; of two NaNs, x comes through.</summary>
    internal static T Multiply<T>(T x, T y) where T : unmanaged, IFloatingPointIeee754<T> =>
        T.IsNaN(x) ? x + T.Zero : T.IsNaN(y) ? y + T.Zero : x * y;

    /// <summary>
    /// The sum once more, with the NaN that the processor lets through in NumPy's code: the first operand's.
    /// The JIT may swap the operands of a sum, which changes the sign or payload of a NaN and nothing else.
    /// </summary>
    private static T SumKeepingNaN<T>(T* x, long incX, T* y, long incY, long n)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        T sum = T.Zero;
        for (long i = 0; i < n; i++)
        {
            T product = Multiply(x[i * incX], y[i * incY]);
            sum = T.IsNaN(sum) ? sum + T.Zero : T.IsNaN(product) ? product : sum + product;
        }
        return sum;
    }
}
