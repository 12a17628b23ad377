"""Inputs of exp, log and sqrt, as float32 bit patterns: where an implementation is likely to be wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np

DIFFERING = Path(__file__).parents[3] / "cotrain" / "ledger" / "differing" / "exp_float32.txt"
"""Every input in which NumSharp's own exp differs, found by the exhaustive sweep."""

_SPECIAL = (
    *(0x00000000, 0x00000001, 0x00000002, 0x007FFFFF, 0x00800000, 0x00800001),  # zero, denormals, least normals
    *(0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x40000000, 0x7F7FFFFF, 0x7F800000),  # around 1, 2, largest, infinity
    *(0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FC00001, 0x7FFFFFFF),  # signalling and quiet NaNs
)


def of(function: str) -> np.ndarray:
    """The inputs of "exp", "log" or "sqrt": float32, each pattern once, in a fixed order."""
    special = [sign | pattern for pattern in _SPECIAL for sign in (0, 0x80000000)]
    patterns = special + {"exp": _exp, "log": _log, "sqrt": _sqrt}[function]() + _random(500, seed=1)
    return np.array(list(dict.fromkeys(patterns)), np.uint32).view(np.float32)


def differing() -> np.ndarray:
    """The first column of the list of inputs in which NumSharp's exp differs, ascending."""
    lines = DIFFERING.read_text(encoding="utf-8").splitlines()
    return np.unique(np.array([int(line.split()[0], 16) for line in lines if line[:1] not in ("", "#")], np.uint32))


def _exp() -> list[int]:
    # Overflow, the scaling by 2^128, results that become denormal, the least denormal, zero.
    ends = [0x42B17218, 0x42B0C0A5, 0xC2AEAC50, 0xC2CE8ED0, 0xC2CFF1B5]
    # Between the stretches of the range reduction, x = (n + 1/2) ln 2, and their middles.
    halves = _patterns(np.arange(-301, 258) / 2 * np.log(2))
    # Where exp(x) rounds to 1, or to its neighbours.
    tiny = _patterns(np.array([sign * 2.0**power for power in range(-27, -20) for sign in (1, -1)]))
    spread = np.random.RandomState(2).uniform(-104, 89, 1500)
    return [
        *_around(ends, 8),
        *_around(halves, 1),
        *_around(tiny, 2),
        *_around(map(int, differing()), 1),
        *_patterns(spread),
    ]


def _log() -> list[int]:
    powers = _patterns(2.0 ** np.arange(-149, 128))
    # Where the mantissa is halved: sqrt(1/2) 2^n.
    roots = _patterns(np.sqrt(0.5) * 2.0 ** np.arange(-126, 128))
    near_one = range(0x3F800000 - 64, 0x3F800000 + 64)
    clip = _patterns(np.array([1e-7, 1e-6, 0.1, 0.5, 0.9, np.e]))
    probabilities = np.random.RandomState(3).uniform(0, 1, 1500) ** 4 + 1e-7
    return [*_around(powers, 1), *_around(roots, 1), *near_one, *_around(clip, 4), *_patterns(probabilities)]


def _sqrt() -> list[int]:
    squares = _patterns(np.arange(1, 200.0) ** 2)
    powers = _patterns(2.0 ** np.arange(-149, 128))
    moments = 10.0 ** np.random.RandomState(4).uniform(-20, 2, 1000)
    return [*_around(squares, 1), *_around(powers, 1), *_patterns(moments)]


def _patterns(values: np.ndarray) -> list[int]:
    return [int(bits) for bits in values.astype(np.float32).view(np.uint32)]


def _around(patterns: object, reach: int) -> list[int]:
    return [(each + by) % 2**32 for each in patterns for by in range(-reach, reach + 1)]  # type: ignore[attr-defined]


def _random(count: int, seed: int) -> list[int]:
    return [int(bits) for bits in np.random.RandomState(seed).randint(0, 2**32, count, np.uint32)]
