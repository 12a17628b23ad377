using NumSharp;

namespace MnistMlp;

/// <summary>
/// The training and test data: drawn from fixed seeds, or MNIST's four IDX files.
/// Twin: twin/mnist_loader.py.
/// </summary>
internal static class MnistLoader
{
    /// <summary>Rows of an image.</summary>
    public const int Rows = 28;

    /// <summary>Columns of an image.</summary>
    public const int Columns = 28;

    /// <summary>Features of a sample.</summary>
    public const int Features = Rows * Columns;

    /// <summary>Number of classes.</summary>
    public const int Classes = 10;

    /// <summary>Standard deviation of the synthetic samples around their template; float64, as all draws.</summary>
    public const double Noise = 2.5;

    /// <summary>What pixels are multiplied by.</summary>
    public const float PixelFactor = 1f / 255f;

    private const string Usage =
        "--data takes \"synthetic\" or a directory with the four MNIST files";

    // Drawn once: the draws take longer than a hundred steps, and no step writes to them.
    private static readonly Lazy<(NDArray TrainX, NDArray TrainY, NDArray TestX, NDArray TestY)> Drawn =
        new(Synthetic);

    /// <summary>
    /// The data that <c>--data</c> names; the caller disposes the arrays and does not write to them.
    /// InvalidDataException, one sentence, when it cannot be used.
    /// </summary>
    public static (NDArray TrainX, NDArray TrainY, NDArray TestX, NDArray TestY) Load(string data)
    {
        if (data != "synthetic")
        {
            return FromDirectory(data);
        }

        (NDArray trainX, NDArray trainY, NDArray testX, NDArray testY) = Drawn.Value;
        return (trainX.view(), trainY.view(), testX.view(), testY.view());
    }

    /// <summary>6,000 training and 1,000 test samples: a template per class, and noise.</summary>
    private static (NDArray TrainX, NDArray TrainY, NDArray TestX, NDArray TestY) Synthetic()
    {
        using NDScope scope = NDScope.Open();
        NDArray uniform = np.random.RandomState(42).random_sample(Classes, Features);
        NDArray templates = Stretched(uniform);
        (NDArray trainX, NDArray trainY) = Draw(43, 6000, templates);
        (NDArray testX, NDArray testY) = Draw(44, 1000, templates);
        return (scope.Returns(trainX), scope.Returns(trainY), scope.Returns(testX), scope.Returns(testY));
    }

    /// <summary>Draws from 0 to 1, stretched to -1 to 1 in float64 and only then rounded.</summary>
    public static NDArray Stretched(NDArray uniform)
    {
        using NDScope scope = NDScope.Open();
        return scope.Returns(((uniform * 2.0) - 1.0).astype(NPTypeCode.Single));
    }

    private static (NDArray X, NDArray Y) Draw(int seed, int count, NDArray templates)
    {
        using NDScope scope = NDScope.Open();
        NumPyRandom random = np.random.RandomState(seed);
        // 32-bit labels on both sides, drawn first; they are stored as bytes, as in an IDX file.
        NDArray drawn = random.randint(0, Classes, new Shape(count), np.int32);
        NDArray x = random.normal(0.0, Noise, new Shape(count, Features)).astype(NPTypeCode.Single);
        np.add(templates[drawn], x, @out: x);
        return (scope.Returns(x), scope.Returns(drawn.astype(NPTypeCode.Byte)));
    }

    private static (NDArray TrainX, NDArray TrainY, NDArray TestX, NDArray TestY) FromDirectory(string directory)
    {
        if (!Path.Exists(directory))
        {
            throw new InvalidDataException($"{directory} does not exist: {Usage}");
        }

        if (!Directory.Exists(directory))
        {
            throw new InvalidDataException($"{directory} is not a directory: {Usage}");
        }

        (NDArray trainX, NDArray trainY) = Read(directory, "train");
        (NDArray testX, NDArray testY) = Read(directory, "t10k");
        return (trainX, trainY, testX, testY);
    }

    private static (NDArray X, NDArray Y) Read(string directory, string split)
    {
        using NDScope scope = NDScope.Open();
        string imagePath = Find(directory, $"{split}-images", "idx3-ubyte");
        string labelPath = Find(directory, $"{split}-labels", "idx1-ubyte");
        NDArray pixels = IdxFile.Images(imagePath, Rows, Columns);
        NDArray labels = IdxFile.Labels(labelPath, Classes);
        if (pixels.shape[0] != labels.shape[0])
        {
            throw new InvalidDataException(
                $"{imagePath} holds {pixels.shape[0]} images but {labelPath} {labels.shape[0]} labels");
        }

        // The factor is rounded to float32 first (0x3B808081), then the product: not a division by 255.
        NDArray x = pixels.astype(NPTypeCode.Single);
        np.multiply(x, NDArray.Scalar(PixelFactor), @out: x);
        return (scope.Returns(x), scope.Returns(labels));
    }

    /// <summary>The file of either usual spelling, plain before gzip.</summary>
    private static string Find(string directory, string name, string suffix)
    {
        string[] candidates =
            [$"{name}-{suffix}", $"{name}.{suffix}", $"{name}-{suffix}.gz", $"{name}.{suffix}.gz"];
        string? found = Array.Find(candidates, file => Path.Exists(Path.Combine(directory, file)));
        return found is not null
            ? Path.Combine(directory, found)
            : throw new InvalidDataException(
                $"{directory} has no {candidates[0]} (nor {candidates[1]}, nor either with .gz): {Usage}");
    }
}
