using NumSharp;

namespace Cotrain.Blas;

/// <summary>NumPy's common dtype of two operands, as far as it is one that goes to BLAS.</summary>
internal static class Promotion
{
    /// <summary>Single or Double, or Empty for a pair that NumPy does not multiply by (real) BLAS.</summary>
    internal static NPTypeCode Of(NPTypeCode left, NPTypeCode right)
    {
        if (left == right)
        {
            return left is NPTypeCode.Single or NPTypeCode.Double ? left : NPTypeCode.Empty;
        }
        if (left == NPTypeCode.Double)
        {
            return Converts(right) ? NPTypeCode.Double : NPTypeCode.Empty;
        }
        if (right == NPTypeCode.Double)
        {
            return Converts(left) ? NPTypeCode.Double : NPTypeCode.Empty;
        }
        if (left == NPTypeCode.Single)
        {
            return WithSingle(right);
        }
        return right == NPTypeCode.Single ? WithSingle(left) : NPTypeCode.Empty;
    }

    /// <summary>float32 holds integers of up to 16 bits exactly; with wider ones NumPy goes to float64.</summary>
    private static NPTypeCode WithSingle(NPTypeCode other) => other switch
    {
        NPTypeCode.Boolean or NPTypeCode.SByte or NPTypeCode.Byte or NPTypeCode.Int16 or NPTypeCode.UInt16
            or NPTypeCode.Half => NPTypeCode.Single,
        NPTypeCode.Int32 or NPTypeCode.UInt32 or NPTypeCode.Int64 or NPTypeCode.UInt64 => NPTypeCode.Double,
        _ => NPTypeCode.Empty,
    };

    private static bool Converts(NPTypeCode other) => other switch
    {
        NPTypeCode.Boolean or NPTypeCode.SByte or NPTypeCode.Byte or NPTypeCode.Int16 or NPTypeCode.UInt16
            or NPTypeCode.Int32 or NPTypeCode.UInt32 or NPTypeCode.Int64 or NPTypeCode.UInt64
            or NPTypeCode.Half or NPTypeCode.Single => true,
        _ => false,
    };
}
