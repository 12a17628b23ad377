using System.Diagnostics;
using Cotrain;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// Trains alone, on NumSharp's own products and functions, and prints the loss of each step.
/// Twin: twin/mnist_mlp.py, which takes the same options and prints the same lines.
/// </summary>
internal static class Program
{
    private const int UsageError = 2;

    private static int Main(string[] arguments)
    {
        try
        {
            CommandLine command = CommandLine.Parse(arguments);
            if (command.Help)
            {
                Console.WriteLine(CommandLine.Usage);
                return 0;
            }

            Train(command);
            return 0;
        }
        catch (Exception error) when (error is ArgumentException or InvalidDataException or IOException
            or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"error: {error.Message}");
            return UsageError;
        }
    }

    private static void Train(CommandLine command)
    {
        using var trainer = (MlpTrainer)MlpTrainer.Create(command.Options(new OwnMath()));
        using var taps = new StandaloneTaps(command.DumpTaps);
        trainer.Initial(taps);
        long steps = trainer.TotalSteps ?? 0;
        var watch = Stopwatch.StartNew();
        for (long step = 0; step < steps; step++)
        {
            taps.Begin(step);
            trainer.Step(step, taps);
        }

        Console.Error.WriteLine(FormattableString.Invariant(
            $"{steps} steps, {watch.Elapsed.TotalMilliseconds / steps:F3} ms per step"));
    }

    /// <summary>NumSharp's own functions: what <c>--math numsharp</c> means.</summary>
    private sealed class OwnMath : IMath
    {
        public NDArray Exp(NDArray x) => np.exp(x);

        public NDArray Sum(NDArray x) => np.sum(x);

        public NDArray Mean(NDArray x) => np.mean(x);
    }
}
