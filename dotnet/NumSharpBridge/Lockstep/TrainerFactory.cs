using System.Reflection;
using Cotrain.Interop;

namespace Cotrain.Lockstep;

/// <summary>Finds the <c>public static ITrainer Create(TrainerOptions)</c> of a type, and calls it.</summary>
internal sealed class TrainerFactory
{
    private readonly MethodInfo _create;

    /// <summary>CotrainException, one sentence, for a type that makes no trainer.</summary>
    public TrainerFactory(Type type)
    {
        const string wanted = "public static ITrainer Create(TrainerOptions options)";
        MethodInfo? create = type.GetMethod(
            "Create", BindingFlags.Public | BindingFlags.Static, [typeof(TrainerOptions)]);
        if (create is null)
        {
            string kind = typeof(ITrainer).IsAssignableFrom(type) ? "is an ITrainer, but" : "is no ITrainer, and";
            throw new CotrainException($"{type.FullName} {kind} it has no method {wanted}");
        }
        if (!typeof(ITrainer).IsAssignableFrom(create.ReturnType))
        {
            throw new CotrainException(
                $"{type.FullName}.Create returns {create.ReturnType}, which is no ITrainer: declare it {wanted}");
        }
        _create = create;
    }

    /// <summary>A trainer of the given options; whatever Create throws.</summary>
    public ITrainer Make(TrainerOptions options) =>
        (ITrainer?)_create.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [options], culture: null)
        ?? throw new CotrainException($"{_create.DeclaringType?.FullName}.Create returned null");
}
