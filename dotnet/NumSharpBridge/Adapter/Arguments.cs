using System.Globalization;
using System.Reflection;

namespace Cotrain.Adapter;

/// <summary>Finds the constructor or method that a list of arguments fits, and turns them into values.</summary>
internal sealed class Arguments
{
    private readonly object?[] _constants;
    private readonly (int Position, BoundPath Path, Type Type)[] _read;

    private Arguments(object?[] constants, (int Position, BoundPath Path, Type Type)[] read)
    {
        _constants = constants;
        _read = read;
    }

    /// <summary>The one of <paramref name="overloads"/> that the arguments fit best, and the arguments for it.</summary>
    /// <exception cref="Interop.CotrainException">None fits, or two fit as well.</exception>
    public static (T Method, Arguments Arguments) Match<T>(
        IReadOnlyCollection<T> overloads, ArgumentPlan[] given, Scope scope, Spot at, string what)
        where T : MethodBase
    {
        BoundPath?[] paths = [.. given.Select(each => each.Path is { } path ? BoundPath.Bind(path, scope, at) : null)];
        var fits = (
            from method in overloads
            let cost = Cost(method.GetParameters(), given, paths)
            where cost is not null
            orderby cost
            select (Method: method, Cost: cost)).Take(2).ToArray();
        if (fits.Length == 0)
        {
            string types = string.Join(", ", given.Select((each, index) => $"{each} ({Name(each, paths[index])})"));
            string known = string.Join(" or ", overloads.Select(each => Show(what, each)));
            throw at.Error($"{what}({types}) fits none of the public ones: {known}");
        }
        if (fits.Length == 2 && fits[0].Cost == fits[1].Cost)
        {
            throw at.Error(
                $"{what} is ambiguous with these arguments: {Show(what, fits[0].Method)} or {Show(what, fits[1].Method)}");
        }
        T chosen = fits[0].Method;
        return (chosen, Bind(chosen.GetParameters(), given, paths));
    }

    /// <summary>The values for one call.</summary>
    public object?[] Values(object?[] frame)
    {
        object?[] values = [.. _constants];
        foreach ((int position, BoundPath path, Type type) in _read)
        {
            object? value = path.Get(frame);
            values[position] = value is long number && type != typeof(long)
                ? Convert.ChangeType(number, type, CultureInfo.InvariantCulture)
                : value;
        }
        return values;
    }

    private static Arguments Bind(ParameterInfo[] parameters, ArgumentPlan[] given, BoundPath?[] paths)
    {
        object?[] constants = new object?[parameters.Length];
        List<(int, BoundPath, Type)> read = [];
        for (int position = 0; position < parameters.Length; position++)
        {
            Type type = parameters[position].ParameterType;
            if (position >= given.Length)
            {
                constants[position] = parameters[position].DefaultValue;
            }
            else if (paths[position] is { } path)
            {
                read.Add((position, path, type));
            }
            else
            {
                _ = TryConvert(given[position], type, out constants[position], out _);
            }
        }
        return new Arguments(constants, [.. read]);
    }

    /// <summary>How far the arguments are from the parameters; null when they do not fit.</summary>
    private static int? Cost(ParameterInfo[] parameters, ArgumentPlan[] given, BoundPath?[] paths)
    {
        if (given.Length > parameters.Length || parameters.Skip(given.Length).Any(each => !each.HasDefaultValue))
        {
            return null;
        }
        int sum = 100 * (parameters.Length - given.Length);
        for (int position = 0; position < given.Length; position++)
        {
            Type type = parameters[position].ParameterType;
            if (paths[position] is { } path)
            {
                bool number = path.Type == typeof(long)
                    && (type == typeof(int) || type == typeof(float) || type == typeof(double));
                if (!number && !type.IsAssignableFrom(path.Type))
                {
                    return null;
                }
                sum += type == path.Type ? 0 : 1;
            }
            else if (TryConvert(given[position], type, out _, out int cost))
            {
                sum += cost;
            }
            else
            {
                return null;
            }
        }
        return sum;
    }

    /// <summary>A constant as a parameter's type; whole numbers fit every numeric type that holds them.</summary>
    private static bool TryConvert(ArgumentPlan given, Type type, out object? value, out int cost)
    {
        cost = 1;
        value = null;
        if (given.Truth is { } truth)
        {
            value = truth;
            cost = 0;
            return type == typeof(bool);
        }
        if (given.Text is { } text)
        {
            value = text;
            cost = 0;
            return type == typeof(string) || (type.IsEnum && Enum.TryParse(type, text, ignoreCase: false, out value));
        }
        if (given.Whole is { } whole)
        {
            cost = type == typeof(int) ? 0 : 1;
            bool fits = type == typeof(long) || (type == typeof(int) && whole is >= int.MinValue and <= int.MaxValue);
            if (!fits && type != typeof(float) && type != typeof(double))
            {
                return false;
            }
            value = Convert.ChangeType(whole, type, CultureInfo.InvariantCulture);
            return true;
        }
        // 0.001 as a float is what the C# literal 0.001f is.
        value = type == typeof(float) ? (object)(float)given.Number!.Value : given.Number!.Value;
        return type == typeof(float) || type == typeof(double);
    }

    private static string Name(ArgumentPlan given, BoundPath? path) =>
        path is not null ? path.Type.Show()
        : given.Truth is not null ? "bool"
        : given.Text is not null ? "text"
        : "number";

    private static string Show(string what, MethodBase method) =>
        $"{what}({string.Join(", ", method.GetParameters().Select(Show))})";

    private static string Show(ParameterInfo parameter)
    {
        string type = parameter.ParameterType.IsEnum
            ? string.Join("|", Enum.GetNames(parameter.ParameterType))
            : parameter.ParameterType.Show();
        return $"{type} {parameter.Name}{(parameter.HasDefaultValue ? $" = {parameter.DefaultValue}" : "")}";
    }
}
