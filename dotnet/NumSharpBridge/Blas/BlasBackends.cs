using NumSharp;
using NumSharp.Backends;

namespace Cotrain.Blas;

/// <summary>Chooses what computes NumSharp's products, for the whole process.</summary>
public static class BlasBackends
{
    /// <summary>The open library in use; null for NumSharp's own products.</summary>
    public static OpenBlasLibrary? Library => (Engine.Blas as OpenBlasBackend)?.Library;

    /// <summary>One line about what is in use (path, version, threads); null for NumSharp's own products.</summary>
    public static string? Current => Engine.Blas?.Info;

    /// <summary>What is in use, by the names of cotrain's <c>--gemm</c>; empty for somebody else's backend.</summary>
    public static string Name => Engine.Blas switch
    {
        null => "native",
        OpenBlasBackend => "openblas",
        SequentialBackend => "sequential",
        _ => "",
    };

    private static TensorEngine Engine => BackendFactory.GetEngine(BackendType.Default);

    /// <summary>Has products computed by the OpenBLAS at a path, as NumPy would.</summary>
    /// <exception cref="BlasLibraryException">The file cannot be loaded or is no such library.</exception>
    public static void UseOpenBlas(string libraryPath) =>
        Engine.Blas = new OpenBlasBackend(OpenBlasLibrary.Open(libraryPath));

    /// <summary>Has products computed in one fixed order: ascending, each rounded, then added.</summary>
    public static void UseSequential() => Engine.Blas = new SequentialBackend();

    /// <summary>Has products computed by NumSharp itself.</summary>
    public static void UseNative() => Engine.Blas = null;
}
