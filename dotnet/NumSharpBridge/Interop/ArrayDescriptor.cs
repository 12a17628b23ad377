using NumSharp;

namespace Cotrain.Interop;

/// <summary>
/// An array as Python and C# tell each other: int64 numbers in memory that Python owns. In order: address of
/// element [0, 0, …], NPTypeCode, 1 when writeable, number of axes, then the shape (elements), then the
/// strides (bytes). <c>cotrain/clr/arrays.py</c> has the same order.
/// </summary>
internal readonly unsafe struct ArrayDescriptor(long location)
{
    /// <summary>NumPy's limit; Python makes room for it when it does not know the number of axes.</summary>
    public const int MaxAxes = 64;

    private readonly long* numbers = (long*)location;

    public byte* Address
    {
        get => (byte*)numbers[0];
        set => numbers[0] = (long)value;
    }

    public NPTypeCode TypeCode
    {
        get => (NPTypeCode)numbers[1];
        set => numbers[1] = (long)value;
    }

    public bool Writeable
    {
        get => numbers[2] != 0;
        set => numbers[2] = value ? 1 : 0;
    }

    public int Axes
    {
        get => (int)numbers[3];
        set => numbers[3] = value;
    }

    public Span<long> Shape => new(numbers + 4, Axes);

    public Span<long> Strides => new(numbers + 4 + Axes, Axes);
}
