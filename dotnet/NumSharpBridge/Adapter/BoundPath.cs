using System.Collections;
using System.Reflection;

namespace Cotrain.Adapter;

/// <summary>A path whose members have been found by the declared types, so that it can be read in every step.</summary>
internal sealed class BoundPath
{
    private readonly PathPlan _plan;
    private readonly Spot _at;
    private readonly int _slot;
    private readonly Access[] _steps;

    private BoundPath(PathPlan plan, Spot at, int slot, Access[] steps, Type type)
    {
        _plan = plan;
        _at = at;
        _slot = slot;
        _steps = steps;
        Type = type;
    }

    /// <summary>The declared type of what it leads to.</summary>
    public Type Type { get; }

    /// <summary>CotrainException when a type on the way has no such public member.</summary>
    public static BoundPath Bind(PathPlan plan, Scope scope, Spot at)
    {
        (int slot, Type type) = scope.Find(plan.Root, at);
        var steps = new Access[plan.Steps.Length];
        for (int index = 0; index < steps.Length; index++)
        {
            steps[index] = Bind(type, plan.Steps[index], at);
            type = steps[index].Type;
        }
        return new BoundPath(plan, at, slot, steps, type);
    }

    /// <summary>The value; CotrainException when something on the way is null or lacks the key.</summary>
    public object? Get(object?[] frame) => Follow(frame, _steps.Length);

    /// <summary>Puts a value where the path leads; CotrainException when that cannot be written.</summary>
    public void Set(object?[] frame, object value)
    {
        if (_steps.Length == 0)
        {
            frame[_slot] = value;
            return;
        }
        object owner = Follow(frame, _steps.Length - 1) ?? throw IsNull(_steps.Length - 1);
        if (_steps[^1].Write is not { } write)
        {
            throw _at.Error($"{_plan} cannot be written");
        }
        write(owner, value);
    }

    public override string ToString() => _plan.ToString();

    private object? Follow(object?[] frame, int count)
    {
        object? value = frame[_slot];
        for (int index = 0; index < count; index++)
        {
            if (value is null)
            {
                throw IsNull(index);
            }
            try
            {
                value = _steps[index].Read(value);
            }
            catch (Exception exception) when (exception is KeyNotFoundException or ArgumentOutOfRangeException)
            {
                string known = value is IDictionary { Count: > 0 } table
                    ? "; it has " + string.Join(", ", table.Keys.Cast<object>())
                    : "";
                throw _at.Error($"{Part(index)} has no {_plan.Steps[index].ToString().Trim('[', ']')}{known}");
            }
        }
        return value;
    }

    private Interop.CotrainException IsNull(int count) => _at.Error($"{Part(count)} is null");

    private PathPlan Part(int count) => new(_plan.Root, _plan.Steps[..count]);

    private static Access Bind(Type type, StepPlan step, Spot at)
    {
        if (step.Member is { } name)
        {
            if (type.GetProperty(name) is { CanRead: true } property)
            {
                return new Access(property.PropertyType, property.GetValue, property.CanWrite ? property.SetValue : null);
            }
            return type.GetField(name) is { } field
                ? new Access(field.FieldType, field.GetValue, field.IsInitOnly ? null : field.SetValue)
                : throw at.Error($"{type.Show()} has no public member {name}{Near(name, Members(type))}");
        }
        object key = step.Key is not null ? step.Key : step.Index!.Value;
        PropertyInfo? indexer = type.GetProperties().FirstOrDefault(
            each => each.GetIndexParameters() is [{ } only] && only.ParameterType == key.GetType());
        if (type.IsArray && key is int position)
        {
            return new Access(
                type.GetElementType()!,
                array => ((Array)array).GetValue(position),
                (array, value) => ((Array)array).SetValue(value, position));
        }
        if (indexer is null)
        {
            throw at.Error($"{type.Show()} has no element by {(key is int ? "position" : "name")}: {step}");
        }
        object[] keys = [key];
        return new Access(
            indexer.PropertyType,
            owner => indexer.GetValue(owner, BindingFlags.DoNotWrapExceptions, null, keys, null),
            indexer.CanWrite ? (owner, value) => indexer.SetValue(owner, value, keys) : null);
    }

    private static IEnumerable<string> Members(Type type) =>
        from member in type.GetMembers(BindingFlags.Public | BindingFlags.Instance)
        where member is PropertyInfo or FieldInfo && member.DeclaringType != typeof(object)
        select member.Name;

    internal static string Near(string name, IEnumerable<string> known)
    {
        string[] names = [.. known.Distinct().Order()];
        string? same = Array.Find(names, each => string.Equals(each, name, StringComparison.OrdinalIgnoreCase));
        return same is not null ? $"; did you mean {same}?" : names.Length > 0 ? $"; it has {string.Join(", ", names)}" : "";
    }

    /// <summary>How one step is read and written.</summary>
    private sealed record Access(Type Type, Func<object, object?> Read, Action<object, object?>? Write);
}
