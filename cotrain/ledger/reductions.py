"""Entries of reductions: sums, means, extremes, spreads, products of elements."""

from __future__ import annotations

from cotrain.ledger.conditions import (
    both_zeros,
    nan_payload,
    negative_zero_kept,
    product,
    reversed_axis,
    spread,
    whole_sum,
)
from cotrain.ledger.entry import Bits, Entry, Example, Setting

SHORTEST_SUM = {"float32": 8, "float64": 4}
"""Elements from which a whole-array sum may differ: one vector of 256 bits."""
LONGEST_SUM = 1024
"""Elements of a whole-array sum up to which its bound was measured."""
LONGEST_SPREAD = 128
"""The same of a variance or standard deviation."""

_ISSUE = "SciSharp/NumSharp#626"
_NONE = "no issue found"
_FLOATS = ("float32", "float64")
_KERNELS = "NumSharp.Backends.Kernels.DirectILKernelGenerator"
_ENGINE = "NumSharp.Backends.DefaultEngine"

_ONE = {"float32": 0x3F800000, "float64": 0x3FF0000000000000}
_HALF_ULP = {"float32": 0x33800000, "float64": 0x3CA0000000000000}
"""Half of the distance from 1 to its neighbour above."""
_SPARSE = {"float32": (15, 31, 32, 40), "float64": (48, 56)}
"""Where half ulps stand among 64 elements so that the two orders of addition differ, whatever the vector width."""


def _sparse(dtype: str) -> Bits:
    words = {0: _ONE[dtype]} | dict.fromkeys(_SPARSE[dtype], _HALF_ULP[dtype])
    return Bits(dtype, (64,), tuple(words.get(i, 0) for i in range(64)))


def _scalar(dtype: str, word: int) -> Bits:
    return Bits(dtype, (), (word,))


def _whole(function: str, dtype: str, bound: int, reference: int, candidate: int) -> Entry:
    """An entry of ``sum`` or ``mean`` over a whole array."""
    divided = ", then both divide by the count" if function == "mean" else ""
    return Entry(
        name=f"{function}-{dtype}",
        operation=f"{function}(x) of a whole array (axis=None)",
        operations=frozenset({function}),
        dtypes=(dtype,),
        layout="C-contiguous",
        bound=bound,
        condition=f"{SHORTEST_SUM[dtype]} to {LONGEST_SUM:,} elements, all finite, none of the other sign than the "
        "rest. With both signs, more elements or another layout they differ too, without a bound that means anything.",
        holds=whole_sum(SHORTEST_SUM[dtype], LONGEST_SUM),
        cause="Another order of additions. NumPy adds 8 interleaved partial sums per 128 elements and halves what is "
        f"longer; NumSharp adds 8 vectors of the machine's width (256 or 512 bits), which shows from 4, 8 or 64 "
        f"elements on{divided}.",
        example=Example(f"{function}(x)", (_sparse(dtype),), _scalar(dtype, reference), _scalar(dtype, candidate)),
        upstream=f"{_KERNELS}, EmitReductionSimdLoop, by {_ENGINE}.ReduceAdd and ReduceMean; {_ISSUE}",
        setting=Setting.MATH,
        shown_by="--math numsharp" if (function, dtype) == ("mean", "float32") else "",
    )


