"""The inputs on which each entry is measured: those it is about, and those just beyond its condition.

All are deterministic. Where an entry has a bound, the largest distance inside is that bound, with 256- and with
512-bit vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cotrain.ledger.conditions import DEFAULT_NAN
from cotrain.ledger.differing import EXP_FLOAT32
from cotrain.ledger.reductions import SHORTEST_SUM

Array = np.ndarray
Probe = tuple
"""An op text and its operands."""


class Family(NamedTuple):
    """The inputs of one entry."""

    inside: Callable[[], Iterator[Probe]]
    """Whatever differs here must be inside the condition and bound."""
    outside: Callable[[], Iterator[Probe]]
    """The condition holds for no element here, and nothing differs."""
    everywhere: bool = False
    """Whether every element inside differs."""


def _bits(*patterns: int) -> Array:
    return np.array(patterns, np.uint32).view(np.float32)


# ---- exp


def _exp_inside() -> Iterator[Probe]:
    yield "exp(x)", _bits(*EXP_FLOAT32)


def _exp_outside() -> Iterator[Probe]:
    listed = np.array(list(EXP_FLOAT32), np.uint32)
    for step in (*range(-3, 0), *range(1, 4)):
        yield "exp(x)", (listed + np.uint32(step % (1 << 32))).view(np.float32)
    for seed in range(4):
        patterns = np.random.default_rng(seed).integers(0, 1 << 32, 1 << 20, np.uint32)
        yield "exp(x)", patterns[~np.isin(patterns, listed)].view(np.float32)
    yield "exp(x)", _bits(0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000)


# ---- functions of a library


def _library(op: str, dtype: str, low: float, high: float, beyond: list[float], *, worst: int) -> Family:
    unsigned = f"u{np.dtype(dtype).itemsize}"

    def inside() -> Iterator[Probe]:
        yield op, np.array([worst], unsigned).view(dtype)
        yield op, np.random.default_rng(1).uniform(low, high, 200_000).astype(dtype)

    def outside() -> Iterator[Probe]:
        yield op, np.array(beyond, dtype)

    return Family(inside, outside)


def _logarithm(name: str, dtype: str, *, worst: int) -> Family:
    return _library(f"{name}(x)", dtype, -1, 9, [0, -0.0, np.inf, np.nan], worst=worst)


def _power(dtype: str) -> Family:
    def inside() -> Iterator[Probe]:
        rng = np.random.default_rng(2)
        x = np.exp(rng.uniform(-30, 30, 100_000)).astype(dtype)
        yield "power(x, y)", x, rng.uniform(-2.5, 2.5, 100_000).astype(dtype)
        yield "x ** 3", x
        yield "x ** 2", x

    def outside() -> Iterator[Probe]:
        for y in (-2, 1.5, 3):
            yield f"power(x, {y})", np.array([0, -0.0, np.inf], dtype)
        yield "power(x, 3)", np.array([-np.inf, -1], dtype)

    return Family(inside, outside)


def _formula(op: str, equal: list[float]) -> Family:
    def inside() -> Iterator[Probe]:
        for dtype in (np.float32, np.float64):
            yield op, np.random.default_rng(3).uniform(-0.9, 2, 10_000).astype(dtype)

    def outside() -> Iterator[Probe]:
        for dtype in (np.float32, np.float64):
            yield op, np.array(equal, dtype)

    return Family(inside, outside)


# ---- sums


def one_and_half_ulps(n: int, dtype: str) -> Array:
    """A 1, and halves of its ulp where NumSharp adds them to it one by one, with any vector width: all are lost.

    NumPy adds most of them to each other first. They stand a multiple of all lanes apart, and at the end.
    """
    lanes, rest = (128, 8) if dtype == "float32" else (64, 4)
    x = np.zeros(n, dtype)
    x[lanes::lanes] = x[n - n % rest :] = np.finfo(dtype).eps / 2
    x[0] = 1
    return x


def _whole(function: str, dtype: str) -> Family:
    op = f"{function}(x)"

    def inside() -> Iterator[Probe]:
        for n in (531, 535, 543, 783, 903, 1024):
            yield op, one_and_half_ulps(n, dtype)
        for n in (*range(SHORTEST_SUM[dtype], 8), *range(8, 1025, 7)):
            rng = np.random.default_rng(n)
            yield op, rng.random(n).astype(dtype)
            yield op, -(rng.standard_exponential(n) ** 3).astype(dtype)
            yield op, rng.random((n // 4, 4)).astype(dtype)

    def outside() -> Iterator[Probe]:
        rng = np.random.default_rng(4)
        for n in range(2, SHORTEST_SUM[dtype]):
            for _ in range(50):
                yield op, rng.random(n).astype(dtype)
                yield op, rng.standard_normal(2 * n).astype(dtype)[::2]
        yield op, rng.random(2).astype(dtype)[::-1]
        for n in (9, 200):
            x = rng.random((n, n + 1)).astype(dtype)
            for axis in (0, 1):
                yield f"{function}(x, axis={axis})", x
                yield f"{function}(x, axis={axis}, keepdims=True)", x

    return Family(inside, outside)


_ZEROS = [[-0.0, 0.0, 1.0, -0.0, -2.5]]


def _floats(*values: object) -> Iterator[Array]:
    for value in values:
        for dtype in (np.float32, np.float64):
            yield np.array(value, dtype)


def _of_one_inside() -> Iterator[Probe]:
    for x in _floats([-0.0], -0.0):
        yield "sum(x)", x
        yield "mean(x)", x


def _of_one_outside() -> Iterator[Probe]:
    for x in _floats([0.0], 1.5, [-0.0, -0.0], [[-0.0]]):
        yield "sum(x)", x
        yield "x.mean()", x


def _axis_of_one_inside() -> Iterator[Probe]:
    for x in _floats(_ZEROS):
        for function in ("sum", "mean"):
            yield f"{function}(x, axis=0)", x
            yield f"{function}(x, axis=1)", x.T
            yield f"{function}(x, axis=0, keepdims=True)", x


def _axis_of_one_outside() -> Iterator[Probe]:
    for x in _floats(_ZEROS):
        for function in ("sum", "mean"):
            yield f"{function}(x, axis=0)", np.repeat(x, 2, axis=0)
            yield f"{function}(x, axis=0)", np.abs(x)
            yield f"{function}(x, axis=1)", -np.abs(x)


def _reversed_inside() -> Iterator[Probe]:
    for dtype in (np.float32, np.float64):
        for n in (3, 4, 9, 100, 500):
            x = np.random.default_rng(n).standard_normal((n, 7)).astype(dtype)
            for function in ("sum", "mean"):
                yield f"{function}(x, axis=0)", x[::-1]
                yield f"{function}(x, axis=1)", x.T.copy()[:, ::-1]


def _reversed_outside() -> Iterator[Probe]:
    for dtype in (np.float32, np.float64):
        for n in (3, 4, 9, 100, 500):
            x = np.random.default_rng(n).standard_normal((n, 7)).astype(dtype)
            for function in ("sum", "mean"):
                yield f"{function}(x, axis=0)", x
                yield f"{function}(x, axis=0)", x[:2][::-1]
                yield f"{function}(x, axis=0)", x[:, ::-1]
                yield f"{function}(x, axis=1)", x[::-1]


# ---- extremes


def _extremes(*arrays: Array) -> Iterator[Probe]:
    for x in arrays:
        for function in ("max", "min"):
            yield f"{function}(x)", x
            for axis in (0, 1):
                yield f"{function}(x, axis={axis})", x


def _zeros_inside() -> Iterator[Probe]:
    rng = np.random.default_rng(6)
    for shape in [(2, 1), (1, 2), (2, 3), (5, 5), (9, 20), (33, 40)]:
        x = np.where(rng.random(shape) < 0.5, 0.0, -0.0)
        yield from _extremes(x.astype(np.float32), x)


def _zeros_outside() -> Iterator[Probe]:
    rng = np.random.default_rng(7)
    for shape in [(2, 1), (2, 3), (9, 20)]:
        for x in (np.zeros(shape), -np.zeros(shape), rng.integers(1, 3, shape), rng.standard_normal(shape)):
            yield from _extremes(x.astype(np.float32), x.astype(np.float64))


def _nans(seed: int, *, payloads: bool) -> Iterator[Array]:
    rng = np.random.default_rng(seed)
    for unsigned, dtype in ((np.uint32, np.float32), (np.uint64, np.float64)):
        quiet = DEFAULT_NAN[np.dtype(dtype).itemsize]
        sign = 1 << (8 * np.dtype(dtype).itemsize - 1)
        pool = np.array([quiet, quiet | sign, quiet | 5] if payloads else [quiet], unsigned).view(dtype)
        for shape in [(2, 1), (1, 2), (8, 3), (9, 20), (33, 40)]:
            x = rng.integers(-3, 4, shape).astype(dtype)
            where = rng.random(shape) < 0.3
            x[where] = pool[rng.integers(0, len(pool), shape)][where]
            yield x


def _nan_inside() -> Iterator[Probe]:
    for x in _nans(8, payloads=True):
        for function in ("sum", "mean", "max", "min"):
            for axis in (0, 1):
                yield f"{function}(x, axis={axis})", x


def _nan_outside() -> Iterator[Probe]:
    for x in _nans(9, payloads=False):
        for function in ("sum", "mean", "max", "min"):
            for axis in (0, 1):
                yield f"{function}(x, axis={axis})", x


# ---- spreads and products


def _spread(function: str, dtype: str, worst: list[tuple[int, int]]) -> Family:
    """``worst``: lengths and seeds that reach the bound along the first axis, where NumPy adds row by row."""
    lengths = (2, 3, 5, 8, 17, 33, 64, 65, 100, 127, 128)

    def drawn(length: int, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        for n in lengths:
            x = rng.standard_normal((n, 100)) + rng.uniform(-4, 4)
            if n == length:
                return x.astype(dtype)
        raise AssertionError(length)

    def inside() -> Iterator[Probe]:
        for length, seed in worst:
            # Short lanes may by chance have a mean far from 0: those are not what is measured.
            x = drawn(length, seed)
            yield f"{function}(x, axis=0)", x
        for n in (20, 50, 128):
            x = np.random.default_rng(n).standard_normal((n, 50)).astype(dtype)
            yield f"{function}(x, axis=0)", x
            yield f"{function}(x, axis=1)", x.T.copy()
            yield f"{function}(x)", x[:, 0].copy()

    def outside() -> Iterator[Probe]:
        x = np.random.default_rng(5).standard_normal((1, 20)).astype(dtype)
        yield f"{function}(x, axis=0)", x
        yield f"{function}(x, axis=0, keepdims=True)", x

    return Family(inside, outside)


def _prod_inside() -> Iterator[Probe]:
    for dtype in (np.float32, np.float64):
        for n in (4, 8, 16, 33, 100):
            x = np.random.default_rng(n).uniform(0.5, 1.5, (n, 5)).astype(dtype)
            yield "prod(x, axis=0)", x
            yield "prod(x, axis=1)", x.T.copy()
            yield "prod(x)", x[:, 0].copy()


def _prod_outside() -> Iterator[Probe]:
    for dtype in (np.float32, np.float64):
        for n in (1, 2, 3):
            x = np.random.default_rng(n).uniform(0.5, 1.5, (n, 50)).astype(dtype)
            yield "prod(x, axis=0)", x
            yield "prod(x, axis=1)", x.T.copy()
        yield "prod(x)", np.array([0, *range(1, 30)], dtype)


# ---- matrix products


def _native(dtype: str) -> Family:
    def pairs(k: int) -> Iterator[Probe]:
        rng = np.random.default_rng(k)
        x, w = rng.standard_normal((9, k)).astype(dtype), rng.standard_normal((k, 17)).astype(dtype)
        yield "x @ w", x, w
        yield "x.T @ w", x.T.copy(), w
        yield "x @ w.T", x, w.T.copy()
        yield "dot(x, w)", x[0], w
        yield "dot(x, w)", x, w[:, 0].copy()
        yield "dot(x, w)", x[0], w[:, 0].copy()

    def inside() -> Iterator[Probe]:
        for k in (2, 3, 8, 64, 300):
            yield from pairs(k)

    def outside() -> Iterator[Probe]:
        yield from pairs(1)

    return Family(inside, outside)


FAMILIES: dict[str, Family] = {
    "exp-float32": Family(_exp_inside, _exp_outside, everywhere=True),
    "exp-float64": _library("exp(x)", "float64", -700, 700, [np.inf, -np.inf, np.nan, 711], worst=0xC08310CC5D86D2B1),
    "log-float64": _logarithm("log", "float64", worst=0x3FF03C4236C9D600),
    "log2-float32": _logarithm("log2", "float32", worst=0x3F384654),
    "log2-float64": _logarithm("log2", "float64", worst=0x3FF38C27026EFD40),
    "log10-float32": _logarithm("log10", "float32", worst=0x3F3FF9A2),
    "log10-float64": _logarithm("log10", "float64", worst=0x3FFC563A7E23EF26),
    "power-float32": _power("float32"),
    "power-float64": _power("float64"),
    "expm1": _formula("expm1(x)", [np.inf, np.nan]),
    "log1p": _formula("log1p(x)", [np.inf, np.nan, -1]),
    "sum-float32": _whole("sum", "float32"),
    "sum-float64": _whole("sum", "float64"),
    "mean-float32": _whole("mean", "float32"),
    "mean-float64": _whole("mean", "float64"),
    "sum-of-one": Family(_of_one_inside, _of_one_outside, everywhere=True),
    "sum-axis-of-one": Family(_axis_of_one_inside, _axis_of_one_outside),
    "sum-reversed-axis": Family(_reversed_inside, _reversed_outside),
    "max-signed-zero": Family(_zeros_inside, _zeros_outside),
    "nan-payload": Family(_nan_inside, _nan_outside),
    "var-float32": _spread("var", "float32", [(100, 34)]),
    "std-float32": _spread("std", "float32", [(128, 4)]),
    "var-float64": _spread("var", "float64", [(127, 15)]),
    "std-float64": _spread("std", "float64", [(127, 15)]),
    "prod": Family(_prod_inside, _prod_outside),
    "gemm-native-float32": _native("float32"),
    "gemm-native-float64": _native("float64"),
}
