using System.Runtime.InteropServices;

namespace Cotrain.Blas;

/// <summary>
/// An OpenBLAS, loaded by path. Where NumPy has loaded the same file into the process, the system's loader
/// hands out that very copy, so its threads and its kernel are shared with NumPy.
/// </summary>
public sealed unsafe class OpenBlasLibrary
{
    private readonly nint _handle;
    private readonly SymbolNames _names;
    private readonly delegate* unmanaged[Cdecl]<int> _getThreads;
    private readonly delegate* unmanaged[Cdecl]<int, void> _setThreads;

    private OpenBlasLibrary(string path, nint handle, SymbolNames names)
    {
        Path = path;
        _handle = handle;
        _names = names;
        _getThreads = (delegate* unmanaged[Cdecl]<int>)Symbol("openblas_get_num_threads");
        _setThreads = (delegate* unmanaged[Cdecl]<int, void>)Symbol("openblas_set_num_threads");
        Configuration = Text("openblas_get_config");
        Kernel = Text("openblas_get_corename");
        // A plain build may use either width under the same names; only its configuration tells.
        Has64BitIntegers = Configuration.Contains("USE64BITINT", StringComparison.Ordinal);
        Single = Has64BitIntegers ? new SingleIlp64(Symbol) : new SingleLp64(Symbol);
        Double = Has64BitIntegers ? new DoubleIlp64(Symbol) : new DoubleLp64(Symbol);
    }

    /// <summary>The path it was asked for by.</summary>
    public string Path { get; }

    /// <summary>What <c>openblas_get_config</c> says: version and build options.</summary>
    public string Configuration { get; }

    /// <summary>The kernel chosen for this processor (or by OPENBLAS_CORETYPE): SkylakeX, Haswell …</summary>
    public string Kernel { get; }

    /// <summary>Whether sizes are passed as 64-bit integers (ILP64).</summary>
    public bool Has64BitIntegers { get; }

    /// <summary>Threads that a product may use, in the whole process (NumPy's side too).</summary>
    public int Threads
    {
        get => _getThreads();
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            _setThreads(value);
        }
    }

    internal Cblas<float> Single { get; }

    internal Cblas<double> Double { get; }

    /// <summary>Loads the library.</summary>
    /// <exception cref="BlasLibraryException">The file cannot be loaded, or lacks a symbol.</exception>
    public static OpenBlasLibrary Open(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        nint handle;
        try
        {
            handle = NativeLibrary.Load(path);
        }
        catch (Exception error) when (error is DllNotFoundException or BadImageFormatException)
        {
            throw new BlasLibraryException($"cannot load the BLAS library {path}: {error.Message}", error);
        }
        foreach (SymbolNames names in SymbolNames.Known)
        {
            if (NativeLibrary.TryGetExport(handle, names.Of("cblas_sgemm"), out _) &&
                NativeLibrary.TryGetExport(handle, names.Of("openblas_get_config"), out _))
            {
                return new OpenBlasLibrary(path, handle, names);
            }
        }
        string tried = string.Join(", ", Array.ConvertAll(SymbolNames.Known, names => names.Of("cblas_sgemm")));
        throw new BlasLibraryException(
            $"{path} is not an OpenBLAS that cotrain knows: none of {tried} is exported together with its " +
            "openblas_get_config");
    }

    private nint Symbol(string name)
    {
        string decorated = _names.Of(name);
        return NativeLibrary.TryGetExport(_handle, decorated, out nint address)
            ? address
            : throw new BlasLibraryException($"{Path} exports {_names.Of("cblas_sgemm")} but not {decorated}");
    }

    private string Text(string name)
    {
        var function = (delegate* unmanaged[Cdecl]<byte*>)Symbol(name);
        return Marshal.PtrToStringUTF8((nint)function()) ?? "";
    }
}
