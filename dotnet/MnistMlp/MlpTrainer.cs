using Cotrain;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// The MLP 784-128-10 with ReLU, trained by Adam on batches in order. Twin: twin/mlp_trainer.py, where the taps'
/// operations and inputs are declared.
/// </summary>
public sealed class MlpTrainer : ITrainer
{
    internal const int Hidden = 128;
    private const int EvaluationEpochs = 5;
    private const int DefaultBatchSize = 128;
    private const long DefaultSeed = 1337;

    private readonly int _batchSize;
    private readonly NDArray _trainX;
    private readonly NDArray _trainY;
    private readonly NDArray _testX;
    private readonly NDArray _testY;
    private readonly NDArray[] _batchX;
    private readonly NDArray[] _batchOneHot;
    private readonly FullyConnectedFused _fc1;
    private readonly FullyConnectedFused _fc2;
    private readonly SoftmaxCrossEntropy _loss;
    private readonly Adam _adam;
    private readonly AdamParameter[] _parameters;
    [NDBorrowed]
    private readonly Dictionary<string, NDArray> _state = [];

    private MlpTrainer(TrainerOptions options)
    {
        Check(options);
        _batchSize = options.BatchSize ?? DefaultBatchSize;
        (_trainX, _trainY, _testX, _testY) = MnistLoader.Load(options.Data ?? "synthetic");
        long samples = _trainX.shape[0];
        if (samples < _batchSize)
        {
            throw new InvalidDataException(
                $"the training data has {samples} samples, fewer than one batch of {_batchSize}: "
                + $"choose a batch size of {samples} or less");
        }

        StepsPerEpoch = samples / _batchSize;
        TotalSteps = options.Steps ?? options.Epochs * StepsPerEpoch;
        (_batchX, _batchOneHot) = Batches();

        // He for the layer before a ReLU, Xavier for the last; drawn in float64, then rounded.
        NumPyRandom random = np.random.RandomState();
        random.seed((uint)(options.Seed ?? DefaultSeed));
        AdamParameter w1 = Weights("fc1.w", random, He, MnistLoader.Features, Hidden);
        AdamParameter w2 = Weights("fc2.w", random, Xavier, Hidden, MnistLoader.Classes);
        var b1 = new AdamParameter("fc1.b", np.zeros(new Shape(Hidden), NPTypeCode.Single));
        var b2 = new AdamParameter("fc2.b", np.zeros(new Shape(MnistLoader.Classes), NPTypeCode.Single));

        _fc1 = new FullyConnectedFused("fc1", _batchSize, w1.Value, b1.Value, relu: true);
        _fc2 = new FullyConnectedFused("fc2", _batchSize, w2.Value, b2.Value, relu: false);
        _loss = new SoftmaxCrossEntropy(_batchSize, MnistLoader.Classes, options.Math);
        _adam = new Adam();
        _parameters = [w1, b1, w2, b2];
        DescribeState();
    }

    /// <summary>Standard deviation of the weights of the layer before a ReLU; float64, as all draws are.</summary>
    internal static double He => Math.Sqrt(2.0 / MnistLoader.Features);

    /// <summary>Standard deviation of the last layer's weights.</summary>
    internal static double Xavier => Math.Sqrt(2.0 / (Hidden + MnistLoader.Classes));

    /// <summary>Whole batches of the training data.</summary>
    public long StepsPerEpoch { get; }

    /// <summary>Steps of the whole run; null when it has no end.</summary>
    public long? TotalSteps { get; }

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, NDArray> State => _state;

    /// <summary>
    /// The trainer of the given options. ArgumentException or InvalidDataException, one sentence, for options or
    /// data that cannot be used.
    /// </summary>
    public static ITrainer Create(TrainerOptions options) => new MlpTrainer(options);

    /// <inheritdoc/>
    public void Initial(ITaps taps)
    {
        using NDScope scope = NDScope.Open();
        foreach (AdamParameter parameter in _parameters)
        {
            taps.Tap($"init.{parameter.Name}", parameter.Value);
        }

        foreach (AdamParameter parameter in _parameters)
        {
            taps.Tap($"init.adam.{parameter.Name}.m", parameter.M);
            taps.Tap($"init.adam.{parameter.Name}.v", parameter.V);
        }

        taps.Tap("init.adam.beta1_product", _adam.Beta1Product);
        taps.Tap("init.adam.beta2_product", _adam.Beta2Product);
        taps.Tap("data.train.x", _trainX);
        taps.Tap("data.train.y", _trainY);
        taps.Tap("data.test.x", _testX);
        taps.Tap("data.test.y", _testY);
    }

