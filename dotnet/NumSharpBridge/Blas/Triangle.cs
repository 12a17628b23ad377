namespace Cotrain.Blas;

/// <summary>The half of a symmetric product that syrk leaves out.</summary>
internal static unsafe class Triangle
{
    /// <summary>Copies the upper triangle of an n × n row major matrix onto the lower one.</summary>
    internal static void Mirror<T>(T* matrix, long n, long leading) where T : unmanaged
    {
        for (long i = 0; i < n; i++)
        {
            T* row = matrix + (i * leading);
            for (long j = i + 1; j < n; j++)
            {
                matrix[(j * leading) + i] = row[j];
            }
        }
    }
}
