"""Arrays of every dtype and layout that both sides know, for hypothesis, and what is looked at in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

DTYPES = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "float32", "float64", "complex128",
]  # fmt: skip


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """An array of any dtype and layout: up to four axes, sliced, reversed, transposed, broadcast, empty."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(st.lists(st.integers(0, 5), max_size=4))
    count = int(np.prod(shape, dtype=int))
    seed = draw(st.integers(0, 2**32 - 1))
    raw = np.random.default_rng(seed).integers(0, 256, count * dtype.itemsize, np.uint8)
    base = (raw & 1).view(dtype) if dtype.kind == "b" else raw.view(dtype)
    array = base.reshape(shape, order=draw(st.sampled_from("CF")))
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    index = []
    for length in array.shape:
        step = draw(st.sampled_from([1, 1, 2, 3, -1, -2]))
        start = draw(st.integers(0, max(length - 1, 0)))
        index.append(slice(None, None, step) if draw(st.booleans()) else slice(start, None, step))
    array = array[(*index, ...)]
    if draw(st.booleans()):
        array = array[(slice(None),) * draw(st.integers(0, array.ndim)) + (None, ...)]
        if draw(st.booleans()):
            array = np.broadcast_to(array, [draw(st.integers(0, 4)) if n == 1 else n for n in array.shape])
    return array


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def significant_strides(array: np.ndarray[Any, Any]) -> list[int]:
    """Strides of the axes along which there is something to step over."""
    if array.size == 0:
        return []
    return [stride for stride, length in zip(array.strides, array.shape, strict=True) if length > 1]
