"""``diff(a, b)``: the card for two arrays of either kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotrain import bits
from cotrain.clr import arrays
from cotrain.errors import CotrainError
from cotrain.lockstep.result import Divergence, Place
from cotrain.protocol import ArrayLike
from cotrain.report import card

_ABOUT_A_RUN = ("where", "inputs")
"""Lines of the card that two arrays without a run have nothing for."""


def diff(reference: Any, candidate: Any) -> None:
    """Prints how two arrays differ to the bit: the first element, its bits on both sides, how many differ.

    Each is a NumPy array, an NDArray, or what ``np.asarray`` makes an array of. CotrainError for objects,
    strings, and other dtypes that cannot be compared bit for bit.
    """
    print("\n".join(lines(_array(reference), _array(candidate))))


def lines(left: ArrayLike, right: ArrayLike, name: str = "array", op: str = "") -> list[str]:
    """The card of two arrays, or one line that says they are equal or cannot be set side by side."""
    for what, one, other in (("dtypes", left.dtype, right.dtype), ("shapes", left.shape, right.shape)):
        if one != other:
            return [f"{what} differ: {one} and {other}"]
    finding = bits.compare(left, right)
    about = f"{left.dtype}{list(left.shape)}"
    if finding.equal:
        return [f"same bits: {about}, {left.size:,} elements"]
    index = bits.unflatten(finding.first_index, left.shape)
    found = Divergence(
        place=Place(-1, None, None),
        tap=name,
        op=op,
        dtype=left.dtype.name,
        shape=left.shape,
        index=index,
        flat_index=finding.first_index,
        reference_bits=bits.hex_bits(finding.reference_bits),
        candidate_bits=bits.hex_bits(finding.candidate_bits),
        reference=left[index],
        candidate=right[index],
        ulp=bits.ulp(left[index], right[index]),
        max_ulp=finding.max_ulp if finding.ulp_defined else None,
        differing=finding.differing,
        size=left.size,
        origin=True,
        inputs={},
    )
    table = [row for row in card.rows(found) if row.label not in _ABOUT_A_RUN]
    return card.plain_lines(f"{finding.differing:,} of {left.size:,} elements differ", table)


def _array(value: Any) -> ArrayLike:
    if arrays.is_ndarray(value):
        return arrays.view(value, writable=False)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise CotrainError(f"diff() takes arrays, and this {type(value).__name__} is none: {error}") from None
