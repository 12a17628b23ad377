using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Cotrain.Interop;

/// <summary>
/// Hands out the addresses of the bridge's <see cref="UnmanagedCallersOnlyAttribute"/> methods. Python
/// asks once per method through pythonnet and calls the address through ctypes from then on, which costs
/// a tenth of a pythonnet call.
/// </summary>
public static class NativeExports
{
    /// <summary>
    /// <c>"ADDRESS SIGNATURE"</c> of a static method of this assembly, of any visibility. The signature names
    /// kind and size of the result and each parameter, <c>i4(i8,p,f4)</c>: Python compares it with its own,
    /// because a difference would be silent memory corruption.
    /// </summary>
    /// <exception cref="CotrainException">There is no such export.</exception>
    public static string Find(string typeName, string methodName)
    {
        Type type = typeof(NativeExports).Assembly.GetType(typeName)
            ?? throw new CotrainException($"the bridge has no type {typeName}", CotrainException.Unsupported);
        MethodInfo? method = type.GetMethod(
            methodName, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly);
        if (method is null || !method.IsDefined(typeof(UnmanagedCallersOnlyAttribute)))
        {
            throw new CotrainException($"{typeName} has no export {methodName}", CotrainException.Unsupported);
        }
        IEnumerable<string> parameters = method.GetParameters().Select(parameter => Code(parameter.ParameterType));
        string signature = $"{Code(method.ReturnType)}({string.Join(',', parameters)})";
        long address = method.MethodHandle.GetFunctionPointer();
        return string.Create(CultureInfo.InvariantCulture, $"{address} {signature}");
    }

    private static string Code(Type type)
    {
        if (type.IsPointer || type.IsFunctionPointer || type == typeof(nint) || type == typeof(nuint))
        {
            return "p";
        }
        return Type.GetTypeCode(type) switch
        {
            TypeCode.SByte => "i1",
            TypeCode.Byte => "u1",
            TypeCode.Int16 => "i2",
            TypeCode.UInt16 => "u2",
            TypeCode.Int32 => "i4",
            TypeCode.UInt32 => "u4",
            TypeCode.Int64 => "i8",
            TypeCode.UInt64 => "u8",
            TypeCode.Single => "f4",
            TypeCode.Double => "f8",
            _ => type == typeof(void) ? "v" : type.Name,
        };
    }
}
