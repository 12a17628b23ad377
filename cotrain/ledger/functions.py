"""Entries of elementwise functions."""

from __future__ import annotations

from cotrain.ledger.conditions import listed, numbers, power
from cotrain.ledger.differing import EXP_FLOAT32
from cotrain.ledger.entry import Bits, Condition, Entry, Example, Host, Setting

_ISSUE = "SciSharp/NumSharp#626"
_NONE = "no issue found"
_LIBRARY = (
    "With AVX-512 NumPy's {0} is that of the SVML vector library in its wheel; NumSharp calls .NET's, which is the C "
    "library's. Both round wrongly now and then, in different places."
)


def _of_one(op: str, dtype: str, x: int, reference: int, candidate: int) -> Example:
    return Example(op, (Bits(dtype, (1,), (x,)),), Bits(dtype, (1,), (reference,)), Bits(dtype, (1,), (candidate,)))


def _library(name: str, dtype: str, bound: int, bits: tuple[int, int, int], holds: Condition, condition: str) -> Entry:
    """An entry of a function that NumPy takes from SVML."""
    return Entry(
        name=f"{name}-{dtype}",
        operation=f"{name}(x), elementwise",
        operations=frozenset({name}),
        dtypes=(dtype,),
        layout="any",
        bound=bound,
        condition=condition,
        holds=holds,
        cause=_LIBRARY.format(name),
        example=_of_one(f"{name}(x)", dtype, *bits),
        upstream=f"NumSharp.Backends.Kernels.DirectILKernelGenerator, EmitMathCall; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
        host=Host.AVX512,
    )


def _logarithm(name: str, dtype: str, bound: int, bits: tuple[int, int, int]) -> Entry:
    condition = (
        "x is finite and over 0, and both results are finite; or x is not over 0, and they are NaN of other sign."
    )
    return _library(name, dtype, bound, bits, numbers(low=0, nan_sign=True), condition)


def _power(dtype: str, bits: tuple[int, int, int]) -> Entry:
    return Entry(
        name=f"power-{dtype}",
        operation="power(x, y) or x ** y, elementwise",
        operations=frozenset({"power"}),
        dtypes=(dtype,),
        layout="any",
        bound=1,
        condition="x is finite and over 0, y is finite, and so are both results. Scalar exponents for which NumPy has "
        "shortcuts (-1, 0, 0.5, 1, 2) are equal.",
        holds=power,
        cause=_LIBRARY.format("power"),
        example=_of_one("power(x, 1.5)", dtype, *bits),
        upstream=f"NumSharp.Backends.Kernels.DirectILKernelGenerator, MathPow and MathFPow; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
        host=Host.AVX512,
    )


def _by_formula(name: str, formula: str, lost: str) -> Entry:
    """An entry of expm1 or log1p, which NumSharp computes by the formula that they are meant to replace."""
    return Entry(
        name=name,
        operation=f"{name}(x), elementwise",
        operations=frozenset({name}),
        dtypes=("float32", "float64"),
        layout="any",
        bound=None,
        condition="x is finite, and so are both results. Without a bound: towards 0 every digit is lost.",
        holds=numbers(),
        cause=f"NumSharp computes {formula}, rounded at each step: {lost}. NumPy's keeps full precision near 0.",
        example=_of_one(f"{name}(x)", "float32", 0x00000001, 0x00000001, 0x00000000),
        upstream=f"NumSharp.Backends.Kernels.DirectILKernelGenerator, EmitMathCall; {_NONE}",
        setting=Setting.ANY,
        shown_by="",
        in_all=False,
    )


ENTRIES = (
    Entry(
        name="exp-float32",
        operation="exp(x), elementwise",
        operations=frozenset({"exp"}),
        dtypes=("float32",),
        layout="any",
        bound=2,
        condition="x is one of 84 listed inputs of all 2^32, and both results are the listed ones "
        "(cotrain/ledger/differing/exp_float32.txt).",
        holds=listed(EXP_FLOAT32),
        cause="Where x / ln 2 is all but halfway between two integers: NumPy's range reduction rounds a product and "
        "then a sum, NumSharp's fuses the two, so they take neighbouring powers of two and end 1 or 2 ulp apart.",
        example=_of_one("exp(x)", "float32", 0x3F851592, 0x403504F2, 0x403504F4),
        upstream=f"NumSharp.Utilities.NDFloatMath.Exp, {_ISSUE}",
        setting=Setting.MATH,
        shown_by="--math numsharp",
    ),
    _library(
        "exp",
        "float64",
        1,
        (0xC08310CC5D86D2B1, 0x08EC176C88082CA5, 0x08EC176C88082CA6),
        numbers(),
        "x is finite, and so are both results.",
    ),
    _logarithm("log", "float64", 1, (0x3FF03C4236C9D600, 0x3F8DE8EBDF9191E6, 0x3F8DE8EBDF9191E7)),
    _logarithm("log2", "float32", 2, (0x3F384654, 0xBEF2D590, 0xBEF2D592)),
    _logarithm("log2", "float64", 1, (0x3FF38C27026EFD40, 0x3FD27D806501D5F9, 0x3FD27D806501D5F8)),
    _logarithm("log10", "float32", 4, (0x3F3FF9A2, 0xBDFFFD64, 0xBDFFFD60)),
    _logarithm("log10", "float64", 2, (0x3FFC563A7E23EF26, 0x3FCFC60AEC1F0548, 0x3FCFC60AEC1F0546)),
    _power("float32", (0x40400000, 0x40A646E2, 0x40A646E1)),
    _power("float64", (0x401C000000000000, 0x4032852FB49899CC, 0x4032852FB49899CD)),
    _by_formula("expm1", "exp(x) - 1", "a small x vanishes beside 1, and -0 becomes +0"),
    _by_formula("log1p", "log(1 + x)", "a small x vanishes beside 1, and -0 becomes +0"),
)
