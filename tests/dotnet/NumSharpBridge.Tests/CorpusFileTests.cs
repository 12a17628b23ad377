using System.Text.Json;

namespace Cotrain.Tests;

/// <summary>The corpus is what its manifest says.</summary>
public class CorpusFileTests
{
    public static TheoryData<string> Names => [.. Corpus.Names];

    [Theory]
    [MemberData(nameof(Names))]
    public void FileIsTheOneOfTheManifest(string name)
    {
        JsonElement entry = Corpus.Json("manifest.json").GetProperty("files").GetProperty(name);
        Assert.Equal(entry.GetProperty("sha256").GetString(), Corpus.Sha256(File.ReadAllBytes(Corpus.At(name))));
    }

    [Fact]
    public void ManifestListsTheFilesThatAreThere()
    {
        IEnumerable<string> present =
            from path in Directory.EnumerateFiles(Corpus.Folder, "*", SearchOption.AllDirectories)
            where Path.GetExtension(path) is ".npy" or ".npz" or ".json"
            select Path.GetRelativePath(Corpus.Folder, path).Replace('\\', '/');
        Assert.Equal(
            Corpus.Names.Append("manifest.json").Order(StringComparer.Ordinal), present.Order(StringComparer.Ordinal));
    }
}
