namespace Cotrain.Blas;

/// <summary>The BLAS library cannot be used; the message says which file, and what was tried.</summary>
public sealed class BlasLibraryException : Exception
{
    /// <summary>With what is wrong.</summary>
    public BlasLibraryException(string message)
        : base(message)
    {
    }

    /// <summary>With what is wrong, and the loader's own exception.</summary>
    public BlasLibraryException(string message, Exception inner)
        : base(message, inner)
    {
    }
}
