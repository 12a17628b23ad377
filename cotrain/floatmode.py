"""The floating-point modes of the calling thread, found out by arithmetic.

A library that was compiled for fast arithmetic changes them for a whole thread by merely being loaded.
``Interop/FloatMode.cs`` asks the same questions of .NET, with the same codes.
"""

from __future__ import annotations

import numpy as np

FLUSHES_RESULTS = 1
"""Results below the smallest normal number become zero (FTZ)."""
FLUSHES_OPERANDS = 2
"""Operands below the smallest normal number count as zero (DAZ)."""
ROUNDS_DOWN = 4
ROUNDS_UP = 8
ROUNDS_TO_ZERO = 12

_ROUNDING = {
    0: "round to nearest",
    ROUNDS_DOWN: "round down",
    ROUNDS_UP: "round up",
    ROUNDS_TO_ZERO: "round to zero",
}

_SMALLEST_NORMAL = 0x00800000
_DENORMAL = 0x00400000
_HALF = 0x3F000000
_ONE = 0x3F800000
_TWO = 0x40000000
_MINUS_ONE = 0xBF800000
_HALF_ULP = 0x33800000  # 2**-24, half the distance from 1 to the next float32
_MORE_THAN_HALF_ULP = 0x33C00000


def probe() -> int:
    """0 for what IEEE 754 has by default, else a sum of this module's codes; for float32 in NumPy."""
    # Bits are looked at, not values: where operands are flushed, a denormal equals zero.
    with np.errstate(all="ignore"):
        mode = 0
        if _bits(_value(_SMALLEST_NORMAL) * _value(_HALF)) == 0:
            mode |= FLUSHES_RESULTS
        if _bits(_value(_DENORMAL) * _value(_TWO)) == 0:
            mode |= FLUSHES_OPERANDS
        if _bits(_value(_ONE) + _value(_HALF_ULP)) != _ONE:
            mode |= ROUNDS_UP
        elif _bits(_value(_MINUS_ONE) - _value(_HALF_ULP)) != _MINUS_ONE:
            mode |= ROUNDS_DOWN
        elif _bits(_value(_ONE) + _value(_MORE_THAN_HALF_ULP)) == _ONE:
            mode |= ROUNDS_TO_ZERO
    return mode


def describe(mode: int) -> str:
    """A code in words: ``round to nearest, denormals kept``."""
    if mode < 0:
        return "unknown"
    denormals = {
        0: "denormals kept",
        FLUSHES_RESULTS: "denormal results flushed to zero (FTZ)",
        FLUSHES_OPERANDS: "denormal operands read as zero (DAZ)",
        FLUSHES_RESULTS | FLUSHES_OPERANDS: "denormals flushed to zero (FTZ and DAZ)",
    }[mode & 3]
    return f"{_ROUNDING[mode & 12]}, {denormals}"


def _value(bits: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array([bits], np.uint32).view(np.float32)


def _bits(value: np.ndarray[tuple[int], np.dtype[np.float32]]) -> int:
    return int(value.view(np.uint32)[0])