def _spread(function: str, dtype: str, bound: int, words: tuple[int, ...], reference: int, candidate: int) -> Entry:
    """An entry of ``var`` or ``std``; the example folds the first axis of a two-column array with equal columns."""
    column = tuple(word for word in words for _ in range(2))
    return Entry(
        name=f"{function}-{dtype}",
        operation=f"{function}(x) along an axis or of a whole array, ddof 0",
        operations=frozenset({function}),
        dtypes=(dtype,),
        layout="any",
        bound=bound,
        condition=f"2 to {LONGEST_SPREAD} finite elements whose mean is at most 4 standard deviations from 0. More of "
        "them, or a mean further from 0, differ without a bound.",
        holds=spread(2, LONGEST_SPREAD),
        cause="NumSharp takes mean and squared deviations in float64 or in vectors; NumPy rounds each of its passes to "
        "the array's dtype, and along the first axis adds row by row."
        + (" Of an array of one element NumSharp gives float64." if dtype == "float32" else ""),
        example=Example(
            f"{function}(x, axis=0)",
            (Bits(dtype, (len(words), 2), column),),
            Bits(dtype, (2,), (reference,) * 2),
            Bits(dtype, (2,), (candidate,) * 2),
        ),
        upstream=f"{_KERNELS}, CreateAxisVarStdReductionKernel, by {_ENGINE}.ReduceVar and ReduceStd; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
    )


_SUMS = (
    _whole("sum", "float32", 6, 0x3F800001, 0x3F800002),
    _whole("sum", "float64", 8, 0x3FF0000000000000, 0x3FF0000000000001),
    _whole("mean", "float32", 11, 0x3C800001, 0x3C800002),
    _whole("mean", "float64", 12, 0x3F90000000000000, 0x3F90000000000001),
    Entry(
        name="sum-of-one",
        operation="sum(x) or mean(x) of a whole array of one element",
        operations=frozenset({"sum", "mean"}),
        dtypes=_FLOATS,
        layout="no axis, or one",
        bound=0,
        condition="The element is -0; NumPy's result is +0, NumSharp's -0.",
        holds=negative_zero_kept(whole=True),
        cause="NumPy adds the element to +0; NumSharp returns it as it is.",
        example=Example(
            "sum(x)", (Bits("float32", (1,), (0x80000000,)),), _scalar("float32", 0), _scalar("float32", 0x80000000)
        ),
        upstream=f"{_ENGINE}.ReduceAdd, HandleScalarReduction; {_NONE}",
        setting=Setting.MATH,
        shown_by="",
    ),
    Entry(
        name="sum-axis-of-one",
        operation="sum(x, axis) or mean(x, axis) along an axis of length 1",
        operations=frozenset({"sum", "mean"}),
        dtypes=_FLOATS,
        layout="any",
        bound=0,
        condition="The axis has one element and it is -0; NumPy's result is +0, NumSharp's -0.",
        holds=negative_zero_kept(whole=False),
        cause="NumPy adds the element to +0; NumSharp copies it.",
        example=Example(
            "sum(x, axis=0)",
            (Bits("float32", (1, 1), (0x80000000,)),),
            Bits("float32", (1,), (0,)),
            Bits("float32", (1,), (0x80000000,)),
        ),
        upstream=f"{_ENGINE}.HandleTrivialAxisReduction; {_NONE}",
        setting=Setting.ANY,
        shown_by="--batch-size 1",
    ),
    Entry(
        name="sum-reversed-axis",
        operation="sum(x, axis) or mean(x, axis) along a reversed axis",
        operations=frozenset({"sum", "mean"}),
        dtypes=_FLOATS,
        layout="negative stride along the axis",
        bound=None,
        condition="The axis has a negative stride and at least 3 elements, and both results are finite. The distance "
        "grows with the length.",
        holds=reversed_axis,
        cause="NumSharp's iterator turns negative strides round and adds in the order of memory, NumPy in that of "
        "the index.",
        example=Example(
            "sum(x, axis=0)",
            (Bits("float32", (3,), (0x3F800000, 0x33800000, 0x33800000), backwards=True),),
            _scalar("float32", 0x3F800001),
            _scalar("float32", 0x3F800000),
        ),
        upstream=f"NumSharp.Backends.Iteration.NDIterRef.NewReduce; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
        in_all=False,
    ),
)

