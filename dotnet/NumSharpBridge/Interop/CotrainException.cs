namespace Cotrain.Interop;

/// <summary>
/// A failure that its message alone explains; the C# side of Python's <c>CotrainError</c>. Any other
/// exception that reaches a native boundary is reported with its type's name as well.
/// </summary>
public sealed class CotrainException(string message, int exitCode = CotrainException.Usage) : Exception(message)
{
    /// <summary>Bad arguments or bad input data.</summary>
    public const int Usage = 2;

    /// <summary>This machine or installation cannot run a meaningful comparison.</summary>
    public const int Unsupported = 3;

    /// <summary>A trainer threw while it was stepped.</summary>
    public const int TrainerFailed = 4;

    /// <summary>What a command ends with when nothing catches it; never 0.</summary>
    public int ExitCode { get; } = exitCode;
}
