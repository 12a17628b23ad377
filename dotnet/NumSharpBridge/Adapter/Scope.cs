using NumSharp;

namespace Cotrain.Adapter;

/// <summary>The names that paths may begin with, their types, and their places in a frame of values.</summary>
internal sealed class Scope
{
    /// <summary>The step, from 0.</summary>
    public const string Step = "step";

    /// <summary>The step, from 1: what optimizers call the iteration.</summary>
    public const string Iteration = "iteration";

    /// <summary>What the call returned whose taps are being read.</summary>
    public const string Result = "result";

    private readonly Dictionary<string, (int Slot, Type Type)> _roots = [];

    public Scope()
    {
        Define(Step, typeof(long));
        Define(Iteration, typeof(long));
        Define(Result, typeof(void));
    }

    /// <summary>Values in a frame.</summary>
    public int Count => _roots.Count;

    /// <summary>Gives a name its type, and its place unless it has one; returns the place.</summary>
    public int Define(string name, Type type)
    {
        int slot = _roots.TryGetValue(name, out (int Slot, Type Type) known) ? known.Slot : _roots.Count;
        _roots[name] = (slot, type);
        return slot;
    }

    /// <summary>Place and type of a name; CotrainException when it is not known (yet).</summary>
    public (int Slot, Type Type) Find(string name, Spot at)
    {
        if (!_roots.TryGetValue(name, out (int Slot, Type Type) found))
        {
            throw at.Error($"nothing is called {name} here; known: {string.Join(", ", _roots.Keys.Order())}");
        }
        return found.Type != typeof(void)
            ? found
            : throw at.Error($"{name} is nothing here: no call returns a value at this place");
    }
}
