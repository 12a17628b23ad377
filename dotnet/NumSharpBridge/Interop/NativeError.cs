using System.Reflection;
using System.Text.Unicode;

namespace Cotrain.Interop;

/// <summary>
/// How an export reports failure. An uncaught exception that leaves an
/// <see cref="System.Runtime.InteropServices.UnmanagedCallersOnlyAttribute"/> method aborts the process, so
/// every export has this form, and Python turns a code other than 0 into <c>CotrainError</c>:
/// <code>
/// [UnmanagedCallersOnly]
/// private static int DoIt(long handle, byte* error, int errorSize)
/// {
///     try { ...; return NativeError.None; }
///     catch (Exception exception) { return NativeError.Report(exception, error, errorSize); }
/// }
/// </code>
/// </summary>
internal static unsafe class NativeError
{
    /// <summary>The code of success.</summary>
    public const int None = 0;

    /// <summary>
    /// Writes what went wrong as NUL-terminated UTF-8, cut at a character's end where it does not fit, and
    /// returns the exit code: a <see cref="CotrainException"/>'s own, else <paramref name="otherwise"/>.
    /// Never throws.
    /// </summary>
    public static int Report(Exception exception, byte* error, int errorSize, int otherwise = CotrainException.Usage)
    {
        try
        {
            exception = Unwrap(exception);
            Write(Describe(exception), error, errorSize);
            return exception is CotrainException known ? known.ExitCode : otherwise;
        }
        catch
        {
            // An exception whose own Message throws: the type's name needs nothing of it.
            Write(exception.GetType().Name, error, errorSize);
            return otherwise;
        }
    }

    /// <summary>The exception that started it: reflection and tasks wrap it.</summary>
    public static Exception Unwrap(Exception exception)
    {
        while (exception is TargetInvocationException or AggregateException or TypeInitializationException
            && exception.InnerException is { } inner)
        {
            exception = inner;
        }
        return exception;
    }

    /// <summary>The message, after the type's name unless the message was written for the user.</summary>
    public static string Describe(Exception exception) =>
        exception is CotrainException ? exception.Message : $"{exception.GetType().Name}: {exception.Message}";

    private static void Write(string message, byte* error, int errorSize)
    {
        if (error == null || errorSize <= 0)
        {
            return;
        }
        Utf8.FromUtf16(message, new Span<byte>(error, errorSize - 1), out _, out int written);
        error[written] = 0;
    }
}
