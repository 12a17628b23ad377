using System.Reflection;
using System.Runtime.InteropServices;
using Cotrain.Interop;
using NumSharp;

namespace Cotrain.Kernels;

/// <summary>
/// A float32 function of one operand over a block of memory, as a native function: the bridge's, or NumSharp's own by
/// its name in <see cref="np"/>. For sweeps over all inputs.
/// </summary>
public static unsafe class UnaryExport
{
    private static readonly Dictionary<string, Func<NDArray, NDArray>> Bridge = new()
    {
        ["exp"] = new ParityMath().Exp,
        ["log"] = new ParityMath().Log,
        ["sqrt"] = new ParityMath().Sqrt,
    };

    private static readonly List<Func<NDArray, NDArray>> Opened = [];

    /// <summary>The functions that the bridge has.</summary>
    public static string[] BridgeNames => [.. Bridge.Keys.Order(StringComparer.Ordinal)];

    /// <summary>The functions of one array that NumSharp has by that shape; not each takes float32.</summary>
    public static string[] NumSharpNames =>
        [.. Candidates().Select(method => method.Name).Distinct().Order(StringComparer.Ordinal)];

    /// <summary>A number for <see cref="Apply"/>.</summary>
    /// <param name="side"><c>bridge</c> or <c>numsharp</c>.</param>
    /// <param name="name">The function's name.</param>
    /// <exception cref="CotrainException">There is no such function.</exception>
    public static int Open(string side, string name)
    {
        Func<NDArray, NDArray>? function = side == "bridge" ? Bridge.GetValueOrDefault(name) : OfNumSharp(name);
        if (function is null)
        {
            throw new CotrainException($"{(side == "bridge" ? "the bridge" : "NumSharp")} has no function {name}");
        }
        lock (Opened)
        {
            Opened.Add(function);
            return Opened.Count - 1;
        }
    }

    /// <summary>y[i] = f(x[i]) for n float32 elements; the two must not overlap.</summary>
    [UnmanagedCallersOnly]
    private static int Apply(int function, float* x, float* y, long n, byte* error, int errorSize)
    {
        try
        {
            using NDScope scope = NDScope.Open();
            NDArray operand = new(NPTypeCode.Single, new Shape(n), fillZeros: false);
            Buffer.MemoryCopy(x, operand.GetData().Address, n * sizeof(float), n * sizeof(float));
            NDArray result = Opened[function](operand);
            if (result.typecode != NPTypeCode.Single || result.size != n || !result.Shape.IsContiguous)
            {
                throw new CotrainException(
                    $"the function gives {result.typecode}{result.Shape} for {n} elements of Single");
            }
            float* from = (float*)result.GetData().Address + result.Shape.Offset;
            Buffer.MemoryCopy(from, y, n * sizeof(float), n * sizeof(float));
            GC.KeepAlive(result);
            return NativeError.None;
        }
        catch (Exception exception)
        {
            return NativeError.Report(exception, error, errorSize);
        }
    }

    private static Func<NDArray, NDArray>? OfNumSharp(string name)
    {
        MethodInfo? method = Candidates()
            .Where(method => method.Name == name)
            .MinBy(method => method.GetParameters().Length);
        if (method is null)
        {
            return null;
        }
        object?[] others = [.. method.GetParameters().Skip(1).Select(parameter => parameter.DefaultValue)];
        return x => (NDArray)method.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [x, .. others], null)!;
    }

    /// <summary>Static methods of np from one NDArray to another; further parameters have defaults.</summary>
    private static IEnumerable<MethodInfo> Candidates() =>
        typeof(np).GetMethods(BindingFlags.Public | BindingFlags.Static)
            .Where(method => !method.IsGenericMethod && method.ReturnType == typeof(NDArray)
                && method.GetParameters() is [{ ParameterType: var first }, .. var others]
                && first == typeof(NDArray) && others.All(parameter => parameter.HasDefaultValue));
}
