"""Entries of NumSharp's own matrix product."""

from __future__ import annotations

from cotrain.ledger.conditions import inner_dimension
from cotrain.ledger.entry import Bits, Entry, Example, Host, Setting


def _native(dtype: str, left: tuple[int, ...], right: tuple[int, ...], both: tuple[tuple[int, ...], ...]) -> Entry:
    square = (2, 2)
    return Entry(
        name=f"gemm-native-{dtype}",
        operation="x @ w or dot(x, w) of one- and two-dimensional arrays",
        operations=frozenset({"matmul"}),
        dtypes=(dtype,),
        layout="any",
        bound=None,
        condition="An inner dimension of at least 2, as far as the operands are known, and finite results. Without a "
        "bound: where terms of both signs cancel, a million ulp are nothing special.",
        holds=inner_dimension(2),
        cause="Another order of additions, and fused multiply-adds in other places, than in the OpenBLAS kernel that "
        "NumPy uses on the machine.",
        example=Example(
            "x @ w",
            (Bits(dtype, square, left), Bits(dtype, square, right)),
            Bits(dtype, square, both[0]),
            Bits(dtype, square, both[1]),
        ),
        upstream="NumSharp.Backends.Kernels.SimdMatMul, by DefaultEngine.Dot; SciSharp/NumSharp#626",
        setting=Setting.GEMM,
        shown_by="--gemm native" if dtype == "float32" else "",
        host=Host.FMA_KERNEL,
        in_all=False,
    )


ENTRIES = (
    _native(
        "float32",
        (0x444E0000, 0x44260000, 0x43848000, 0x45920800),
        (0x46025000, 0x41600000, 0x459E7800, 0x456D5000),
        (
            (0x4B1C3D48, 0x4A1A9620, 0x4BC5A762, 0x4B87664A),
            (0x4B1C3D48, 0x4A1A9620, 0x4BC5A762, 0x4B876649),
        ),
    ),
    _native(
        "float64",
        (0x41B25B48BB000000, 0x41A4B15FF6000000, 0x41A7384A0E000000, 0x417F5F8120000000),
        (0x41B1E1398F000000, 0x4193001088000000, 0x418E83CC38000000, 0x41AAA410A8000000),
        (
            (0x4376FAD38386CB3D, 0x436C207273B04566, 0x436AE1FFCA46922D, 0x43545114A432BF36),
            (0x4376FAD38386CB3D, 0x436C207273B04567, 0x436AE1FFCA46922D, 0x43545114A432BF36),
        ),
    ),
)
