"""Asks the ledger whether a difference is a known one."""

from __future__ import annotations

from cotrain import ledger
from cotrain.lockstep.attribution import UNEXPLAINED, Explanation, before
from cotrain.lockstep.slots import Slot
from cotrain.protocol import ArrayLike


class Excuses:
    """The ledger, as a run with these settings sees it."""

    def __init__(self, *, gemm: str, math: str) -> None:
        self._gemm = gemm
        self._math = math

    def explicable(self, op: str, dtype: str) -> bool:
        """Whether an entry is about such an operation at all."""
        return ledger.could_match(op, dtype, gemm=self._gemm, math=self._math)

    def explain(self, slot: Slot, position: int, previous: Slot | None) -> Explanation:
        """The entry that explains all of an origin's differing elements.

        ``previous`` is the slot of the step before; None in the first.
        """
        info, reference, candidate = slot.infos[position], slot.values[position], slot.candidate(position)
        if candidate is None or not self.explicable(info.op, reference.dtype.name):
            return UNEXPLAINED
        operands = tuple(_operand(name, slot, position, previous) for name in info.inputs or ())
        entry = ledger.match(
            ledger.Occurrence(info.op, operands, reference, candidate, gemm=self._gemm, math=self._math)
        )
        return UNEXPLAINED if entry is None else frozenset([entry.name])


def _operand(name: str, slot: Slot, position: int, previous: Slot | None) -> ArrayLike | None:
    """An input's value; None when no tap of this step or the one before shows it."""
    earlier = before(name)
    if earlier is None:
        at = slot.find(name)
        return slot.values[at] if 0 <= at < position else None
    at = previous.find(earlier) if previous is not None else -1
    return previous.values[at] if previous is not None and at >= 0 else None
