using System.Numerics;

namespace Cotrain.Blas;

/// <summary>NumPy's vector product of one output element: BLAS if both increments are positive.</summary>
internal static unsafe class VectorDot
{
    /// <summary>Sum of x·y over n elements; increments of any sign.</summary>
    internal static T Of<T>(Cblas<T> blas, T* x, long incX, T* y, long incY, long n)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        if (incX <= 0 || incY <= 0 || incX > blas.MaxStride || incY > blas.MaxStride)
        {
            return PlainLoop.Sum(x, incX, y, incY, n);
        }
        // In double from +0 as NumPy does, also for one piece: it turns a −0 into +0.
        double sum = 0.0;
        while (n > 0)
        {
            long piece = Math.Min(n, blas.Chunk);
            sum += double.CreateTruncating(blas.Dot(piece, x, incX, y, incY));
            x += piece * incX;
            y += piece * incY;
            n -= piece;
        }
        return T.CreateTruncating(sum);
    }
}
