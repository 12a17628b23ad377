using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Cotrain.Lockstep;

/// <summary>The comparer as a native function, for callers outside .NET.</summary>
public static unsafe class CompareExport
{
    /// <summary>Return code: the finding is filled.</summary>
    public const int Done = 0;

    /// <summary>Return code: an exception; its message is in the error buffer.</summary>
    public const int Failed = -1;

    /// <summary>
    /// Address of <c>int compare(Operand* reference, Operand* candidate, Finding* finding, byte* error, int
    /// capacity)</c>. On failure the buffer holds a NUL-terminated UTF-8 sentence, cut to the capacity.
    /// </summary>
    public static nint Pointer =>
        (nint)(delegate* unmanaged<Operand*, Operand*, Finding*, byte*, int, int>)&Compare;

    [UnmanagedCallersOnly]
    private static int Compare(Operand* reference, Operand* candidate, Finding* finding, byte* error, int capacity)
    {
        try
        {
            Check(in *reference, in *candidate);
            BitComparer.Compare(in *reference, in *candidate, ref *finding);
            return Done;
        }
        catch (Exception exception)
        {
            WriteError(exception.Message, error, capacity);
            return Failed;
        }
    }

    private static void Check(in Operand reference, in Operand candidate)
    {
        if (reference.TypeCode != candidate.TypeCode || reference.ItemSize != candidate.ItemSize)
        {
            throw new ArgumentException(
                $"The element types differ: {reference.TypeCode} of {reference.ItemSize} bytes "
                + $"and {candidate.TypeCode} of {candidate.ItemSize} bytes.");
        }
        bool sameShape = reference.Ndim == candidate.Ndim;
        for (int axis = 0; sameShape && axis < reference.Ndim; axis++)
            sameShape = reference.Shape[axis] == candidate.Shape[axis];
        if (!sameShape)
            throw new ArgumentException("The shapes differ.");
    }

    private static void WriteError(string message, byte* error, int capacity)
    {
        if (error == null || capacity <= 0)
            return;
        Span<byte> buffer = new(error, capacity);
        // Converts whole characters only, as many as fit before the NUL.
        Encoding.UTF8.GetEncoder().Convert(message, buffer[..^1], true, out _, out int written, out _);
        buffer[written] = 0;
    }
}
