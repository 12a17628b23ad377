namespace Cotrain.Testing;

/// <summary>A tap as it was when it was handed in.</summary>
/// <param name="Name">Its name.</param>
/// <param name="TypeCode">The element type as an <c>NPTypeCode</c> number.</param>
/// <param name="Shape">Its extents; empty for a scalar.</param>
/// <param name="Bytes">A copy of its elements, in C order without gaps.</param>
/// <param name="File">The file that handed it in; "" while unknown.</param>
/// <param name="Line">The line there; 0 while unknown.</param>
public sealed record RecordedTap(string Name, int TypeCode, long[] Shape, byte[] Bytes, string File, int Line);
