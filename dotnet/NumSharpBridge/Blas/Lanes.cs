using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cotrain.Blas;

/// <summary>A vector of numbers as <see cref="SequentialTile"/> needs it; how wide it is changes no bit.</summary>
internal unsafe interface ILanes<TSelf, T>
    where TSelf : unmanaged, ILanes<TSelf, T>
    where T : unmanaged
{
    /// <summary>Numbers in a vector.</summary>
    static abstract int Count { get; }

    /// <summary>All lanes of one value.</summary>
    static abstract TSelf All(T value);

    static abstract TSelf Load(T* from);

    static abstract void Store(TSelf value, T* to);

    /// <summary>sum + x · y, rounded twice: .NET fuses the two only where the code says so.</summary>
    static abstract TSelf AddProduct(TSelf sum, TSelf x, TSelf y);
}

internal readonly unsafe struct Lanes512<T>(Vector512<T> value) : ILanes<Lanes512<T>, T> where T : unmanaged
{
    private readonly Vector512<T> _value = value;

    public static int Count => Vector512<T>.Count;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes512<T> All(T value) => new(Vector512.Create(value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes512<T> Load(T* from) => new(Vector512.Load(from));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Lanes512<T> value, T* to) => value._value.Store(to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes512<T> AddProduct(Lanes512<T> sum, Lanes512<T> x, Lanes512<T> y) =>
        new(sum._value + (x._value * y._value));
}

internal readonly unsafe struct Lanes256<T>(Vector256<T> value) : ILanes<Lanes256<T>, T> where T : unmanaged
{
    private readonly Vector256<T> _value = value;

    public static int Count => Vector256<T>.Count;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes256<T> All(T value) => new(Vector256.Create(value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes256<T> Load(T* from) => new(Vector256.Load(from));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Lanes256<T> value, T* to) => value._value.Store(to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes256<T> AddProduct(Lanes256<T> sum, Lanes256<T> x, Lanes256<T> y) =>
        new(sum._value + (x._value * y._value));
}

internal readonly unsafe struct Lanes128<T>(Vector128<T> value) : ILanes<Lanes128<T>, T> where T : unmanaged
{
    private readonly Vector128<T> _value = value;

    public static int Count => Vector128<T>.Count;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes128<T> All(T value) => new(Vector128.Create(value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes128<T> Load(T* from) => new(Vector128.Load(from));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Lanes128<T> value, T* to) => value._value.Store(to);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Lanes128<T> AddProduct(Lanes128<T> sum, Lanes128<T> x, Lanes128<T> y) =>
        new(sum._value + (x._value * y._value));
}
