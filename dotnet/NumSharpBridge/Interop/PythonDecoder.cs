using System.Reflection;

namespace Cotrain.Interop;

/// <summary>
/// A pythonnet decoder (<c>IPyObjectDecoder</c>) whose decisions Python takes. A Python class cannot be one: its
/// <c>TryDecode</c> is a generic method. And the bridge must not refer to pythonnet, which C# programs do not
/// have and which lives in a load context of its own; hence a proxy for whatever interface Python hands in.
/// </summary>
public class PythonDecoder : DispatchProxy
{
    private Func<object, Type, bool>? accepts;
    private Func<object, Type, object?>? decode;

    /// <summary>A decoder to register with <c>PyObjectConversions.RegisterDecoder</c>.</summary>
    /// <param name="decoderInterface">pythonnet's <c>IPyObjectDecoder</c>.</param>
    /// <param name="accepts">Whether a Python type can become a .NET type; asked once for each two.</param>
    /// <param name="decode">The .NET object for a Python object, of the type asked for; null refuses it.</param>
    public static object Create(
        Type decoderInterface, Func<object, Type, bool> accepts, Func<object, Type, object?> decode)
    {
        object proxy = Create(decoderInterface, typeof(PythonDecoder));
        PythonDecoder decoder = (PythonDecoder)proxy;
        decoder.accepts = accepts;
        decoder.decode = decode;
        return proxy;
    }

    /// <inheritdoc/>
    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        try
        {
            if (targetMethod!.Name == "CanDecode")
            {
                return accepts!(args![0]!, (Type)args[1]!);
            }
            Type wanted = targetMethod.GetGenericArguments()[0];
            object? value = decode!(args![0]!, wanted);
            if (!wanted.IsInstanceOfType(value))
            {
                return false;
            }
            args[1] = value;
            // pythonnet leaves the object it made for this call to the finalizer, and with it the Python array.
            (args[0] as IDisposable)?.Dispose();
            return true;
        }
        catch
        {
            // pythonnet calls this in the middle of binding a method, where an exception would end the process.
            return false;
        }
    }
}
