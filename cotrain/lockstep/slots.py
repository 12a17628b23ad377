"""A slot: the taps of one reference step, published for the candidate's worker to compare against.

Four slots are in use. The candidate runs step n against its slot, the reference fills those of the steps n + 1 and
n + 2, so that a pause of one side need not stop the other, and that of step n - 1 still holds what step n was
computed from.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter_ns
from typing import Any

import numpy as np

from cotrain.clr.dtypes import type_code
from cotrain.errors import CotrainError
from cotrain.lockstep.layout import MAX_RANK, SELECTED, TAP_ENTRY, TAP_OUTCOME, TapState
from cotrain.lockstep.names import TapInfo, TapNames
from cotrain.lockstep.selection import Selection
from cotrain.protocol import ArrayLike, Tap

SLOTS = 4
LEAD = 2
"""How many steps the reference may be ahead of the one that the candidate runs."""


class Slot:
    """One step's published taps and, after the worker has run, their outcomes."""

    def __init__(self, names: TapNames, selection: Selection, watched: frozenset[str], *, stable: bool) -> None:
        self._names = names
        self._selection = selection
        self._watched = watched
        self._stable = stable
        self._allocate(np.zeros(64, TAP_ENTRY))
        self.positions: dict[str, int] = {}
        self.infos: list[TapInfo] = []
        self.names: list[str] = []
        """The taps' names; another list object whenever the taps of the step change."""
        self.values: list[ArrayLike] = []
        """The reference's values as published: its own arrays under ``stable``, copies otherwise."""
        self.watches: list[ArrayLike | None] = []
        self.as_inputs: list[str] = []
        self.last = ""
        self.reference_ns: list[int] = []
        """The reference's own time for each tap."""
        self.count = 0
        self.selected_taps = 0
        self.selected_bytes = 0
        self.occasional_taps = 0
        self.occasional_bytes = 0

    def publish(self, taps: Iterable[Tap]) -> None:
        """Runs the reference through its taps and publishes each.

        When the trainer raises, :attr:`last` is the name of the last tap it had yielded.
        """
        infos, values, times, in_place = self.infos, self.values, self.reference_ns, self._stable
        known = len(infos)
        changed = False
        position = 0
        name = ""
        times.clear()
        try:
            started = perf_counter_ns()
            for tap in taps:
                times.append(perf_counter_ns() - started)
                name, value = tap.name, tap.value
                if position >= known or infos[position].name != name:
                    self._describe(position, tap, taps)
                    known = len(infos)
                    changed = True
                elif values[position] is not value and (in_place or not _copied(value, values[position])):
                    self._describe(position, tap, taps)
                    changed = True
                position += 1
                started = perf_counter_ns()
        except BaseException:
            self.last = name
            raise
        if changed or position != self.count:
            self._close(position)

    def select(self, selection: Selection) -> None:
        """Sets anew which taps can stop the run."""
        self._selection = selection
        for position, info in enumerate(self.infos):
            self.entries[position]["flags"] = SELECTED if info.name in selection else 0
        self._close(self.count)

    def find(self, name: str) -> int:
        """Position of a tap in the step, or -1."""
        return self.positions.get(name, -1)

    @property
    def states(self) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        """The outcome states (:class:`TapState`) of the published taps."""
        return self.outcomes["state"][: self.count]

    def differing(self) -> list[int]:
        """Positions whose bytes differ, in order."""
        return [int(i) for i in np.flatnonzero(self.states == TapState.DIFFERS)]

    def selected(self, position: int) -> bool:
        """Whether the tap at a position can stop the run and is counted."""
        return bool(self.entries["flags"][position] & SELECTED)

    def _describe(self, position: int, tap: Tap, origin: Iterable[Tap]) -> None:
        info = self._names.info(tap, origin)
        value = np.asarray(tap.value)
        try:
            code = type_code(value.dtype)
        except CotrainError as error:
            raise CotrainError(f"tap {tap.name}: {error}") from None
        if value.ndim > MAX_RANK:
            raise CotrainError(f"tap {tap.name} has {value.ndim} dimensions; at most {MAX_RANK} can be compared")
        if not self._stable:
            value = value.copy(order="C")
        if position == len(self.entries):
            self._allocate(np.concatenate([self.entries, np.zeros_like(self.entries)]))
        watch = np.empty(value.shape, value.dtype) if tap.name in self._watched else None
        entry = self.entries[position]
        entry["address"] = value.ctypes.data
        entry["watch"] = 0 if watch is None else watch.ctypes.data
        entry["size"] = value.size
        entry["name_id"] = info.id
        entry["type_code"] = code
        entry["item_size"] = value.dtype.itemsize
        entry["rank"] = value.ndim
        entry["flags"] = SELECTED if tap.name in self._selection else 0
        entry["shape"][: value.ndim] = value.shape
        entry["strides"][: value.ndim] = value.strides
        end = position + 1
        self.infos[position:end] = [info]
        self.values[position:end] = [value]
        self.watches[position:end] = [watch]
        self.as_inputs[position:end] = [tap.as_input]

    def _allocate(self, entries: np.ndarray[Any, np.dtype[Any]]) -> None:
        """Takes the arrays that the worker reads and writes, and their addresses, which cost a step's microseconds."""
        self.entries = entries
        self.outcomes = np.zeros(len(entries), TAP_OUTCOME)
        self.operation_ns = self.outcomes["operation_ns"]
        self.compare_ns = self.outcomes["compare_ns"]
        self.entries_address = int(entries.ctypes.data)
        self.outcomes_address = int(self.outcomes.ctypes.data)

    def _close(self, count: int) -> None:
        del self.infos[count:], self.values[count:], self.watches[count:], self.as_inputs[count:]
        self.names = names = [info.name for info in self.infos]
        if len(set(names)) < count:
            twice = next(name for name in names if names.count(name) > 1)
            raise CotrainError(f"the reference yields the tap {twice} twice in one step; tap names are unique")
        self.positions = {name: position for position, name in enumerate(names)}
        self.count = count
        self.selected_taps = self.selected_bytes = self.occasional_taps = self.occasional_bytes = 0
        for position, info in enumerate(self.infos):
            if not self.selected(position):
                continue
            if info.occasional:
                self.occasional_taps += 1
                self.occasional_bytes += self.values[position].nbytes
            else:
                self.selected_taps += 1
                self.selected_bytes += self.values[position].nbytes


def _copied(value: ArrayLike, to: ArrayLike) -> bool:
    """Copies a tap into the slot's own array of the same dtype and shape; False when there is no such array."""
    if type(value) is not np.ndarray or value.shape != to.shape or value.dtype != to.dtype:
        return False
    np.copyto(to, value)
    return True
