using System.Numerics;
using NumSharp;

namespace Cotrain.Blas;

/// <summary>Copies of strided operands, converted to the product's type where they are of another.</summary>
internal static unsafe class Copies
{
    /// <summary>Copies a matrix; strides in elements.</summary>
    internal static void Matrix<T>(
        T* source, long sourceRow, long sourceColumn, T* target, long targetRow, long targetColumn,
        long rows, long columns)
        where T : unmanaged
    {
        // The inner loop runs along the target's tighter axis: it is written in sequence.
        if (targetRow < targetColumn)
        {
            (rows, columns) = (columns, rows);
            (sourceRow, sourceColumn) = (sourceColumn, sourceRow);
            (targetRow, targetColumn) = (targetColumn, targetRow);
        }
        for (long i = 0; i < rows; i++)
        {
            T* from = source + (i * sourceRow);
            T* to = target + (i * targetRow);
            for (long j = 0; j < columns; j++)
            {
                to[j * targetColumn] = from[j * sourceColumn];
            }
        }
    }

    /// <summary>Copies an N-d operand of type <paramref name="code"/>, converting each element.</summary>
    internal static void Converted<T>(
        NPTypeCode code, void* source, ReadOnlySpan<long> shape, ReadOnlySpan<long> sourceStrides,
        T* target, ReadOnlySpan<long> targetStrides)
        where T : unmanaged, INumberBase<T>
    {
        switch (code)
        {
            case NPTypeCode.Boolean:
                Walk((byte*)source, &FromBoolean<T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.SByte:
                Walk((sbyte*)source, &FromNumber<sbyte, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Byte:
                Walk((byte*)source, &FromNumber<byte, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Int16:
                Walk((short*)source, &FromNumber<short, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.UInt16:
                Walk((ushort*)source, &FromNumber<ushort, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Int32:
                Walk((int*)source, &FromNumber<int, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.UInt32:
                Walk((uint*)source, &FromNumber<uint, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Int64:
                Walk((long*)source, &FromNumber<long, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.UInt64:
                Walk((ulong*)source, &FromUnsigned<T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Half:
                Walk((Half*)source, &FromNumber<Half, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Single:
                Walk((float*)source, &FromNumber<float, T>, shape, sourceStrides, target, targetStrides);
                break;
            case NPTypeCode.Double:
                Walk((double*)source, &FromNumber<double, T>, shape, sourceStrides, target, targetStrides);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(code), code, "not an operand of a BLAS product");
        }
    }

    private static T FromNumber<TFrom, T>(TFrom value)
        where TFrom : unmanaged, INumberBase<TFrom>
        where T : unmanaged, INumberBase<T> => T.CreateTruncating(value);

    private static T FromBoolean<T>(byte value) where T : unmanaged, INumberBase<T> => value != 0 ? T.One : T.Zero;

    /// <summary>
    /// Rounds once. Above 2⁶³ the value is halved with its lowest bit kept, which does not change how it rounds.
    /// </summary>
    private static T FromUnsigned<T>(ulong value) where T : unmanaged, INumberBase<T>
    {
        if ((long)value >= 0)
        {
            return T.CreateTruncating((long)value);
        }
        T half = T.CreateTruncating((long)((value >> 1) | (value & 1)));
        return half + half;
    }

    private static void Walk<TFrom, T>(
        TFrom* source, delegate*<TFrom, T> convert, ReadOnlySpan<long> shape,
        ReadOnlySpan<long> sourceStrides, T* target, ReadOnlySpan<long> targetStrides)
        where TFrom : unmanaged
        where T : unmanaged
    {
        if (shape.Length == 0)
        {
            *target = convert(*source);
            return;
        }
        long extent = shape[0];
        long sourceStride = sourceStrides[0];
        long targetStride = targetStrides[0];
        if (shape.Length == 1)
        {
            for (long i = 0; i < extent; i++)
            {
                target[i * targetStride] = convert(source[i * sourceStride]);
            }
            return;
        }
        for (long i = 0; i < extent; i++)
        {
            Walk(source + (i * sourceStride), convert, shape[1..], sourceStrides[1..],
                target + (i * targetStride), targetStrides[1..]);
        }
    }
}