_EXTREMES = (
    Entry(
        name="max-signed-zero",
        operation="max(x) or min(x), along an axis or of a whole array",
        operations=frozenset({"max", "min"}),
        dtypes=_FLOATS,
        layout="any",
        bound=0,
        condition="The result is zero and both +0 and -0 are among the elements; the results are zeros of other sign.",
        holds=both_zeros,
        cause="+0 and -0 compare equal, and which one remains depends on the order and on the instruction. "
        "Elementwise, maximum and minimum agree.",
        example=Example(
            "max(x, axis=0)",
            (Bits("float32", (2, 1), (0x00000000, 0x80000000)),),
            Bits("float32", (1,), (0x80000000,)),
            Bits("float32", (1,), (0x00000000,)),
        ),
        upstream=f"{_KERNELS}, axis reductions; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
    ),
    Entry(
        name="nan-payload",
        operation="sum(x, axis), mean(x, axis), max(x, axis), min(x, axis)",
        operations=frozenset({"sum", "mean", "max", "min"}),
        dtypes=_FLOATS,
        layout="any",
        bound=None,
        condition="Both results are NaN, and among the elements is a NaN other than np.nan (0x7FC00000, "
        "0x7FF8000000000000); in sums and means also any NaN beside both infinities.",
        holds=nan_payload,
        cause="Which of several NaNs remains depends on the order and on the instruction; NumPy's max and min may also "
        "give np.nan in its place.",
        example=Example(
            "max(x, axis=0)",
            (Bits("float32", (2, 1), (0xFFC00000, 0x00000000)),),
            Bits("float32", (1,), (0x7FC00000,)),
            Bits("float32", (1,), (0xFFC00000,)),
        ),
        upstream=f"{_KERNELS}, axis reductions; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
    ),
)

_SPREADS = (
    _spread("var", "float32", 9, (0x42B55555, 0x406AAAAB), 0x44EC87FE, 0x44EC87FF),
    _spread("std", "float32", 5, (0x42B55555, 0x406AAAAB), 0x422DFFFF, 0x422E0000),
    _spread(
        "var",
        "float64",
        8,
        (0x4013F00000000000, 0x3FF6C00000000000, 0x4015E00000000000),
        0x400A0C1C71C71C71,
        0x400A0C1C71C71C72,
    ),
    _spread(
        "std",
        "float64",
        4,
        (0x402D880000000000, 0x4005600000000000, 0x3FF3000000000000),
        0x40185322F8266991,
        0x40185322F8266990,
    ),
)

_PRODUCTS = (
    Entry(
        name="prod",
        operation="prod(x), along an axis or of a whole array",
        operations=frozenset({"prod"}),
        dtypes=_FLOATS,
        layout="any",
        bound=None,
        condition="At least 4 elements (3 where an axis is reversed), and both results are finite and not 0. The "
        "distance grows with the length.",
        holds=product,
        cause="Another order of multiplications: NumPy's is that of the elements, NumSharp's goes by vectors.",
        example=Example(
            "prod(x)",
            (
                Bits(
                    "float64",
                    (16,),
                    (
                        0x41C6E64FC6000000,
                        0x41A5AD8B06000000,
                        0x41B090FCC9000000,
                        0x41B267F40D000000,
                        0x41BBA23AEA000000,
                        0x419A4DC578000000,
                        0x41A1B7BE76000000,
                        0x4171A82110000000,
                        0x41B9D29F10000000,
                        0x41A59219D4000000,
                        0x416292F280000000,
                        0x41C83B376C800000,
                        0x41C318CEA7000000,
                        0x4196F03F60000000,
                        0x41BD33D48B000000,
                        0x41B3C25B0B000000,
                    ),
                ),
            ),
            _scalar("float64", 0x5B8D8F3BD594D39A),
            _scalar("float64", 0x5B8D8F3BD594D399),
        ),
        upstream=f"{_KERNELS}, EmitReductionSimdLoop; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
        in_all=False,
    ),
)

ENTRIES = (*_SUMS, *_EXTREMES, *_SPREADS, *_PRODUCTS)
