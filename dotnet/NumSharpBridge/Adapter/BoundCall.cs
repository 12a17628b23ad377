using System.Reflection;
using NumSharp;

namespace Cotrain.Adapter;

/// <summary>One call of a step, and the taps that are read after it.</summary>
internal sealed class BoundCall
{
    private readonly BoundPath? _target;
    private readonly MethodInfo? _method;
    private readonly Arguments? _arguments;
    private readonly Spot _at;
    private readonly int _returned;
    private readonly int _named = -1;
    private readonly (string Name, BoundPath Path, Spot At)[] _taps;

    /// <summary>Finds everything by the declared types; the call's result becomes known to later calls.</summary>
    public BoundCall(CallPlan plan, Scope scope, Spot at)
    {
        _at = at;
        Type type = typeof(void);
        if (plan.Target is not null)
        {
            _target = BoundPath.Bind(plan.Target, scope, at);
            (_method, _arguments) = Find(_target, plan, scope, at);
            type = _method.ReturnType;
        }
        _returned = scope.Define(Scope.Result, type);
        if (plan.Result is not null)
        {
            _named = type != typeof(void)
                ? scope.Define(plan.Result, type)
                : throw at.Error($"{plan.Target}.{plan.Method} returns nothing that could be called {plan.Result}");
        }
        _taps = [.. plan.Taps.Select(tap => (tap.Name, BoundPath.Bind(tap.Path, scope, tap.At), tap.At))];
    }

    /// <summary>Calls, then taps. An exception of the method is its own.</summary>
    public void Run(object?[] frame, ITaps taps, string file)
    {
        if (_method is not null)
        {
            object target = _target!.Get(frame) ?? throw _at.Error($"{_target} is null");
            object?[] values = _arguments!.Values(frame);
            try
            {
                frame[_returned] = _method.Invoke(target, BindingFlags.DoNotWrapExceptions, null, values, null);
            }
            catch (Exception exception) when (SpotErrors.IsOtherNumSharp(exception, target.GetType()))
            {
                throw _at.OtherNumSharp(exception, target.GetType());
            }
            if (_named >= 0)
            {
                frame[_named] = frame[_returned];
            }
        }
        foreach ((string name, BoundPath path, Spot at) in _taps)
        {
            Tap(name, path, at, frame, taps, file);
        }
    }

    /// <summary>Hands an array or a number in; a number that the tap changes is written back.</summary>
    internal static void Tap(string name, BoundPath path, Spot at, object?[] frame, ITaps taps, string file)
    {
        switch (path.Get(frame))
        {
            case NDArray array:
                Hand(name, array, at, taps, file);
                break;
            case float number:
                Tap(number);
                break;
            case double number:
                Tap(number);
                break;
            case int number:
                Tap(number);
                break;
            case long number:
                Tap(number);
                break;
            case bool truth:
                Tap(truth);
                break;
            case null:
                throw at.Error($"{path} is null");
            case { } other:
                throw at.Error($"{path} is a {other.GetType().Show()}; a tap takes an NDArray or a number");
        }

        void Tap<T>(T value)
            where T : unmanaged
        {
            T before = value;
            taps.Tap(name, ref value, file, at.Line);
            if (!EqualityComparer<T>.Default.Equals(before, value))
            {
                path.Set(frame, value);
            }
        }
    }

    /// <summary>Taps an array that is somebody else's: the scope has nothing to give back.</summary>
    internal static void Hand(string name, NDArray array, Spot at, ITaps taps, string file)
    {
        using NDScope scope = NDScope.Open();
        taps.Tap(name, array, file, at.Line);
    }

    private static (MethodInfo Method, Arguments Arguments) Find(BoundPath target, CallPlan plan, Scope scope, Spot at)
    {
        MethodInfo[] all = [.. target.Type.GetMethods(BindingFlags.Public | BindingFlags.Instance)
            .Where(each => each.DeclaringType != typeof(object) && !each.IsSpecialName && !each.IsGenericMethod)];
        MethodInfo[] overloads = [.. all.Where(each => each.Name == plan.Method)];
        return overloads.Length > 0
            ? Arguments.Match(overloads, plan.Arguments, scope, at, $"{plan.Target}.{plan.Method}")
            : throw at.Error(
                $"{target.Type.Show()} has no public method {plan.Method}"
                + BoundPath.Near(plan.Method!, all.Select(each => each.Name)));
    }
}
