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
    private enum Product
    {
        Vdot,
        Vecdot,
        Matvec,
        Vecmat,
    }

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

    /// <inheritdoc/>
    public bool TryVdot(NDArray a, NDArray b, out NDArray result) => Vectors(Product.Vdot, a, b, out result);

    /// <inheritdoc/>
    public bool TryVecdot(NDArray x1, NDArray x2, out NDArray result) => Vectors(Product.Vecdot, x1, x2, out result);

    /// <inheritdoc/>
    public bool TryMatvec(NDArray x1, NDArray x2, out NDArray result) => Vectors(Product.Matvec, x1, x2, out result);

    /// <inheritdoc/>
    public bool TryVecmat(NDArray x1, NDArray x2, out NDArray result) => Vectors(Product.Vecmat, x1, x2, out result);

    private bool Vectors(Product product, NDArray left, NDArray right, out NDArray result)
    {
        NPTypeCode type = Promotion.Of(left.typecode, right.typecode);
        NDArray? computed = type switch
        {
            NPTypeCode.Single => Vectors(Library.Single, type, product, left, right),
            NPTypeCode.Double => Vectors(Library.Double, type, product, left, right),
            _ => null,
        };
        result = computed!;
        return computed is not null;
    }

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

    private static NDArray? Vectors<T>(
        Cblas<T> blas, NPTypeCode type, Product product, NDArray left, NDArray right)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var scratch = new Scratch();
        try
        {
            // np.vdot is no gufunc: it converts its operands as np.dot does.
            CopyLayout layout = product == Product.Vdot ? CopyLayout.KeepOrder : CopyLayout.MatrixCOrder;
            var a = new Operand<T>(left, type, layout, ref scratch);
            var b = new Operand<T>(right, type, layout, ref scratch);
            return product switch
            {
                Product.Vdot => VectorGufuncs.Vdot(blas, type, a, b, ref scratch),
                Product.Vecdot => VectorGufuncs.Vecdot(blas, type, a, b),
                Product.Matvec => VectorGufuncs.MatrixVector(blas, type, a, b, vectorFirst: false),
                _ => VectorGufuncs.MatrixVector(blas, type, b, a, vectorFirst: true),
            };
        }
        finally
        {
            scratch.Dispose();
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
