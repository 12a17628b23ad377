using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Cotrain.Interop;

/// <summary>What an assembly's file says of itself; nothing of it is loaded or run.</summary>
public sealed class AssemblyFacts
{
    private AssemblyFacts(string name, string architecture, string[] references)
    {
        Name = name;
        Architecture = architecture;
        References = references;
    }

    /// <summary>Its simple name.</summary>
    public string Name { get; }

    /// <summary>The processor that it was compiled for, <c>X64</c> say; <c>any</c> for any.</summary>
    public string Architecture { get; }

    /// <summary>The assemblies that it was compiled against, as <c>Name 1.2.3.4</c>.</summary>
    public string[] References { get; }

    /// <summary>Reads a file. BadImageFormatException when it is no .NET assembly.</summary>
    public static AssemblyFacts Read(string path)
    {
        using FileStream file = File.OpenRead(path);
        using var image = new PEReader(file);
        if (!image.HasMetadata)
        {
            throw new BadImageFormatException();
        }
        MetadataReader metadata = image.GetMetadataReader();
        if (!metadata.IsAssembly)
        {
            throw new BadImageFormatException();
        }
        IEnumerable<string> references =
            from handle in metadata.AssemblyReferences
            let reference = metadata.GetAssemblyReference(handle)
            select $"{metadata.GetString(reference.Name)} {reference.Version}";
        string name = metadata.GetString(metadata.GetAssemblyDefinition().Name);
        return new AssemblyFacts(name, ArchitectureOf(image.PEHeaders), [.. references]);
    }

    private static string ArchitectureOf(PEHeaders headers)
    {
        CorFlags flags = headers.CorHeader!.Flags;
        return headers.CoffHeader.Machine switch
        {
            // What the compiler writes for "any processor" is the oldest one's mark.
            Machine.I386 when flags.HasFlag(CorFlags.ILOnly) && !flags.HasFlag(CorFlags.Requires32Bit) => "any",
            Machine.I386 => "X86",
            Machine.Amd64 => "X64",
            Machine.Arm64 => "Arm64",
            Machine.Arm or Machine.ArmThumb2 => "Arm",
            Machine machine => machine.ToString(),
        };
    }
}
