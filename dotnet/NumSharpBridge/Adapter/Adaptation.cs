using System.Collections.Concurrent;
using System.Reflection;
using NumSharp;

namespace Cotrain.Adapter;

/// <summary>
/// An assembly without taps under a mapping: made by Python before the run, taken by the worker when it makes the
/// trainer, and given the reference's arrays before step 0. Only then is it used, so that no lock is needed.
/// </summary>
public sealed class Adaptation
{
    private static readonly ConcurrentDictionary<string, Adaptation> Waiting = new();
    private static int made;

    private readonly Dictionary<string, int> _slots = [];
    private readonly List<(int Slot, ConstructorInfo Constructor, Arguments Arguments, Spot At)> _objects = [];

    /// <summary>Binds all that the mapping names; CotrainException, with the place in the file, for what is not there.</summary>
    /// <param name="json">The mapping.</param>
    /// <param name="types">The type of each object, in order.</param>
    public Adaptation(string json, Type[] types)
    {
        Plan = AdapterPlan.Parse(json);
        for (int index = 0; index < types.Length; index++)
        {
            Construct(Plan.Objects[index], types[index]);
        }
        foreach (FeedPlan feed in Plan.Feeds)
        {
            _slots[feed.Name] = Scope.Define(feed.Name, typeof(NDArray));
        }
        Parameters = [.. Plan.Parameters.Select(each => (each, BoundPath.Bind(each.Path, Scope, each.At)))];
        foreach ((ParameterPlan plan, BoundPath path) in Parameters)
        {
            if (!path.Type.IsAssignableTo(typeof(NDArray)))
            {
                throw plan.At.Error($"{path} is a {path.Type.Show()}; a parameter is an NDArray");
            }
        }
        Calls = [.. Plan.Calls.Select(call => new BoundCall(call, Scope, call.At))];
        Key = Interlocked.Increment(ref made).ToString(System.Globalization.CultureInfo.InvariantCulture);
        Waiting[Key] = this;
    }

    /// <summary>What the option <c>adapter</c> of the trainer says.</summary>
    public string Key { get; }

    internal AdapterPlan Plan { get; }

    internal Scope Scope { get; } = new();

    internal (ParameterPlan Plan, BoundPath Path)[] Parameters { get; }

    internal BoundCall[] Calls { get; }

    /// <summary>The reference's arrays before step 0: parameters by their names, feeds by theirs.</summary>
    [NDBorrowed]
    internal Dictionary<string, NDArray> Given { get; } = [];

    /// <summary>For a feed that each step brings: arrays that the reference fills in turn.</summary>
    [NDBorrowed]
    internal Dictionary<string, NDArray[]> Rings { get; } = [];

    /// <summary>Hands a parameter's first value or a feed over; kept as long as the trainer.</summary>
    public void Give(string name, NDArray array) => Given[name] = array;

    /// <summary>Hands over the arrays of a feed that the reference fills in turn, step by step.</summary>
    public void GiveRing(string name, NDArray[] ring) => Rings[name] = ring;

    /// <summary>Forgets an adaptation that no trainer was made of.</summary>
    public void Close() => Waiting.TryRemove(Key, out _);

    internal static Adaptation Take(string key) =>
        Waiting.TryRemove(key, out Adaptation? found)
            ? found
            : throw new InvalidOperationException($"there is no adaptation {key}; a mapping file makes one");

    internal int Slot(string feed) => _slots[feed];

    /// <summary>A frame with the objects made, as the assembly makes them.</summary>
    internal object?[] MakeObjects()
    {
        object?[] frame = new object?[Scope.Count];
        foreach ((int slot, ConstructorInfo constructor, Arguments arguments, Spot at) in _objects)
        {
            try
            {
                frame[slot] = constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, arguments.Values(frame), null);
            }
            catch (Exception exception) when (SpotErrors.IsOtherNumSharp(exception, constructor.DeclaringType!))
            {
                throw at.OtherNumSharp(exception, constructor.DeclaringType!);
            }
        }
        return frame;
    }

    private void Construct(ObjectPlan plan, Type type)
    {
        if (type.IsAbstract)
        {
            throw plan.At.Error($"{type.FullName} is {(type.IsSealed ? "static" : "abstract")}: no object can be made of it");
        }
        ConstructorInfo[] constructors = type.GetConstructors();
        if (constructors.Length == 0)
        {
            throw plan.At.Error($"{type.FullName} has no public constructor");
        }
        (ConstructorInfo constructor, Arguments arguments) =
            Arguments.Match(constructors, plan.Arguments, Scope, plan.At, type.Name);
        _objects.Add((Scope.Define(plan.Name, type), constructor, arguments, plan.At));
    }
}
