using System.Diagnostics;
using Cotrain.Blas;
using Cotrain.Kernels;

namespace MnistMlp;

/// <summary>
/// Trains alone and prints the loss of each step: on NumSharp's own products and functions, or on a given OpenBLAS
/// or in a fixed order and with the bridge's exact functions. Twin: twin/mnist_mlp.py, which prints the same lines.
/// </summary>
/// <remarks>Only this class knows more of the bridge than its protocol.</remarks>
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
        catch (Exception error) when (error is ArgumentException or InvalidDataException or BlasLibraryException
            or IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"error: {error.Message}");
            return UsageError;
        }
    }

    private static void Train(CommandLine command)
    {
        if (command.OpenBlas is not null)
        {
            BlasBackends.UseOpenBlas(command.OpenBlas);
            BlasBackends.Library!.Threads = 1;
        }
        else if (command.Gemm == "sequential")
        {
            BlasBackends.UseSequential();
        }

        using var trainer = (MlpTrainer)MlpTrainer.Create(
            command.Options(command.Gemm == "native" ? new NumSharpMath() : new ParityMath()));
        long steps = trainer.TotalSteps ?? 0;
        Stages? stages = command.ParityDump is null ? null : new(command.ParityDump, trainer.StepsPerEpoch, steps);
        using var taps = new StandaloneTaps(command.DumpTaps, stages);
        trainer.Initial(taps);
        var watch = Stopwatch.StartNew();
        for (long step = 0; step < steps; step++)
        {
            taps.Begin(step);
            trainer.Step(step, taps);
        }

        Console.Error.WriteLine(FormattableString.Invariant(
            $"{steps} steps, {watch.Elapsed.TotalMilliseconds / steps:F3} ms per step"));
    }
}
