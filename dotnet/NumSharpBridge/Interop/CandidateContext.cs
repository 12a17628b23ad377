using System.Reflection;
using System.Runtime.Loader;
using System.Security.Cryptography;

namespace Cotrain.Interop;

/// <summary>
/// The load context of one assembly of the user's. What its deps.json names is its own, in whatever version;
/// NumSharp and the bridge are the process's, since arrays of another copy would be unknown to the driver.
/// </summary>
internal sealed class CandidateContext : AssemblyLoadContext
{
    private static readonly Dictionary<string, (Assembly Assembly, string Hash)> Loaded = [];

    private readonly string _folder;
    private readonly Assembly[] _shared;
    private readonly AssemblyDependencyResolver? _resolver;
    private readonly PackageFolders _packages;

    private CandidateContext(string path, Assembly[] shared)
        : base(Path.GetFileNameWithoutExtension(path))
    {
        _folder = Path.GetDirectoryName(path)!;
        _shared = shared;
        string description = Path.ChangeExtension(path, ".deps.json");
        // Without a deps.json the resolver takes every file of the folder as described, NumSharp included.
        _resolver = File.Exists(description) ? new AssemblyDependencyResolver(path) : null;
        _packages = PackageFolders.Of(description);
    }

    /// <summary>
    /// Loads an assembly and, as they are needed, its dependencies. A file is loaded once; two files of one
    /// name are two assemblies.
    /// </summary>
    /// <exception cref="CotrainException">The file has other bytes than when it was loaded.</exception>
    public static Assembly LoadFile(string path, Assembly[] shared)
    {
        lock (Loaded)
        {
            string hash = Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(path)));
            if (!Loaded.TryGetValue(path, out (Assembly Assembly, string Hash) found))
            {
                found = (new CandidateContext(path, shared).LoadFromAssemblyPath(path), hash);
                Loaded[path] = found;
            }
            // What runs would be the old code.
            return found.Hash == hash
                ? found.Assembly
                : throw new CotrainException($"{path} was compiled anew since it was loaded: start a new process");
        }
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName assemblyName)
    {
        foreach (Assembly shared in _shared)
        {
            if (string.Equals(shared.GetName().Name, assemblyName.Name, StringComparison.OrdinalIgnoreCase))
            {
                return shared;
            }
        }
        // Null leaves it to the default context, which has the framework.
        string? path = _resolver?.ResolveAssemblyToPath(assemblyName) ?? _packages.Find(assemblyName) ?? Beside(assemblyName);
        return path is null ? null : LoadFromAssemblyPath(path);
    }

    /// <inheritdoc/>
    protected override nint LoadUnmanagedDll(string unmanagedDllName)
    {
        string? path = _resolver?.ResolveUnmanagedDllToPath(unmanagedDllName) ?? _packages.FindNative(unmanagedDllName);
        // 0 leaves it to the runtime, which looks beside the assembly, then where the system does.
        return path is null ? 0 : LoadUnmanagedDllFromPath(path);
    }

    private string? Beside(AssemblyName name)
    {
        string path = Path.Combine(_folder, $"{name.Name}.dll");
        return string.IsNullOrEmpty(name.CultureName) && File.Exists(path) ? path : null;
    }
}
