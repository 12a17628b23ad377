using System.Globalization;
using System.Reflection;
using Cotrain.Interop;
using NumSharp;

namespace Cotrain.Testing;

/// <summary>
/// The arguments of a call as Python gives them: by position, then by name. A name matches a parameter's
/// whatever the case and the underscores, so <c>batch_size</c> is <c>batchSize</c>. Parameters of type
/// <see cref="ITaps"/> and <see cref="IMath"/> are filled in and are none of Python's.
/// </summary>
internal sealed class Arguments(object?[] values, string[] names, IMath math, RecordingTaps? taps)
{
    private int Positional => values.Length - names.Length;

    /// <summary>The values for a constructor's or method's parameters in their order; null when they do not fit.</summary>
    public object?[]? Fit(MethodBase method)
    {
        ParameterInfo[] parameters = method.GetParameters();
        object?[] fitted = new object?[parameters.Length];
        int position = 0;
        int used = 0;
        for (int index = 0; index < parameters.Length; index++)
        {
            ParameterInfo parameter = parameters[index];
            int named = Array.FindIndex(names, name => SameName(name, parameter.Name ?? ""));
            object? value;
            if (parameter.ParameterType == typeof(ITaps) && taps is not null)
            {
                fitted[index] = taps;
                continue;
            }
            if (parameter.ParameterType == typeof(IMath) && named < 0)
            {
                fitted[index] = math;
                continue;
            }
            if (named >= 0)
            {
                value = values[Positional + named];
                used++;
            }
            else if (position < Positional)
            {
                value = values[position++];
                used++;
            }
            else if (parameter.HasDefaultValue)
            {
                fitted[index] = parameter.DefaultValue;
                continue;
            }
            else
            {
                return null;
            }
            if (!TryConvert(value, parameter.ParameterType, out fitted[index]))
            {
                return null;
            }
        }
        return used == values.Length ? fitted : null;
    }

    /// <summary>The first of several overloads that the arguments fit, with the values for it.</summary>
    /// <exception cref="CotrainException">None fits; the message lists them.</exception>
    public (T Method, object?[] Values) Choose<T>(IReadOnlyList<T> overloads, string what)
        where T : MethodBase
    {
        foreach (T overload in overloads)
        {
            if (Fit(overload) is { } fitted)
            {
                return (overload, fitted);
            }
        }
        throw new CotrainException(
            $"{what} takes no {Describe()}; it takes {string.Join(" or ", overloads.Select(Describe))}");
    }

    private string Describe()
    {
        IEnumerable<string> shown = values.Select((value, index) =>
            (index < Positional ? "" : names[index - Positional] + ": ") + (value?.GetType().Name ?? "null"));
        return $"({string.Join(", ", shown)})";
    }

    private static string Describe(MethodBase method) =>
        $"({string.Join(", ", method.GetParameters().Select(each => $"{each.ParameterType.Name} {each.Name}"))})";

    private static bool SameName(string python, string csharp) =>
        string.Equals(python.Replace("_", ""), csharp.Replace("_", ""), StringComparison.OrdinalIgnoreCase);

    private static bool TryConvert(object? value, Type wanted, out object? converted)
    {
        wanted = Nullable.GetUnderlyingType(wanted) ?? wanted;
        converted = value;
        if (value is null)
        {
            return !wanted.IsValueType || Nullable.GetUnderlyingType(wanted) is not null;
        }
        if (wanted.IsInstanceOfType(value))
        {
            return true;
        }
        converted = value switch
        {
            long number when wanted.IsPrimitive && wanted != typeof(bool) && wanted != typeof(char) => Number(number, wanted),
            double number when wanted == typeof(float) => (float)number,
            long[] numbers when wanted == typeof(Shape) => new Shape(numbers),
            long[] numbers when wanted == typeof(int[]) => Array.ConvertAll(numbers, number => checked((int)number)),
            string name when wanted.IsEnum && Enum.TryParse(wanted, name, ignoreCase: true, out object? found) => found,
            _ => null,
        };
        return converted is not null;
    }

    private static object? Number(long number, Type wanted)
    {
        try
        {
            return Convert.ChangeType(number, wanted, CultureInfo.InvariantCulture);
        }
        catch (OverflowException)
        {
            return null;
        }
    }
}
