using System.Globalization;
using Cotrain;

namespace MnistMlp;

/// <summary>The options of <see cref="Program"/>.</summary>
internal sealed class CommandLine
{
    public const string Usage =
        """
        Trains the NumSharp MLP alone and prints the loss of each step.
          --steps N | --epochs N   length of the run; default: 100 epochs
          --batch-size N           default: 128
          --seed N                 of the initial weights; default: 1337
          --data synthetic|DIR     DIR holds the MNIST files
          --dump-taps DIR          write every tap to DIR/STEP/NAME.npy
          --parity-dump DIR        write the taps of each stage, S0 to S7, to DIR/STAGE/NAME.npy
          --gemm openblas|sequential|native
                                   matrix products; default: openblas with --openblas, otherwise native.
                                   Unless native, functions give NumPy's bits, too
          --openblas FILE          the OpenBLAS to use, NumPy's own say, on one thread
        """;

    private long? _steps;
    private long? _epochs;
    private int _batchSize = 128;
    private long _seed = 1337;
    private string _data = "synthetic";

    /// <summary>Whether the usage was asked for.</summary>
    public bool Help { get; private set; }

    /// <summary>Where to write the taps, or null.</summary>
    public string? DumpTaps { get; private set; }

    /// <summary>Where to write the taps of the stages, or null.</summary>
    public string? ParityDump { get; private set; }

    /// <summary>openblas, sequential, or native: NumSharp's own products and functions.</summary>
    public string Gemm { get; private set; } = "";

    /// <summary>The file of openblas, NumPy's own say; null for the others.</summary>
    public string? OpenBlas { get; private set; }

    /// <summary>ArgumentException, one sentence, for what cannot be understood.</summary>
    public static CommandLine Parse(string[] arguments)
    {
        var command = new CommandLine();
        for (int index = 0; index < arguments.Length; index++)
        {
            string option = arguments[index];
            if (option is "--help" or "-h")
            {
                command.Help = true;
                return command;
            }

            string value = index + 1 < arguments.Length
                ? arguments[++index]
                : throw new ArgumentException($"{option} needs a value");
            command.Set(option, value);
        }

        command.Check();
        return command;
    }

    /// <summary>The trainer's options.</summary>
    public TrainerOptions Options(IMath math) => new()
    {
        Steps = _steps,
        Epochs = _epochs ?? (_steps is null ? 100 : null),
        BatchSize = _batchSize,
        Seed = _seed,
        Data = _data,
        Math = math,
    };

    private void Check()
    {
        if (_steps is not null && _epochs is not null)
        {
            throw new ArgumentException("give a number of steps or of epochs, not both");
        }

        if (Gemm.Length == 0)
        {
            Gemm = OpenBlas is null ? "native" : "openblas";
        }

        if ((Gemm == "openblas") != (OpenBlas is not null))
        {
            throw new ArgumentException(
                OpenBlas is null ? "--gemm openblas needs --openblas FILE" : $"--openblas FILE is not for --gemm {Gemm}");
        }
    }

    private static long Number(string option, string value) =>
        long.TryParse(value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
            ? number
            : throw new ArgumentException($"{option} takes a whole number, not {value}");

    private void Set(string option, string value)
    {
        switch (option)
        {
            case "--steps":
                _steps = Number(option, value);
                break;
            case "--epochs":
                _epochs = Number(option, value);
                break;
            case "--batch-size":
                _batchSize = (int)Math.Clamp(Number(option, value), int.MinValue, int.MaxValue);
                break;
            case "--seed":
                _seed = Number(option, value);
                break;
            case "--data":
                _data = value;
                break;
            case "--dump-taps":
                DumpTaps = value;
                break;
            case "--parity-dump":
                ParityDump = value;
                break;
            case "--gemm":
                Gemm = value is "openblas" or "sequential" or "native"
                    ? value
                    : throw new ArgumentException($"--gemm takes openblas, sequential or native, not {value}");
                break;
            case "--openblas":
                OpenBlas = value;
                break;
            default:
                throw new ArgumentException($"unknown option {option}; --help lists them");
        }
    }
}
