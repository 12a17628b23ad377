using System.Numerics;
using NumSharp;
using NumSharp.Backends;

namespace Cotrain.Blas;

/// <summary>
/// NumSharp's products by the calls that NumPy makes for the same operands, into the given OpenBLAS. For
/// float32, float64 and what NumPy promotes to them; NumSharp computes the rest itself.
/// </summary>
/// <remarks>Stateless: one instance may serve several threads, as far as the library does.</remarks>
public sealed class OpenBlasBackend : IBlasBackend
{
    /// <summary>On an open library.</summary>
    public OpenBlasBackend(OpenBlasLibrary library)
    {
        ArgumentNullException.ThrowIfNull(library);
        Library = library;
    }

    /// <summary>The library that is called.</summary>
    public OpenBlasLibrary Library { get; }

    /// <inheritdoc/>
    public string Info => $"{Library.Path}: {Library.Configuration.TrimEnd()}, {Library.Threads} thread(s)";

    /// <inheritdoc/>
    /// <exception cref="IncorrectShapeException">The operands are not aligned.</exception>
    public bool TryDot(NDArray left, NDArray right, out NDArray result)
    {
        DotShapes.CheckDot(left, right);
        switch (Promotion.Of(left.typecode, right.typecode))
        {
            case NPTypeCode.Single:
                return Dot(Library.Single, NPTypeCode.Single, left, right, out result);
            case NPTypeCode.Double:
                return Dot(Library.Double, NPTypeCode.Double, left, right, out result);
            default:
                result = null!;
                return false;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="IncorrectShapeException">The operands are not aligned.</exception>
    public bool TryMatMul2D(NDArray left, NDArray right, NDArray result) => Matmul(left, right, result);

    /// <inheritdoc/>
    /// <exception cref="IncorrectShapeException">The operands are not aligned.</exception>
    public bool TryMatMulBatched(NDArray left, NDArray right, NDArray result) => Matmul(left, right, result);

    private bool Matmul(NDArray left, NDArray right, NDArray result)
    {
        DotShapes.CheckMatmul(left, right, result);
        NPTypeCode type = Promotion.Of(left.typecode, right.typecode);
        if (type != result.typecode)
        {
            return false;
        }
        switch (type)
        {
            case NPTypeCode.Single:
                Matmul(Library.Single, type, left, right, result);
                return true;
            case NPTypeCode.Double:
                Matmul(Library.Double, type, left, right, result);
                return true;
            default:
                return false;
        }
    }

    private static bool Dot<T>(
        Cblas<T> blas, NPTypeCode type, NDArray left, NDArray right, out NDArray result)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var scratch = new Scratch();
        try
        {
            var a = new Operand<T>(left, type, CopyLayout.KeepOrder, ref scratch);
            var b = new Operand<T>(right, type, CopyLayout.KeepOrder, ref scratch);
            result = a.Rank <= 2 && b.Rank <= 2
                ? DotRoutes.Product(blas, type, a, b, ref scratch)
                : a.Rank == 0 || b.Rank == 0
                    ? ScalarProduct.Product(type, a, b)
                    : NdDot.Product(blas, type, a, b);
            return true;
        }
        finally
        {
            scratch.Dispose();
            // Only the raw addresses were in use: the arrays must outlive the calls.
            GC.KeepAlive(left);
            GC.KeepAlive(right);
        }
    }

    private static void Matmul<T>(Cblas<T> blas, NPTypeCode type, NDArray left, NDArray right, NDArray result)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var scratch = new Scratch();
        try
        {
            var a = new Operand<T>(left, type, CopyLayout.MatrixCOrder, ref scratch);
            var b = new Operand<T>(right, type, CopyLayout.MatrixCOrder, ref scratch);
            var c = new Operand<T>(result);
            MatmulRoutes.Product(blas, a, b, c, ref scratch);
        }
        finally
        {
            scratch.Dispose();
            GC.KeepAlive(left);
            GC.KeepAlive(right);
            GC.KeepAlive(result);
        }
    }
}
