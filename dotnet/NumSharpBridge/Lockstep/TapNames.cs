namespace Cotrain.Lockstep;

/// <summary>The tap names Python has defined, and where the candidate's source taps each of them.</summary>
internal sealed class TapNames
{
    private readonly List<string> _names = [];
    private readonly List<(string File, int Line)> _sources = [];

    public string this[int id] => _names[id];

    /// <summary>Defines the next name; ids count from 0.</summary>
    public int Define(string name)
    {
        _names.Add(name);
        _sources.Add(("", 0));
        return _names.Count - 1;
    }

    /// <summary>Remembers the first place that tapped the name.</summary>
    public void Locate(int id, string file, int line)
    {
        if (_sources[id].Line == 0)
        {
            _sources[id] = (file, line);
        }
    }

    /// <summary>File and line of the candidate's Tap call; ("", 0) while unknown.</summary>
    public (string File, int Line) Source(int id) => _sources[id];
}
