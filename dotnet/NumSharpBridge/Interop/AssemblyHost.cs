using System.Reflection;
using System.Runtime.Loader;

namespace Cotrain.Interop;

/// <summary>Has every assembly bind to the one NumSharp of the process.</summary>
public static class AssemblyHost
{
    /// <summary>
    /// From now on every reference to NumSharp that the runtime cannot bind itself, because it asks for
    /// another version, is bound to <paramref name="loaded"/>. In C# and not as a Python delegate: it runs
    /// on whatever thread compiles the first method that needs it, and that thread must not wait for the GIL.
    /// </summary>
    public static void BindNumSharp(Assembly loaded)
    {
        string? simpleName = loaded.GetName().Name;
        AssemblyLoadContext.Default.Resolving += (_, wanted) => wanted.Name == simpleName ? loaded : null;
    }
}
