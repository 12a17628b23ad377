using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Cotrain.Interop;

/// <summary>
/// The files of NuGet's package folder that a deps.json names. The build of a class library does not copy its
/// packages beside it, and the runtime looks there only for an application.
/// </summary>
internal sealed class PackageFolders
{
    private readonly Dictionary<string, string> _managed = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, string> _native = new(StringComparer.OrdinalIgnoreCase);

    private PackageFolders()
    {
    }

    /// <summary>What a deps.json names; nothing when there is none, or it cannot be read.</summary>
    public static PackageFolders Of(string description)
    {
        var found = new PackageFolders();
        string root = Environment.GetEnvironmentVariable("NUGET_PACKAGES") is { Length: > 0 } chosen
            ? chosen
            : Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        try
        {
            using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(description));
            found.Read(document.RootElement, root);
        }
        catch (Exception exception) when (exception is IOException or JsonException or KeyNotFoundException
            or InvalidOperationException or UnauthorizedAccessException)
        {
            // The resolver has read the same file: what is wrong with it shows when something is not found.
        }
        return found;
    }

    /// <summary>The file of an assembly; null when no package of the deps.json has it.</summary>
    public string? Find(AssemblyName name) =>
        string.IsNullOrEmpty(name.CultureName) ? _managed.GetValueOrDefault(name.Name ?? "") : null;

    /// <summary>The file of a native library, by the name that a P/Invoke uses; null without one.</summary>
    public string? FindNative(string name)
    {
        string[] extensions = OperatingSystem.IsWindows() ? ["", ".dll"] : OperatingSystem.IsMacOS() ? ["", ".dylib"] : ["", ".so"];
        IEnumerable<string> names = from prefix in new[] { "", "lib" } from extension in extensions select prefix + name + extension;
        return names.Select(each => _native.GetValueOrDefault(each)).FirstOrDefault(path => path is not null);
    }

    private void Read(JsonElement root, string packages)
    {
        string target = root.GetProperty("runtimeTarget").GetProperty("name").GetString() ?? "";
        JsonElement libraries = root.GetProperty("libraries");
        foreach (JsonProperty library in root.GetProperty("targets").GetProperty(target).EnumerateObject())
        {
            JsonElement about = libraries.GetProperty(library.Name);
            if (about.GetProperty("type").GetString() == "package" && about.TryGetProperty("path", out JsonElement path))
            {
                Add(library.Value, Path.Combine(packages, path.GetString()!));
            }
        }
    }

    private void Add(JsonElement library, string folder)
    {
        if (library.TryGetProperty("runtime", out JsonElement assets))
        {
            foreach (JsonProperty asset in assets.EnumerateObject())
            {
                Add(_managed, Path.Combine(folder, asset.Name), Path.GetFileNameWithoutExtension(asset.Name));
            }
        }
        if (library.TryGetProperty("native", out assets))
        {
            foreach (JsonProperty asset in assets.EnumerateObject())
            {
                Add(_native, Path.Combine(folder, asset.Name), Path.GetFileName(asset.Name));
            }
        }
        if (library.TryGetProperty("runtimeTargets", out assets))
        {
            foreach (JsonProperty asset in assets.EnumerateObject().Where(asset => Fits(asset.Value)))
            {
                bool native = asset.Value.GetProperty("assetType").GetString() == "native";
                string file = native ? Path.GetFileName(asset.Name) : Path.GetFileNameWithoutExtension(asset.Name);
                Add(native ? _native : _managed, Path.Combine(folder, asset.Name), file);
            }
        }
    }

    // The build knows a tree of platforms; these are the branches that lead to this one.
    private static bool Fits(JsonElement asset)
    {
        string system = OperatingSystem.IsWindows() ? "win" : OperatingSystem.IsMacOS() ? "osx" : "linux";
        string[] names = [RuntimeInformation.RuntimeIdentifier, $"{system}-{RuntimeInformation.ProcessArchitecture}", system, "unix", "any"];
        string rid = asset.GetProperty("rid").GetString() ?? "";
        return names.Contains(rid, StringComparer.OrdinalIgnoreCase) && !(rid == "unix" && system == "win");
    }

    private static void Add(Dictionary<string, string> files, string path, string name)
    {
        if (File.Exists(path))
        {
            files[name] = path;
        }
    }
}
