"""Where each side's time goes, operation by operation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cotrain.lockstep.result import TapTime
from cotrain.lockstep.slots import Slot

_Nanoseconds = np.ndarray[Any, np.dtype[np.int64]]
_BATCH = 32


class _Layout:
    """The sums of the steps that have the same taps, and the last few steps not yet in them."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.steps = 0
        self.sums = np.zeros((3, len(names)), np.int64)
        self.reference: list[list[int]] = []
        self.candidate: list[_Nanoseconds] = []
        self.compare: list[_Nanoseconds] = []

    def add_up(self) -> None:
        """Brings the sums up to date."""
        if not self.reference:
            return
        self.steps += len(self.reference)
        self.sums[0] += np.array(self.reference, np.int64).sum(axis=0)
        self.sums[1] += np.stack(self.candidate).sum(axis=0)
        self.sums[2] += np.stack(self.compare).sum(axis=0)
        for steps in (self.reference, self.candidate, self.compare):
            steps.clear()


class OperationTimes:
    """Sums nanoseconds per tap over the run; the sums are made every few steps, off the step's own time."""

    def __init__(self) -> None:
        self._layouts: dict[int, _Layout] = {}
        self._taps: dict[str, TapTime] = {}

    def add(self, slot: Slot) -> None:
        """Takes in a compared step."""
        layout = self._layouts.get(id(slot.names))
        if layout is None:
            layout = self._layouts[id(slot.names)] = _Layout(slot.names)
            self._describe(slot)
        layout.reference.append(slot.reference_ns.copy())
        layout.candidate.append(slot.operation_ns[: slot.count].copy())
        layout.compare.append(slot.compare_ns[: slot.count].copy())
        if len(layout.reference) == _BATCH:
            layout.add_up()

    def totals(self) -> dict[str, TapTime]:
        """Seconds per tap, in the order of the step."""
        found = {name: replace(tap) for name, tap in self._taps.items()}
        for layout in self._layouts.values():
            layout.add_up()
            for position, name in enumerate(layout.names):
                time = found[name]
                time.steps += layout.steps
                time.reference += float(layout.sums[0, position]) / 1e9
                time.candidate += float(layout.sums[1, position]) / 1e9
                time.compare += float(layout.sums[2, position]) / 1e9
        return found

    def _describe(self, slot: Slot) -> None:
        for position, name in enumerate(slot.names):
            value = slot.values[position]
            tap = self._taps.setdefault(
                name, TapTime(slot.infos[position].op, str(value.dtype), value.shape, selected=False)
            )
            tap.selected |= slot.selected(position)
