using Cotrain.Interop;

namespace Cotrain.Adapter;

/// <summary>Errors that begin with the place in the mapping file.</summary>
internal static class SpotErrors
{
    public static CotrainException Error(this Spot at, string message) => new($"{at.Text}: {message}");

    /// <summary>A type as a message names it: C#'s word for the usual ones, no namespaces.</summary>
    public static string Show(this Type type) => type switch
    {
        _ when type == typeof(int) => "int",
        _ when type == typeof(long) => "long",
        _ when type == typeof(float) => "float",
        _ when type == typeof(double) => "double",
        _ when type == typeof(bool) => "bool",
        _ when type == typeof(string) => "string",
        _ when type == typeof(void) => "void",
        { IsGenericType: true } =>
            $"{type.Name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(Show))}>",
        _ => type.Name,
    };
}
