"""Arrays that a step writes into, each with the tap that shows it. No counterpart in C#."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cotrain.protocol import Tap

Float32 = npt.NDArray[np.float32]
"""Annotation of a float32 array."""


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
    value: npt.NDArray[Any] = np.zeros(shape, dtype)
    return Tap(name, value, op, inputs, occasional=occasional)
