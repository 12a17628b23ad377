using System.Runtime.CompilerServices;
using System.Text.Json;
using Cotrain;
using Cotrain.Kernels;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// The scalar audit: every scalar expression of the trainer, with its bits wherever it is rounded.
/// Twin: twin/scalars.py, with rows of the same names, which also says what each has to be; twin/scalar_audit.py
/// sets the two beside each other.
/// </summary>
/// <remarks>A row's source is the text of the very expression that its value was computed by.</remarks>
public static class Scalars
{
    /// <summary>A scalar of float32 or float64.</summary>
    /// <param name="Name">The row's name, on both sides.</param>
    /// <param name="Source">The C# expression.</param>
    /// <param name="Dtype"><c>float32</c> or <c>float64</c>.</param>
    /// <param name="Bits"><c>0x3DCCCCD0</c>.</param>
    /// <param name="InsteadOf">The row that it must not be mistaken for; empty for what the trainer uses.</param>
    public sealed record Row(string Name, string Source, string Dtype, string Bits, string InsteadOf);

    /// <summary>All rows as a JSON array of objects.</summary>
    public static string Json() => JsonSerializer.Serialize(Rows());

    /// <summary>All rows, then the pitfalls.</summary>
    public static IReadOnlyList<Row> Rows()
    {
        using NDScope scope = NDScope.Open();
        List<Row> pitfalls = [];
        return [.. Optimizer(pitfalls), .. Loss(), .. Loader(pitfalls), .. pitfalls];
    }

    private static List<Row> Optimizer(List<Row> pitfalls)
    {
        using var adam = new Adam();
        // One element, 0.5 at first, with these gradients: the update of step 1 in all detail.
        using var element = new AdamParameter("element", np.array(new[] { 0.5f }));
        float[] gradients = [0.5f, 1.57f];
        Values[] steps = [new(), new(), new(), new()];
        for (int step = 0; step < steps.Length; step++)
        {
            adam.Advance(steps[step]);
            steps[step]["correction1"] = adam.Correction1.GetSingle();
            steps[step]["correction2"] = adam.Correction2.GetSingle();
            if (step < gradients.Length)
            {
                element.Update(np.array(new[] { gradients[step] }), adam, steps[step]);
            }
        }

        List<Row> rows =
        [
            Of("lr", Adam.LearningRate),
            Of("beta1", Adam.Beta1),
            Of("one_minus_beta1", Adam.OneMinusBeta1),
            Of("beta2", Adam.Beta2),
            Of("one_minus_beta2", Adam.OneMinusBeta2),
            Of("epsilon", Adam.Epsilon),
        ];
        for (int step = 0; step < steps.Length; step++)
        {
            rows.Add(Of($"beta1_product_{step}", steps[step]["adam.beta1_product"]));
            rows.Add(Of($"correction1_{step}", steps[step]["correction1"]));
            rows.Add(Of($"beta2_product_{step}", steps[step]["adam.beta2_product"]));
            rows.Add(Of($"correction2_{step}", steps[step]["correction2"]));
        }

        (Values first, Values second) = (steps[0], steps[1]);
        (float g0, float g1) = (gradients[0], gradients[1]);
        (float m0, float v0, float p0) = (first["adam.element.m"], first["adam.element.v"], first["adam.element.p"]);
        (float m1, float v1) = (second["adam.element.m"], second["adam.element.v"]);
        (float mHat, float vHat) = (second["adam.element.m_hat"], second["adam.element.v_hat"]);
        float gSquared = g1 * g1;
        float root = MathF.Sqrt(vHat);
        float denominator = root + Adam.Epsilon;
        float numerator = Adam.LearningRate * mHat;
        rows.AddRange(
        [
            Of("g_0", g0),
            Of("g_1", g1),
            Of("m_0", m0),
            Of("m_decayed", Adam.Beta1 * m0),
            Of("m_gained", Adam.OneMinusBeta1 * g1),
            Of("m_1", m1),
            Of("v_0", v0),
            Of("v_decayed", Adam.Beta2 * v0),
            Of("g_squared", gSquared),
            Of("v_gained", Adam.OneMinusBeta2 * gSquared),
            Of("v_1", v1),
            Of("m_hat", mHat),
            Of("v_hat", vHat),
            Of("root", root),
            Of("denominator", denominator),
            Of("numerator", numerator),
            Of("change", numerator / denominator),
            Of("p_0", p0),
            Of("p_1", second["adam.element.p"]),
        ]);

        pitfalls.AddRange(
        [
            Not("one_minus_beta1", "the literal", 0.1f),
            Not("one_minus_beta1", "in float64, then rounded", (float)(1 - 0.9)),
            Not("one_minus_beta2", "the literal", 0.001f),
            Not("one_minus_beta2", "in float64, then rounded", (float)(1 - 0.999)),
            Not("beta1_product_1", "a power in float64", (float)Math.Pow(0.9, 2)),
            Not("beta2_product_3", "a power in float64", (float)Math.Pow(0.999, 4)),
            Not("correction2_0", "in float64, then rounded", (float)(1 - 0.999)),
            Not("m_1", "product and sum fused", MathF.FusedMultiplyAdd(Adam.Beta1, m0, Adam.OneMinusBeta1 * g1)),
            Not("m_hat", "by the reciprocal", m1 * (1f / second["correction1"])),
            Not("v_1", "multiplied from the left", (Adam.Beta2 * v0) + (Adam.OneMinusBeta2 * g1 * g1)),
            Not("change", "divided first", Adam.LearningRate * (mHat / denominator)),
        ]);
        return rows;
    }

