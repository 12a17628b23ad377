"""An assertion for tests: two arrays, or two containers of arrays, have the same bytes."""

from __future__ import annotations

from typing import Any

from cotrain.testing.same_bits import SameBits


def assert_same_bits(reference: Any, candidate: Any, name: str = "") -> None:
    """Fails unless both have the same dtype, shape and bytes: −0 is not +0, a NaN equals only itself.

    Each is a NumPy array, an ``NDArray`` or a number, of any layout, or a container of such (dict, list, tuple,
    namedtuple, dataclass). Raises AssertionError that shows the first difference to the bit, how many elements
    differ and how far they are apart, and the way to it in a container; ``name`` begins that way.
    """
    __tracebackhide__ = True  # pytest then shows the line that asserted
    SameBits()(reference, candidate, name)
