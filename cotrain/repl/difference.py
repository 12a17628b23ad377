"""``diff(a, b)``: the card for two arrays of either kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotrain.clr import arrays
from cotrain.errors import CotrainError
from cotrain.lockstep.result import Place
from cotrain.protocol import ArrayLike
from cotrain.report import card
from cotrain.testing.differences import difference

_ABOUT_A_RUN = ("where", "tap", "inputs")
"""Lines of the card that two arrays without a run have nothing for."""


def diff(reference: Any, candidate: Any) -> None:
    """Prints how two arrays differ to the bit: the first element, its bits on both sides, how many differ.

    Each is a NumPy array, an NDArray, or what ``np.asarray`` makes an array of. CotrainError for objects,
    strings, and other dtypes that cannot be compared bit for bit.
    """
    print("\n".join(lines(_array(reference), _array(candidate))))


def lines(left: ArrayLike, right: ArrayLike) -> list[str]:
    """The card of two arrays, or one line that says they are equal or cannot be set side by side."""
    for what, one, other in (("dtypes", left.dtype, right.dtype), ("shapes", left.shape, right.shape)):
        if one != other:
            return [f"{what} differ: {one} and {other}"]
    about = f"{left.dtype}{list(left.shape)}"
    found = difference("", left, right, place=Place(0, None, None))
    if found is None:
        return [f"same bits: {about}, {left.size:,} elements"]
    table = [row for row in card.rows(found) if row.label not in _ABOUT_A_RUN]
    heading = f"{found.differing:,} of {found.size:,} elements differ"
    return card.plain_lines(heading, [card.Row("array", about), *table])


def _array(value: Any) -> ArrayLike:
    if arrays.is_ndarray(value):
        return arrays.view(value, writable=False)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise CotrainError(f"diff() takes arrays, and this {type(value).__name__} is none: {error}") from None
