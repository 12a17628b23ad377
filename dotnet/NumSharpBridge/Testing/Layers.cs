using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using Cotrain.Interop;
using NumSharp;

namespace Cotrain.Testing;

/// <summary>
/// Makes and calls a layer that Python knows by the name of its type only. In C#, because reflection sees
/// where a constructor wants an <see cref="IMath"/> and a method an <see cref="ITaps"/>.
/// </summary>
public static class Layers
{
    private const BindingFlags Members = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static;

    /// <summary>Whether there is nothing to make: the type's methods are static.</summary>
    public static bool IsStatic(Type type) => type.IsAbstract && type.IsSealed;

    /// <summary>A layer by the constructor that the arguments fit.</summary>
    /// <param name="type">A public class.</param>
    /// <param name="values">Arguments, those by name last.</param>
    /// <param name="names">The names of those.</param>
    /// <param name="math">For a parameter of type <see cref="IMath"/>.</param>
    /// <exception cref="CotrainException">No constructor fits; the message lists them.</exception>
    public static object Create(Type type, object?[] values, string[] names, IMath math)
    {
        ConstructorInfo[] constructors = type.IsAbstract ? [] : type.GetConstructors();
        if (constructors.Length == 0)
        {
            throw new CotrainException($"{type.FullName} cannot be made: it has no public constructor");
        }
        Arguments arguments = new(values, names, math, taps: null);
        (ConstructorInfo constructor, object?[] fitted) = arguments.Choose(constructors, $"new {type.Name}");
        return constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, fitted, culture: null);
    }

    /// <summary>
    /// Calls a method by its C# name or in Python's spelling (<c>grad_input</c> is <c>GradInput</c>). What it
    /// returns counts as tapped, under the method's name as it was given, when the method itself tapped nothing:
    /// an array or number; the arrays of a dictionary by their keys, those of a tuple or list by number.
    /// </summary>
    /// <param name="layer">The layer; null for a static class.</param>
    /// <param name="type">Its type.</param>
    /// <param name="method">The method's name.</param>
    /// <param name="values">Arguments, those by name last.</param>
    /// <param name="names">The names of those.</param>
    /// <param name="math">For a parameter of type <see cref="IMath"/>.</param>
    /// <param name="taps">For a parameter of type <see cref="ITaps"/>; takes all results.</param>
    /// <exception cref="CotrainException">There is no such method, or the arguments do not fit it.</exception>
    public static void Call(
        object? layer, Type type, string method, object?[] values, string[] names, IMath math, RecordingTaps taps)
    {
        MethodInfo[] methods = [.. type.GetMethods(Members).Where(each => !each.IsSpecialName && !each.IsGenericMethod)];
        string plain = method.Replace("_", "");
        MethodInfo[] overloads =
            [.. methods.Where(each => string.Equals(each.Name, plain, StringComparison.OrdinalIgnoreCase))];
        if (overloads.Length == 0)
        {
            IEnumerable<string> all =
                methods.Where(each => each.DeclaringType != typeof(object)).Select(each => each.Name).Distinct().Order();
            throw new CotrainException($"{type.FullName} has no public method {method}; it has {string.Join(", ", all)}");
        }
        Arguments arguments = new(values, names, math, taps);
        (MethodInfo chosen, object?[] fitted) = arguments.Choose(overloads, $"{type.Name}.{overloads[0].Name}");
        object? returned = chosen.Invoke(layer, BindingFlags.DoNotWrapExceptions, null, fitted, culture: null);
        if (taps.Count == 0)
        {
            Take(returned, method, taps);
        }
    }

    /// <summary>Disposes the layer where it can be.</summary>
    public static void Release(object? layer) => (layer as IDisposable)?.Dispose();

    private static void Take(object? value, string name, RecordingTaps taps)
    {
        switch (value)
        {
            case null:
                break;
            case NDArray array:
                taps.Record(name, array);
                break;
            case IEnumerable<KeyValuePair<string, NDArray>> named:
                foreach ((string key, NDArray array) in named)
                {
                    taps.Record(key, array);
                }
                break;
            case IEnumerable<NDArray> list:
                Number(list, name, taps);
                break;
            case ITuple tuple:
                Number(Enumerable.Range(0, tuple.Length).Select(index => tuple[index]), name, taps);
                break;
            case ValueType and not IEnumerable:
                using (NDArray scalar = NDArray.Scalar(value))
                {
                    taps.Record(name, scalar);
                }
                break;
            default:
                throw new CotrainException(
                    $"{name} returns a {value.GetType().Name}, and arrays, numbers, and dictionaries, lists and tuples "
                    + "of arrays can be compared");
        }
    }

    private static void Number(IEnumerable values, string name, RecordingTaps taps)
    {
        int index = 0;
        foreach (object? value in values)
        {
            Take(value, $"{name}[{index++}]", taps);
        }
    }
}
