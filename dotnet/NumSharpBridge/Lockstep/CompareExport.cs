using System.Runtime.InteropServices;
using Cotrain.Interop;

namespace Cotrain.Lockstep;

/// <summary>The comparer as a native function, for callers outside .NET.</summary>
internal static unsafe class CompareExport
{
    /// <summary>Fills the finding; see <see cref="NativeError"/> for the code and the error buffer.</summary>
    [UnmanagedCallersOnly]
    private static int Compare(Operand* reference, Operand* candidate, Finding* finding, byte* error, int errorSize)
    {
        try
        {
            Check(in *reference, in *candidate);
            BitComparer.Compare(in *reference, in *candidate, ref *finding);
            return NativeError.None;
        }
        catch (Exception exception)
        {
            return NativeError.Report(exception, error, errorSize);
        }
    }

    private static void Check(in Operand reference, in Operand candidate)
    {
        if (reference.TypeCode != candidate.TypeCode || reference.ItemSize != candidate.ItemSize)
        {
            throw new CotrainException(
                $"the element types differ: type code {reference.TypeCode} of {reference.ItemSize} bytes, "
                + $"and {candidate.TypeCode} of {candidate.ItemSize} bytes");
        }
        bool sameShape = reference.Ndim == candidate.Ndim;
        for (int axis = 0; sameShape && axis < reference.Ndim; axis++)
        {
            sameShape = reference.Shape[axis] == candidate.Shape[axis];
        }
        if (!sameShape)
        {
            throw new CotrainException("the shapes differ");
        }
    }
}
