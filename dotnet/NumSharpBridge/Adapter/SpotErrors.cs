using Cotrain.Interop;
using NumSharp;

namespace Cotrain.Adapter;

/// <summary>Errors that begin with the place in the mapping file.</summary>
internal static class SpotErrors
{
    public static CotrainException Error(this Spot at, string message) => new($"{at.Text}: {message}");

    /// <summary>
    /// Whether an exception says that the assembly of <paramref name="type"/> was compiled for another NumSharp: the
    /// runtime finds out only when it compiles the method that needs what is not there.
    /// </summary>
    public static bool IsOtherNumSharp(Exception exception, Type type) =>
        exception is MissingMemberException or TypeLoadException && Wanted(type) != Loaded;

    /// <summary>The error for that.</summary>
    public static CotrainException OtherNumSharp(this Spot at, Exception exception, Type type) => at.Error(
        $"{type.Assembly.GetName().Name} was compiled for NumSharp {Wanted(type)}, and {Loaded} is loaded, which lacks "
        + $"something of it; compile it for that one, or choose another with --numsharp ({exception.Message})");

    private static Version? Loaded => typeof(NDArray).Assembly.GetName().Version;

    private static Version? Wanted(Type type) => Array.Find(
        type.Assembly.GetReferencedAssemblies(), each => each.Name == typeof(NDArray).Assembly.GetName().Name)?.Version;

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
