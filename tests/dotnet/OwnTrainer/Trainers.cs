using System.Runtime.InteropServices;
using Cotrain;
using Newtonsoft.Json.Linq;
using NumSharp;

namespace OwnTrainer;

/// <summary>Four taps, a to d, handed in as the option <c>order</c> spells them. Twin: tests/lockstep/own.py.</summary>
public class Letters : ITrainer
{
    private readonly string _order;
    private readonly string _differs;

    protected Letters(TrainerOptions options)
    {
        _order = options.Extra.GetValueOrDefault("order", "abcd");
        _differs = options.Extra.GetValueOrDefault("differs", "");
    }

    public IReadOnlyDictionary<string, NDArray> State => new Dictionary<string, NDArray>();

    public static ITrainer Create(TrainerOptions options) => new Letters(options);

    public virtual void Initial(ITaps taps)
    {
    }

    /// <summary>A capital letter is the tap in another shape.</summary>
    public void Step(long step, ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        foreach (char letter in _order)
        {
            string name = char.ToLowerInvariant(letter).ToString();
            NDArray value = np.arange(letter == name[0] ? 3 : 4).astype(NPTypeCode.Single) * (float)(name[0] + step);
            if (_differs == name && step == 1)
            {
                value[1] = NDArray.Scalar(-1f);
            }
            taps.Tap(name, value);
        }
    }

    public void Dispose() => GC.SuppressFinalize(this);
}

/// <summary>Says at once what its options are, with a package's help.</summary>
public sealed class Options : Letters
{
    private Options(TrainerOptions options)
        : base(options)
    {
    }

    public static new ITrainer Create(TrainerOptions options) => throw new ArgumentException(new JObject
    {
        ["steps"] = options.Steps,
        ["epochs"] = options.Epochs,
        ["batch"] = options.BatchSize,
        ["seed"] = options.Seed,
        ["data"] = options.Data,
        ["extra"] = JObject.FromObject(options.Extra),
    }.ToString(Newtonsoft.Json.Formatting.None));
}

/// <summary>Needs a native library, ownmath.</summary>
public sealed class Native : Letters
{
    private Native(TrainerOptions options)
        : base(options)
    {
    }

    public static new ITrainer Create(TrainerOptions options) =>
        Cos(0.0) == 1.0 ? new Native(options) : throw new InvalidOperationException("cos");

    [DllImport("ownmath", EntryPoint = "cos")]
    private static extern double Cos(double x);
}

public abstract class WithoutCreate(TrainerOptions options) : Letters(options)
{
    private static new ITrainer Create(TrainerOptions options) => Letters.Create(options);
}

public static class NoTrainer;

public static class OtherReturn
{
    public static object Create(TrainerOptions options) => options;
}

public static class Null
{
    public static ITrainer Create(TrainerOptions options) => null!;
}

public static class BadStart
{
    private static readonly int Number = int.Parse("one", null);

    public static ITrainer Create(TrainerOptions options) => throw new InvalidOperationException(Number.ToString());
}

internal sealed class Hidden;
