using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;

namespace Cotrain.Interop;

/// <summary>
/// Has every assembly bind to the one NumSharp of the process, and tells what is loaded. In C#, because the
/// first use of a .NET class through pythonnet costs milliseconds.
/// </summary>
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

    /// <summary>
    /// Loads an assembly of the user's into a context of its own, where its dependencies are those of its deps.json
    /// and NumSharp and the bridge are the process's.
    /// </summary>
    public static Assembly LoadCandidate(string path, Assembly numsharp) =>
        CandidateContext.LoadFile(path, [numsharp, typeof(AssemblyHost).Assembly]);

    /// <summary>The processor of this process, as <see cref="AssemblyFacts.Architecture"/> names it.</summary>
    public static string Architecture() => RuntimeInformation.ProcessArchitecture.ToString();

    /// <summary>Version of the runtime, <c>10.0.12</c>.</summary>
    public static string RuntimeVersion() => Environment.Version.ToString();

    /// <summary>Version of an assembly, <c>0.70.0.0</c>.</summary>
    public static string Version(Assembly assembly) => assembly.GetName().Version?.ToString() ?? "";

    /// <summary>
    /// The places of all loaded assemblies called <paramref name="simpleName"/>, in every load context, one a
    /// line. An assembly that was loaded from memory counts as <c>(memory)</c>.
    /// </summary>
    public static string Copies(string simpleName)
    {
        IEnumerable<string> places =
            from assembly in AppDomain.CurrentDomain.GetAssemblies()
            where !assembly.IsDynamic
                && string.Equals(assembly.GetName().Name, simpleName, StringComparison.OrdinalIgnoreCase)
            select assembly.Location is { Length: > 0 } location ? location : "(memory)";
        return string.Join('\n', places);
    }
}
