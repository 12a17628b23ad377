using System.Runtime.CompilerServices;
using NumSharp;

namespace Cotrain;

/// <summary>
/// Where a trainer hands in its results. Each call compares the value with the reference's tap of that
/// name on the spot; under injection or resynchronisation it may also write to it, and later operations
/// of the step read what is there afterwards.
/// </summary>
public interface ITaps
{
    /// <summary>Taps an array of any layout and returns it.</summary>
    NDArray Tap(string name, NDArray value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0);

    /// <summary>Taps a scalar that lives in a variable, as a 0-d array.</summary>
    void Tap<T>(string name, ref T value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : unmanaged;
}
