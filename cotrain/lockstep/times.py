"""Where each side's time goes, operation by operation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cotrain.lockstep.result import TapTime
from cotrain.lockstep.slots import Slot

_Nanoseconds = np.ndarray[Any, np.dtype[np.int64]]


class OperationTimes:
    """Sums nanoseconds per tap over the run; a few array operations a step."""

    def __init__(self) -> None:
        self._sums: dict[int, tuple[list[str], _Nanoseconds, int]] = {}
        self._taps: dict[str, TapTime] = {}

    def add(self, slot: Slot) -> None:
        """Takes in a compared step."""
        known = self._sums.get(id(slot.names))
        if known is None:
            sums = np.zeros((3, slot.count), np.int64)
            steps = 0
            self._describe(slot)
        else:
            _, sums, steps = known
        sums[0] += slot.reference_ns
        outcomes = slot.outcomes[: slot.count]
        sums[1] += outcomes["operation_ns"]
        sums[2] += outcomes["compare_ns"]
        self._sums[id(slot.names)] = (slot.names, sums, steps + 1)

    def totals(self) -> dict[str, TapTime]:
        """Seconds per tap, in the order of the step."""
        found = {name: replace(tap) for name, tap in self._taps.items()}
        for names, sums, steps in self._sums.values():
            for position, name in enumerate(names):
                time = found[name]
                time.steps += steps
                time.reference += float(sums[0, position]) / 1e9
                time.candidate += float(sums[1, position]) / 1e9
                time.compare += float(sums[2, position]) / 1e9
        return found

    def _describe(self, slot: Slot) -> None:
        for position, name in enumerate(slot.names):
            value = slot.values[position]
            tap = self._taps.setdefault(
                name, TapTime(slot.infos[position].op, str(value.dtype), value.shape, selected=False)
            )
            tap.selected |= slot.selected(position)
