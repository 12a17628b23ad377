"""An assertion for tests: two arrays, of NumPy or of NumSharp, have the same bytes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cotrain import bits
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike


def assert_same_bits(reference: Any, candidate: Any, name: str = "") -> None:
    """Fails unless both have the same dtype, shape and bytes: −0 is not +0, a NaN equals only itself.

    Each is a NumPy array or scalar, or an ``NDArray``, of any layout. Raises AssertionError that tells how
    many elements differ, the first one's values and bits on both sides, and the largest distance in ulp;
    ``name`` begins its message.
    """
    __tracebackhide__ = True  # pytest then shows the line that asserted
    left, right = _array(reference, "reference"), _array(candidate, "candidate")
    try:
        finding = bits.compare(left, right)
    except CotrainError as error:
        raise AssertionError(_named(name, str(error))) from None
    if finding.equal:
        return
    index = bits.unflatten(finding.first_index, left.shape)
    differing = ", ".join(map(str, bits.differing_bits(finding.reference_bits, finding.candidate_bits)))
    distance = f", at most {finding.max_ulp} ulp apart" if finding.ulp_defined else ""
    raise AssertionError(
        _named(
            name,
            f"{finding.differing} of {left.size} elements differ{distance}\n"
            f"first at {list(index)}, in bit {differing}:\n"
            f"  reference {bits.hex_bits(finding.reference_bits)}  {left[index]!s}\n"
            f"  candidate {bits.hex_bits(finding.candidate_bits)}  {right[index]!s}",
        )
    )


def _array(value: Any, side: str) -> ArrayLike:
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    # Nobody can hold an NDArray before this module is loaded; then it costs nothing to leave .NET alone.
    if "clr" in sys.modules:
        from cotrain.clr import arrays

        if arrays.is_ndarray(value):
            return arrays.view(value, writable=False)
    raise AssertionError(f"the {side} is a {type(value).__name__}, not a NumPy array or an NDArray")


def _named(name: str, message: str) -> str:
    return f"{name}: {message}" if name else message
