"""Operands by description, so that Python and .NET build the same ones: a stretch of the common values and views.

``{"start": 0, "shape": [9, 510], "then": [":, ::2", "T"]}`` is ``values[0 : 9 * 510].reshape(9, 510)``, then the
slice, then the transposed view. Slices are written as NumPy and NumSharp both read them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict

import numpy as np


class Operand(TypedDict):
    start: int
    """First of the common values that it takes; operands may overlap."""
    shape: Sequence[int]
    then: Sequence[str]
    """Views of what came before: "T" or a slice."""


def operand(shape: Sequence[int], *then: str, start: int = 0) -> Operand:
    return {"start": start, "shape": list(shape), "then": list(then)}


def build(values: np.ndarray, description: Operand) -> np.ndarray:
    """The operand over the memory of ``values``; nothing is copied."""
    start, shape = description["start"], description["shape"]
    array = values[start : start + math.prod(shape)].reshape(shape)
    for view in description["then"]:
        array = array.T if view == "T" else array[_slices(view)]
    return array


def _slices(text: str) -> tuple[Any, ...]:
    return tuple(slice(*(int(part) if part.strip() else None for part in axis.split(":"))) for axis in text.split(","))


def common_values(count: int = 40_000) -> np.ndarray:
    """Normal float32 numbers over four decades, so that the order of additions shows in the last bits."""
    random = np.random.RandomState(5)
    return (random.normal(0, 1, count) * 10.0 ** random.randint(-2, 3, count)).astype(np.float32)
