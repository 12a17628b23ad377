"""How an ``NDArray`` looks at a prompt: dtype, shape, strides, whose memory it is, and the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotrain.clr import arrays
from cotrain.errors import CotrainError


def describe(nd: Any) -> str:
    """``NDArray float32 (2, 3), strides (12, 4), memory: NumSharp's``, then the values as NumPy prints them."""
    try:
        seen = arrays.view(nd)
    except CotrainError as error:
        return f"<NDArray: {error}>"
    read_only = "" if seen.flags.writeable else ", read-only"
    head = f"NDArray {seen.dtype} {seen.shape}, strides {seen.strides}, memory: {arrays.owner(nd)}{read_only}"
    return f"{head}\n{np.array2string(seen, separator=' ')}"
