using System.Text.Json;

namespace Cotrain.Adapter;

/// <summary>A mapping file as Python has read and checked it (<c>cotrain/adapter/plan.py</c> writes the JSON).</summary>
/// <param name="File">The mapping file: the source file of every tap.</param>
/// <param name="Objects">Made before step 0, in order.</param>
/// <param name="Feeds">What the reference hands to the calls.</param>
/// <param name="Parameters">Set from the reference's bytes before step 0; what lives across steps.</param>
/// <param name="Calls">Made in each step, in order.</param>
internal sealed record AdapterPlan(
    string File, ObjectPlan[] Objects, FeedPlan[] Feeds, ParameterPlan[] Parameters, CallPlan[] Calls)
{
    private static readonly JsonSerializerOptions Spelling = new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };

    public static AdapterPlan Parse(string json) =>
        JsonSerializer.Deserialize<AdapterPlan>(json, Spelling) ?? throw new JsonException("the plan is null");
}

/// <summary>A place in the mapping file.</summary>
/// <param name="Line">Its line, from 1.</param>
/// <param name="Text">How a message names it, file and line included.</param>
internal sealed record Spot(int Line, string Text);

/// <summary>An object of the assembly: its type's full name and its constructor's arguments.</summary>
internal sealed record ObjectPlan(string Name, string Type, ArgumentPlan[] Arguments, Spot At);

/// <summary>An array of the reference that is there before step 0, or that each step brings.</summary>
/// <param name="Name">How calls name it.</param>
/// <param name="Tap">The tap that shows it before step 0.</param>
/// <param name="Batches">Whether a step gets its batch of rows of it, or the whole.</param>
/// <param name="At">Where the file says so.</param>
internal sealed record FeedPlan(string Name, string Tap, bool Batches, Spot At);

/// <summary>A parameter: its name in the state, its tap before step 0, and where the objects have it.</summary>
internal sealed record ParameterPlan(string Name, string Tap, PathPlan Path, Spot At);

/// <summary>One call and what is tapped after it; without a target, only the taps.</summary>
/// <param name="Target">The object that is called.</param>
/// <param name="Method">Its method.</param>
/// <param name="Arguments">What it is called with.</param>
/// <param name="Result">The name under which later calls find what it returned.</param>
/// <param name="Taps">In order.</param>
/// <param name="At">Where the file says so.</param>
internal sealed record CallPlan(
    PathPlan? Target, string? Method, ArgumentPlan[] Arguments, string? Result, TapPlan[] Taps, Spot At);

/// <summary>A tap and where its value is.</summary>
internal sealed record TapPlan(string Name, PathPlan Path, Spot At);

/// <summary><c>fc1.Grads[w]</c>: a root and the steps from there.</summary>
internal sealed record PathPlan(string Root, StepPlan[] Steps)
{
    public override string ToString() => Root + string.Concat<StepPlan>(Steps);
}

/// <summary>One of: a member's name, a text key, a position.</summary>
internal sealed record StepPlan(string? Member = null, string? Key = null, int? Index = null)
{
    public override string ToString() => Member is not null ? "." + Member : $"[{Key ?? Index?.ToString()}]";
}

/// <summary>One of: a path, a whole number, another number, a text, a truth value.</summary>
internal sealed record ArgumentPlan(
    PathPlan? Path = null, long? Whole = null, double? Number = null, string? Text = null, bool? Truth = null)
{
    public override string ToString() =>
        Path?.ToString() ?? Whole?.ToString() ?? Number?.ToString("R") ?? Truth?.ToString() ?? $"\"{Text}\"";
}
