using NumSharp;

namespace Cotrain.Lockstep;

/// <summary>Takes every tap and looks at none: what a trainer costs by itself.</summary>
internal sealed class UncomparedTaps : ITaps
{
    public NDArray Tap(string name, NDArray value, string file = "", int line = 0) => value;

    public void Tap<T>(string name, ref T value, string file = "", int line = 0)
        where T : unmanaged
    {
    }
}
