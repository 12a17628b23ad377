using System.Reflection;
using System.Security.Cryptography;
using System.Text.Json;
using NumSharp;
using NumSharp.IO;

namespace Cotrain.Tests;

/// <summary>The files of tests/corpus: made by NumPy, read here by NumSharp alone.</summary>
internal static class Corpus
{
    /// <summary>The folder; the project file says where it is.</summary>
    public static string Folder { get; } = Path.GetFullPath(
        typeof(Corpus).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(each => each.Key == "Corpus").Value!);

    /// <summary>Names of the files that the manifest lists.</summary>
    public static IEnumerable<string> Names =>
        Json("manifest.json").GetProperty("files").EnumerateObject().Select(each => each.Name);

    /// <summary>The float32 values that operands are made of.</summary>
    public static NDArray Values => (NDArray)np.load(At("operands.npy"));

    public static string At(string name) => Path.Combine(Folder, name);

    public static string Sha256(ReadOnlySpan<byte> content) => Convert.ToHexStringLower(SHA256.HashData(content));

    public static JsonElement Json(string name)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(At(name)));
        return document.RootElement.Clone();
    }

    /// <summary>The cases of one kind: draws, products or sums.</summary>
    public static IEnumerable<JsonElement> Cases(string kind) => Json("cases.json").GetProperty(kind).EnumerateArray();

    /// <summary>The operand of a description: a stretch of the values, shaped, then views of it in turn.</summary>
    public static NDArray Operand(NDArray values, JsonElement description)
    {
        long start = description.GetProperty("start").GetInt64();
        long[] shape = [.. description.GetProperty("shape").EnumerateArray().Select(each => each.GetInt64())];
        NDArray array = values[$"{start}:{start + shape.Aggregate(1L, (size, extent) => size * extent)}"].reshape(shape);
        foreach (JsonElement view in description.GetProperty("then").EnumerateArray())
        {
            array = view.GetString() is "T" ? array.T : array[view.GetString()!];
        }
        return array;
    }

    /// <summary>The float32 array of each entry of an archive has the bytes that were computed for it here.</summary>
    public static void AssertSame(string file, IEnumerable<(string Entry, NDArray Found)> results)
    {
        using NpzFile archive = np.load_npz(At(file));
        int count = 0;
        foreach ((string entry, NDArray found) in results)
        {
            NDArray wanted = archive[entry];
            Assert.True(
                wanted.typecode == found.typecode && wanted.Shape.Dimensions.SequenceEqual(found.Shape.Dimensions),
                $"{entry} of {file}: {wanted.typecode} {wanted.Shape}, found {found.typecode} {found.Shape}");
            byte[] one = wanted.tobytes(), two = found.tobytes();
            int differs = one.AsSpan().CommonPrefixLength(two);
            int size = one.Length / Math.Max(1, (int)wanted.size);
            Assert.True(differs == one.Length, $"{entry} of {file}: element {differs / Math.Max(1, size)} differs");
            count++;
        }
        Assert.Equal(archive.Count, count);
    }
}
