using System.Buffers.Binary;
using System.IO.Compression;
using NumSharp;

namespace MnistMlp;

/// <summary>
/// Reads the IDX files of MNIST, plain or gzip, and explains in one sentence what is wrong with a bad one.
/// Twin: twin/idx_file.py, with the same sentences.
/// </summary>
/// <remarks>
/// Big-endian: magic, count, for images rows and columns, then one byte per pixel or label.
/// </remarks>
internal static class IdxFile
{
    private const uint ImageMagic = 0x00000803;
    private const uint LabelMagic = 0x00000801;

    /// <summary>Images as (count, rows * columns) uint8.</summary>
    public static NDArray Images(string path, int rows, int columns)
    {
        byte[] content = Read(path);
        long count = Header(content, path, "images", ImageMagic, 16);
        uint height = BinaryPrimitives.ReadUInt32BigEndian(content.AsSpan(8));
        uint width = BinaryPrimitives.ReadUInt32BigEndian(content.AsSpan(12));
        if (height != rows || width != columns)
        {
            throw new InvalidDataException(
                $"{path} holds images of {height}x{width} pixels, the model takes {rows}x{columns}");
        }

        CheckLength(content, path, $"{count} images of {height}x{width}", 16 + (count * rows * columns));
        return Body(content, 16, new Shape(count, rows * columns));
    }

    /// <summary>Labels as (count,) uint8, each below <paramref name="classes"/>.</summary>
    public static NDArray Labels(string path, int classes)
    {
        byte[] content = Read(path);
        long count = Header(content, path, "labels", LabelMagic, 8);
        CheckLength(content, path, $"{count} labels", 8 + count);
        for (long index = 0; index < count; index++)
        {
            if (content[8 + index] >= classes)
            {
                throw new InvalidDataException(
                    $"{path}: label {content[8 + index]} at index {index} is not a digit from 0 to {classes - 1}");
            }
        }

        return Body(content, 8, new Shape(count));
    }

    private static byte[] Read(string path)
    {
        try
        {
            if (!path.EndsWith(".gz", StringComparison.Ordinal))
            {
                return File.ReadAllBytes(path);
            }

            using FileStream file = File.OpenRead(path);
            if (file.Length == 0)
            {
                return [];
            }

            using var unpacked = new MemoryStream();
            using (var gzip = new GZipStream(file, CompressionMode.Decompress))
            {
                gzip.CopyTo(unpacked);
            }

            return unpacked.ToArray();
        }
        catch (InvalidDataException)
        {
            throw new InvalidDataException($"{path} is not a complete gzip file");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new InvalidDataException($"{path} cannot be read: {error.Message}");
        }
    }

    private static long Header(byte[] content, string path, string what, uint magic, int size)
    {
        if (content.Length == 0)
        {
            throw new InvalidDataException($"{path} is empty");
        }

        if (content.Length >= 4)
        {
            uint found = BinaryPrimitives.ReadUInt32BigEndian(content);
            if (found != magic)
            {
                throw new InvalidDataException(
                    $"{path} is not an IDX file of {what}: it starts with 0x{found:X8} instead of 0x{magic:X8}");
            }
        }

        if (content.Length < size)
        {
            throw new InvalidDataException(
                $"{path} is truncated: the header takes {size} bytes, it has {content.Length}");
        }

        long count = BinaryPrimitives.ReadUInt32BigEndian(content.AsSpan(4));
        return count > 0 ? count : throw new InvalidDataException($"{path} holds no {what}");
    }

    private static void CheckLength(byte[] content, string path, string what, long expected)
    {
        if (content.Length != expected)
        {
            string problem = content.Length < expected ? "is truncated" : "is too long";
            throw new InvalidDataException($"{path} {problem}: {what} take {expected} bytes, it has {content.Length}");
        }
    }

    private static NDArray Body(byte[] content, int offset, Shape shape)
    {
        NDArray array = np.empty(shape, NPTypeCode.Byte);
        unsafe
        {
            content.AsSpan(offset).CopyTo(new Span<byte>(array.Unsafe.Address, content.Length - offset));
        }

        return array;
    }
}
