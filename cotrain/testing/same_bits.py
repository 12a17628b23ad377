"""An assertion for tests: two arrays, or two containers of arrays, have the same bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cotrain.errors import CotrainError
from cotrain.lockstep.result import Count, Divergence, Place
from cotrain.testing.containers import Leaf, Mismatch, leaves
from cotrain.testing.differences import difference
from cotrain.testing.failure import Diverged

_NOWHERE = Place(0, None, None)
_SHOWN = ("element", "reference", "candidate", "distance", "differing", "after it")


class SameBits:
    """Called with two values, fails unless all their arrays have the same dtype, shape and bytes.

    −0 is not +0, and a NaN equals only itself.
    """

    def __init__(self) -> None:
        self.compared = Count()
        """Arrays and bytes compared so far."""
        self.differing = 0
        """Arrays that differed."""

    def __call__(self, reference: Any, candidate: Any, name: str = "") -> None:
        """Each is an array or a number, of NumPy or of NumSharp and of any layout, or a container of such:
        dict, list, tuple, namedtuple, dataclass, nested as you like.

        Raises :class:`Diverged` (an AssertionError) with the first difference to the bit and the way to it;
        ``name`` begins that way.
        """
        __tracebackhide__ = True  # pytest then shows the line that asserted
        failure = self._compare(reference, candidate, name)
        if failure is not None:
            raise failure

    def _compare(self, reference: Any, candidate: Any, name: str) -> Diverged | None:
        found: list[Divergence] = []
        try:
            for leaf in leaves(reference, candidate, name):
                self.compared.add(1, leaf.reference.nbytes)
                divergence = _difference(leaf)
                if divergence is not None:
                    found.append(divergence)
        except Mismatch as mismatch:
            if not found:
                self.differing += 1
                return Diverged([f"{mismatch.path}: {mismatch}" if mismatch.path else str(mismatch)])
        self.differing += len(found)
        return Diverged(_card(found)) if found else None


def _difference(leaf: Leaf) -> Divergence | None:
    try:
        return difference(leaf.path, leaf.reference, leaf.candidate, place=_NOWHERE)
    except CotrainError as error:
        raise Mismatch(leaf.path, str(error)) from None


def _card(found: list[Divergence]) -> list[str]:
    from cotrain.report import card  # only a failure draws

    first = replace(found[0], also_differing=tuple(each.tap for each in found[1:]))
    array = card.Row("array", f"{first.dtype}{list(first.shape)}")
    rows = [array, *(row for row in card.rows(first) if row.label in _SHOWN)]
    title = f"{first.tap or 'the two arrays'}: {first.differing:,} of {first.size:,} elements differ"
    return card.plain_lines(title, rows)