    /// <inheritdoc/>
    public void Step(long step, ITaps taps)
    {
        // Everything that the step allocates goes back to NumSharp's pool when it ends.
        using NDScope scope = NDScope.Open();
        NDArray x = _batchX[step % StepsPerEpoch];
        NDArray oneHot = _batchOneHot[step % StepsPerEpoch];

        NDArray hidden = _fc1.Forward(x, taps);
        NDArray logits = _fc2.Forward(hidden, taps);
        NDArray gradient = _loss.Run(logits, oneHot, taps);
        taps.Tap("metrics.argmax", np.argmax(logits, axis: 1));
        gradient = _fc2.Backward(hidden, gradient, taps);
        _fc1.Backward(x, gradient, taps);

        _adam.Advance(taps);
        NDArray[] gradients = [_fc1.GradW, _fc1.GradB, _fc2.GradW, _fc2.GradB];
        for (int index = 0; index < _parameters.Length; index++)
        {
            _parameters[index].Update(gradients[index], _adam, taps);
        }

        if (EvaluatesAfter(step))
        {
            Evaluate(taps);
        }
    }

    /// <summary>Gives the arrays back; the trainer cannot be used afterwards.</summary>
    public void Dispose()
    {
        _fc1.Dispose();
        _fc2.Dispose();
        _loss.Dispose();
        _adam.Dispose();
        foreach (AdamParameter parameter in _parameters)
        {
            parameter.Dispose();
        }

        foreach (NDArray batch in _batchX)
        {
            batch.Dispose();
        }

        foreach (NDArray batch in _batchOneHot)
        {
            batch.Dispose();
        }

        _trainX.Dispose();
        _trainY.Dispose();
        _testX.Dispose();
        _testY.Dispose();
    }

    private static void Check(TrainerOptions options)
    {
        if (options.Steps is not null && options.Epochs is not null)
        {
            throw new ArgumentException("give a number of steps or of epochs, not both");
        }

        (string, long?)[] counts =
        [
            ("number of steps", options.Steps), ("number of epochs", options.Epochs), ("batch size", options.BatchSize),
        ];
        foreach ((string name, long? value) in counts)
        {
            if (value < 1)
            {
                throw new ArgumentException($"the {name} must be at least 1, not {value}");
            }
        }

        if (options.Seed is < 0 or > uint.MaxValue)
        {
            throw new ArgumentException($"the seed must be from 0 to {uint.MaxValue}, not {options.Seed}");
        }
    }

    private static AdamParameter Weights(string name, NumPyRandom random, double deviation, int inputs, int outputs)
    {
        using NDArray drawn = random.normal(0.0, deviation, new Shape(inputs, outputs));
        return new AdamParameter(name, drawn.astype(NPTypeCode.Single));
    }

    private bool EvaluatesAfter(long step) =>
        (step + 1) % (EvaluationEpochs * StepsPerEpoch) == 0 || step + 1 == TotalSteps;

    /// <summary>
    /// The logits of all test samples, in batches of the training size and a remainder: the shape of a product
    /// decides its bits.
    /// </summary>
    private void Evaluate(ITaps taps)
    {
        long samples = _testX.shape[0];
        NDArray output = np.empty(new Shape(samples, MnistLoader.Classes), NPTypeCode.Single);
        for (long start = 0; start < samples; start += _batchSize)
        {
            string rows = $"{start}:{Math.Min(start + _batchSize, samples)}";
            using NDScope scope = NDScope.Open();
            np.copyto(output[rows], _fc2.Apply(_fc1.Apply(_testX[rows])));
        }

        taps.Tap("eval.output", output);
        taps.Tap("eval.argmax", np.argmax(output, axis: 1));
    }

    /// <summary>
    /// Views of the whole batches, in order, and their labels as one-hot float32 rows, made once: they are exact,
    /// so they are no taps of their own.
    /// </summary>
    private (NDArray[] X, NDArray[] OneHot) Batches()
    {
        using NDArray classes = np.arange(MnistLoader.Classes).astype(NPTypeCode.Byte);
        using NDArray column = _trainY.reshape(_trainY.shape[0], 1);
        using NDArray equal = np.equal(column, classes);
        NDArray oneHot = equal.astype(NPTypeCode.Single);
        var x = new NDArray[StepsPerEpoch];
        var y = new NDArray[StepsPerEpoch];
        for (long batch = 0; batch < StepsPerEpoch; batch++)
        {
            string rows = $"{batch * _batchSize}:{(batch + 1) * _batchSize}";
            x[batch] = _trainX[rows];
            y[batch] = oneHot[rows];
        }

        return (x, y);
    }

    private void DescribeState()
    {
        foreach (AdamParameter parameter in _parameters)
        {
            _state.Add(parameter.Name, parameter.Value);
        }

        foreach (AdamParameter parameter in _parameters)
        {
            _state.Add($"adam.{parameter.Name}.m", parameter.M);
            _state.Add($"adam.{parameter.Name}.v", parameter.V);
        }

        _state.Add("adam.beta1_product", _adam.Beta1Product);
        _state.Add("adam.beta2_product", _adam.Beta2Product);
    }
}
