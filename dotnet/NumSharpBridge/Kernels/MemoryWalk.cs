using NumSharp;

namespace Cotrain.Kernels;

/// <summary>
/// The order in which NumPy walks an array when any order will do, as in ufuncs (<c>order='K'</c>) and
/// whole-array reductions: axes sorted by stride, the smallest innermost, C order among equals. Strides are
/// taken by their absolute value and kept, so a reversed axis is walked in its own order.
/// </summary>
internal readonly unsafe struct MemoryWalk
{
    private readonly long[] _extents;
    private readonly long[] _strides;

    /// <summary>Works out the walk over an array.</summary>
    public MemoryWalk(NDArray array)
    {
        long[] extents = array.Shape.Dimensions;
        long[] strides = array.Shape.Strides;
        Size = array.size;
        Order = SortedAxes(extents, strides);
        _extents = new long[Math.Max(1, extents.Length)];
        _strides = new long[Math.Max(1, extents.Length)];
        _extents[0] = 1;
        int last = 0;
        foreach (int axis in Order)
        {
            if (extents[axis] == 1)
            {
                continue;
            }
            if (_extents[last] == 1)
            {
                _extents[last] = extents[axis];
                _strides[last] = strides[axis];
            }
            else if (_strides[last] * _extents[last] == strides[axis])
            {
                _extents[last] *= extents[axis];
            }
            else
            {
                last++;
                _extents[last] = extents[axis];
                _strides[last] = strides[axis];
            }
        }
        Axes = last + 1;
    }

    /// <summary>The array's axes from the innermost of the walk to the outermost.</summary>
    public int[] Order { get; }

    /// <summary>Number of elements.</summary>
    public long Size { get; }

    /// <summary>Number of axes left after merging neighbours that one stride steps through; at least 1.</summary>
    public int Axes { get; }

    /// <summary>Whether the walk goes through memory without gaps, upwards.</summary>
    public bool IsDense => Axes == 1 && (_strides[0] == 1 || _extents[0] <= 1);

    /// <summary>Extent of a merged axis; 0 is the innermost.</summary>
    public long Extent(int axis) => _extents[axis];

    /// <summary>Stride of a merged axis in elements.</summary>
    public long Stride(int axis) => _strides[axis];

    /// <summary>Distance in elements from the array's first element to one of the walk's.</summary>
    public long Offset(long position)
    {
        long offset = 0;
        for (int axis = 0; axis < Axes; axis++)
        {
            (position, long index) = Math.DivRem(position, _extents[axis]);
            offset += index * _strides[axis];
        }
        return offset;
    }

    /// <summary>Copies a stretch of the walk to consecutive memory.</summary>
    /// <param name="origin">The array's element with index [0, 0, …].</param>
    /// <param name="position">Where in the walk the stretch begins.</param>
    /// <param name="count">Its length.</param>
    /// <param name="target">Room for that many elements.</param>
    public void Gather<T>(T* origin, long position, long count, T* target)
        where T : unmanaged
    {
        long stride = _strides[0];
        while (count > 0)
        {
            T* source = origin + Offset(position);
            long run = Math.Min(count, _extents[0] - position % _extents[0]);
            for (long i = 0; i < run; i++)
            {
                target[i] = source[i * stride];
            }
            target += run;
            position += run;
            count -= run;
        }
    }

    /// <summary>NumPy's stable insertion sort; axes of stride 0 or extent 1 say nothing and stay put.</summary>
    private static int[] SortedAxes(long[] extents, long[] strides)
    {
        int count = extents.Length;
        int[] order = new int[count];
        for (int i = 0; i < count; i++)
        {
            int axis = count - 1 - i;
            long stride = Significant(axis);
            int at = i;
            for (int before = i - 1; before >= 0; before--)
            {
                long other = Significant(order[before]);
                if (stride == 0 || other == 0)
                {
                    continue;
                }
                if (other <= stride)
                {
                    break;
                }
                at = before;
            }
            for (int move = i; move > at; move--)
            {
                order[move] = order[move - 1];
            }
            order[at] = axis;
        }
        return order;

        long Significant(int axis) => extents[axis] == 1 ? 0 : Math.Abs(strides[axis]);
    }
}
