using System.Text.Json;
using Cotrain.Blas;
using Cotrain.Kernels;
using MnistMlp;
using NumSharp;
using NumSharp.Backends;
using NumSharp.IO;

namespace Cotrain.Tests;

/// <summary>
/// NumSharp, and the bridge where it has exact functions, give NumPy's bytes for the cases of tests/corpus. No Python
/// runs here.
/// </summary>
public class CorpusTests
{
    [Fact]
    public void NumSharpDrawsTheStreams() => Corpus.AssertSame("draws.npz", Corpus.Cases("draws").SelectMany(Draw));

    [Fact]
    public void NumSharpDrawsTheData()
    {
        var hashes = new Hashes();
        using ITrainer trainer = MlpTrainer.Create(new TrainerOptions { Math = new ParityMath() });
        trainer.Initial(hashes);
        foreach (JsonProperty wanted in Corpus.Json("data.json").EnumerateObject())
        {
            Assert.Equal((wanted.Name, wanted.Value.GetProperty("sha256").GetString()), (wanted.Name, hashes[wanted.Name]));
        }
    }

    /// <summary>NumSharp's own exp differs in 84 inputs, all of which are in the file.</summary>
    [Fact]
    public void ExpIsExactInTheBridge() => Elementwise("exp.npz", new ParityMath().Exp);

    [Fact]
    public void LogIsExactInNumSharpAndInTheBridge()
    {
        Elementwise("log.npz", x => np.log(x));
        Elementwise("log.npz", new ParityMath().Log);
    }

    [Fact]
    public void SqrtIsExactInNumSharpAndInTheBridge()
    {
        Elementwise("sqrt.npz", x => np.sqrt(x));
        Elementwise("sqrt.npz", new ParityMath().Sqrt);
    }

    /// <summary>Along an axis NumSharp's own; of whole arrays the bridge's.</summary>
    [Fact]
    public void SumsAreExact()
    {
        NDArray values = Corpus.Values;
        var whole = new ParityMath();
        Corpus.AssertSame("sums.npz", Corpus.Cases("sums").Select(each =>
        {
            NDArray operand = Corpus.Operand(values, each.GetProperty("operand"));
            bool mean = each.GetProperty("function").GetString() == "mean";
            JsonElement axis = each.GetProperty("axis");
            NDArray result = (axis.ValueKind, mean) switch
            {
                (JsonValueKind.Null, false) => whole.Sum(operand),
                (JsonValueKind.Null, true) => whole.Mean(operand),
                (_, false) => np.sum(operand, axis.GetInt32()),
                (_, true) => np.mean(operand, axis.GetInt32()),
            };
            return (each.GetProperty("name").GetString()!, result);
        }));
    }

    [OpenBlasFact]
    public void ProductsAreThoseOfTheOpenBlasKernel()
    {
        OpenBlasLibrary library = OpenBlasLibrary.Open(OpenBlasFactAttribute.Path!);
        library.Threads = 1;
        Products($"products/openblas-{library.Kernel}.npz", new OpenBlasBackend(library));
    }

    [SequentialFact]
    public void ProductsInSequenceAreThoseOfNumPyWithoutABlas() =>
        Products("products/sequential.npz", (IBlasBackend)Activator.CreateInstance(SequentialFactAttribute.Backend!)!);

    [Fact]
    public void ScalarsAreThoseOfNumPy()
    {
        string[] Wanted(string key) =>
            [.. Corpus.Json("scalars.json").EnumerateArray().Select(each => each.GetProperty(key).GetString()!)];
        IReadOnlyList<Scalars.Row> rows = Scalars.Rows();
        Assert.Equal(Wanted("name"), rows.Select(row => row.Name));
        Assert.Equal(Wanted("instead_of"), rows.Select(row => row.InsteadOf));
        Assert.Equal(Wanted("dtype"), rows.Select(row => row.Dtype));
        Assert.Equal(
            Wanted("name").Zip(Wanted("bits")), rows.Select(row => row.Name).Zip(rows.Select(row => row.Bits)));
    }

    private static IEnumerable<(string Entry, NDArray Found)> Draw(JsonElement stream)
    {
        NumPyRandom random = np.random.RandomState();
        random.seed(stream.GetProperty("seed").GetUInt32());
        int number = 0;
        foreach (JsonElement call in stream.GetProperty("calls").EnumerateArray())
        {
            (string? method, JsonElement arguments, long count) = (call[0].GetString(), call[1], call[2].GetInt64());
            yield return ($"{stream.GetProperty("name").GetString()}.{number++}", method switch
            {
                "random_sample" => random.random_sample(count),
                "normal" => random.normal(arguments[0].GetDouble(), arguments[1].GetDouble(), new Shape(count)),
                "uniform" => random.uniform(arguments[0].GetDouble(), arguments[1].GetDouble(), new Shape(count)),
                "randint" => random.randint(arguments[0].GetInt64(), arguments[1].GetInt64(), new Shape(count), np.int32),
                _ => throw new NotSupportedException(method),
            });
        }
    }

    private static void Elementwise(string file, Func<NDArray, NDArray> function)
    {
        using NpzFile archive = np.load_npz(Corpus.At(file));
        Corpus.AssertSame(file, [("x", archive["x"]), ("y", function(archive["x"]))]);
    }

    private static void Products(string file, IBlasBackend backend)
    {
        NDArray values = Corpus.Values;
        Corpus.AssertSame(file, Corpus.Cases("products").Select(each =>
        {
            NDArray left = Corpus.Operand(values, each.GetProperty("left"));
            NDArray right = Corpus.Operand(values, each.GetProperty("right"));
            Assert.True(backend.TryDot(left, right, out NDArray result));
            return (each.GetProperty("name").GetString()!, result);
        }));
    }

    /// <summary>The SHA-256 of each tap's bytes in C order.</summary>
    private sealed class Hashes : Dictionary<string, string>, ITaps
    {
        public NDArray Tap(string name, NDArray value, string file, int line)
        {
            this[name] = Corpus.Sha256(value.tobytes());
            return value;
        }

        public void Tap<T>(string name, ref T value, string file, int line)
            where T : unmanaged => throw new NotSupportedException();
    }
}

/// <summary>Runs where COTRAIN_TEST_OPENBLAS names an OpenBLAS, the one in numpy's wheel say.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class OpenBlasFactAttribute : FactAttribute
{
    public OpenBlasFactAttribute() => Skip = Path is null ? "COTRAIN_TEST_OPENBLAS names no OpenBLAS" : null;

    public static string? Path => Environment.GetEnvironmentVariable("COTRAIN_TEST_OPENBLAS");
}

/// <summary>Runs where the bridge has sequential products.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SequentialFactAttribute : FactAttribute
{
    public SequentialFactAttribute() => Skip = Backend is null ? "the bridge has no SequentialBackend yet" : null;

    public static Type? Backend => typeof(OpenBlasBackend).Assembly.GetType("Cotrain.Blas.SequentialBackend");
}
