"""Arrays that a step writes into, each with the tap that shows it. No counterpart in C#."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cotrain.protocol import Tap

Float32 = npt.NDArray[np.float32]
"""Annotation of a float32 array."""

_ALIGNMENT = 64


def zeros(shape: tuple[int, ...], dtype: type[np.generic] = np.float32) -> npt.NDArray[Any]:
    """``np.zeros`` in C order, beginning at a cache line.

    NumPy aligns to 16 bytes; then every other vector load straddles two lines, which costs Adam 8%.
    """
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    room = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    return room[start : start + size].view(dtype).reshape(shape)


def buffer(
    name: str,
    shape: tuple[int, ...],
    op: str,
    inputs: tuple[str, ...],
    *,
    dtype: type[np.generic] = np.float32,
    occasional: bool = False,
) -> Tap:
    """A tap over a new C-ordered array, zero until an operation writes it through ``out=``.

    The tap is made once and yielded in every step of its set, so that a reader can know the array again
    by identity.
    """
    return Tap(name, zeros(shape, dtype), op, inputs, occasional=occasional)