    private static List<Row> Loss()
    {
        List<Row> rows = [Of("clip", SoftmaxCrossEntropy.Clip)];
        foreach (int batch in (int[])[1, 32, 100, 128, 6000])
        {
            rows.Add(Of($"factor_{batch}", SoftmaxCrossEntropy.GradientFactor(batch)));
        }

        float[] logs = [-1f, -2f, -4f];
        float sum = logs[0] + logs[1] + logs[2];
        NDArray mean = new ParityMath().Mean(np.array(logs));
        return
        [
            .. rows,
            Of("log_sum", sum),
            Of("log_quotient", (double)sum / logs.Length),
            Of("log_mean", mean.GetSingle()),
            Of("loss", StandaloneTaps.Loss(mean)),
            Of("accuracy", StandaloneTaps.Share(2, 3)),
        ];
    }

    private static List<Row> Loader(List<Row> pitfalls)
    {
        NDArray draw = np.random.RandomState(42).random_sample(1);
        double u = draw.GetDouble(0);
        double doubled = u * 2.0;
        pitfalls.AddRange([Not("pixel_7", "a division", 7f / 255f), Not("he", "rounded to float32", (double)(float)MlpTrainer.He)]);
        return
        [
            Of("pixel_factor", MnistLoader.PixelFactor),
            Of("pixel_7", 7f * MnistLoader.PixelFactor),
            Of("noise", MnistLoader.Noise),
            Of("draw", u),
            Of("draw_doubled", doubled),
            Of("draw_shifted", doubled - 1.0),
            Of("template", MnistLoader.Stretched(draw).GetSingle(0)),
            Of("he_variance", 2.0 / MnistLoader.Features),
            Of("he", MlpTrainer.He),
            Of("xavier_variance", 2.0 / (MlpTrainer.Hidden + MnistLoader.Classes)),
            Of("xavier", MlpTrainer.Xavier),
        ];
    }

    private static Row Of(string name, float value, [CallerArgumentExpression(nameof(value))] string source = "") =>
        new(name, source, "float32", Bits(value), "");

    private static Row Of(string name, double value, [CallerArgumentExpression(nameof(value))] string source = "") =>
        new(name, source, "float64", Bits(value), "");

    private static Row Not(
        string insteadOf, string name, float value, [CallerArgumentExpression(nameof(value))] string source = "") =>
        new(name, source, "float32", Bits(value), insteadOf);

    private static Row Not(
        string insteadOf, string name, double value, [CallerArgumentExpression(nameof(value))] string source = "") =>
        new(name, source, "float64", Bits(value), insteadOf);

    private static string Bits(float value) => $"0x{BitConverter.SingleToUInt32Bits(value):X8}";

    private static string Bits(double value) => $"0x{BitConverter.DoubleToUInt64Bits(value):X16}";

    /// <summary>Keeps the scalars that a step taps, by name.</summary>
    private sealed class Values : Dictionary<string, float>, ITaps
    {
        public NDArray Tap(string name, NDArray value, string file, int line)
        {
            this[name] = value.GetAtIndex<float>(0);
            return value;
        }

        public void Tap<T>(string name, ref T value, string file, int line)
            where T : unmanaged => throw new NotSupportedException();
    }
}
