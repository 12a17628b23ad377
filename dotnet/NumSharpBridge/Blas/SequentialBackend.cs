using System.Numerics;
using NumSharp;
using NumSharp.Backends;

namespace Cotrain.Blas;

/// <summary>
/// NumSharp's products in one fixed order, the same on every machine: ascending k, each product rounded, then added.
/// For float32, float64 and what NumPy promotes to them; NumSharp computes the rest itself.
/// </summary>
/// <remarks>Stateless. Python: cotrain/sequential.py; both give the bits of a NumPy without BLAS.</remarks>
public sealed class SequentialBackend : IBlasBackend
{
    private enum Product
    {
        Vdot,
        Vecdot,
        Matvec,
        Vecmat,
    }

    /// <inheritdoc/>
    public string Info => "sequential: ascending k, each product rounded, then added";

    /// <inheritdoc/>
    /// <exception cref="IncorrectShapeException">The operands are not aligned.</exception>
    public bool TryDot(NDArray left, NDArray right, out NDArray result)
    {
        DotShapes.CheckDot(left, right);
        NPTypeCode type = Promotion.Of(left.typecode, right.typecode);
        result = type switch
        {
            NPTypeCode.Single => Dot<float>(type, left, right),
            NPTypeCode.Double => Dot<double>(type, left, right),
            _ => null!,
        };
        return result is not null;
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

    private static bool Vectors(Product product, NDArray left, NDArray right, out NDArray result)
    {
        NPTypeCode type = Promotion.Of(left.typecode, right.typecode);
        result = type switch
        {
            NPTypeCode.Single => Vectors<float>(type, product, left, right)!,
            NPTypeCode.Double => Vectors<double>(type, product, left, right)!,
            _ => null!,
        };
        return result is not null;
    }

    private static bool Matmul(NDArray left, NDArray right, NDArray result)
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
                Matmul<float>(type, left, right, result);
                return true;
            case NPTypeCode.Double:
                Matmul<double>(type, left, right, result);
                return true;
            default:
                return false;
        }
    }

    private static NDArray Dot<T>(NPTypeCode type, NDArray left, NDArray right)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var scratch = new Scratch();
        try
        {
            var a = new Operand<T>(left, type, CopyLayout.KeepOrder, ref scratch);
            var b = new Operand<T>(right, type, CopyLayout.KeepOrder, ref scratch);
            return SequentialProducts.Dot(type, a, b);
        }
        finally
        {
            scratch.Dispose();
            // Only the raw addresses were in use: the arrays must outlive the loops.
            GC.KeepAlive(left);
            GC.KeepAlive(right);
        }
    }

    private static NDArray? Vectors<T>(NPTypeCode type, Product product, NDArray left, NDArray right)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var scratch = new Scratch();
        try
        {
            var a = new Operand<T>(left, type, CopyLayout.KeepOrder, ref scratch);
            var b = new Operand<T>(right, type, CopyLayout.KeepOrder, ref scratch);
            return product switch
            {
                Product.Vdot => SequentialProducts.Vdot(type, a, b, ref scratch),
                Product.Vecdot => SequentialProducts.Vecdot(type, a, b),
                Product.Matvec => SequentialProducts.MatrixVector(type, a, b, vectorFirst: false),
                _ => SequentialProducts.MatrixVector(type, b, a, vectorFirst: true),
            };
        }
        finally
        {
            scratch.Dispose();
            GC.KeepAlive(left);
            GC.KeepAlive(right);
        }
    }

    private static void Matmul<T>(NPTypeCode type, NDArray left, NDArray right, NDArray result)
        where T : unmanaged, IFloatingPointIeee754<T>
    {
        var scratch = new Scratch();
        try
        {
            var a = new Operand<T>(left, type, CopyLayout.MatrixCOrder, ref scratch);
            var b = new Operand<T>(right, type, CopyLayout.MatrixCOrder, ref scratch);
            SequentialProducts.Matmul(a, b, new Operand<T>(result));
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
