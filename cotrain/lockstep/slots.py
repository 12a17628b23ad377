"""A slot: the taps of one reference step, published for the candidate's worker to compare against.

Four slots are in use. The candidate runs step n against its slot, the reference fills those of the steps n + 1 and
n + 2, so that a pause of one side need not stop the other, and that of step n - 1 still holds what step n was
computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from time import perf_counter_ns
from typing import Any

import numpy as np

from cotrain.clr.dtypes import type_code
from cotrain.errors import CotrainError
from cotrain.lockstep.layout import KEPT, MAX_RANK, SELECTED, TAP_ENTRY, TAP_OUTCOME, WATCHED, TapState
from cotrain.lockstep.names import TapInfo, TapNames
from cotrain.lockstep.order import AnyOrder
from cotrain.lockstep.selection import Selection
from cotrain.protocol import ArrayLike, Tap

SLOTS = 4
LEAD = 2
"""How many steps the reference may be ahead of the one that the candidate runs."""


class Slot:
    """One step's published taps and, after the worker has run, their outcomes."""

    def __init__(
        self,
        names: TapNames,
        selection: Selection,
        watched: frozenset[str],
        *,
        stable: bool,
        explicable: Callable[[str, str], bool],
        any_order: AnyOrder,
    ) -> None:
        """``watched`` names taps whose candidate value is always copied out; ``explicable(op, dtype)`` says where it
        is copied when it differs, however much else does.
        """
        self._names = names
        self._selection = selection
        self._watched = watched
        self.also_watched: Container[str] = ()
        """What :meth:`watch` was told last."""
        self._stable = stable
        self._explicable = explicable
        self._any_order = any_order
        self._keep_all = True
        self._allocate(np.zeros(64, TAP_ENTRY))
        self.positions: dict[str, int] = {}
        self.infos: list[TapInfo] = []
        self.names: list[str] = []
        """The taps' names; another list object whenever the taps of the step change."""
        self.values: list[ArrayLike] = []
        """The reference's values as published: its own arrays under ``stable``, copies otherwise."""
        self._candidates: list[ArrayLike] = []
        """Room for the candidate's values; what is never copied takes no memory."""
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
        self._set_flags()
        self._close(self.count)

    def watch(self, names: Container[str]) -> None:
        """Has the candidate's value of these taps copied out too, until the next call; before the step is run."""
        self.also_watched = names
        self._set_flags()

    def keep_differing(self, every: bool) -> None:
        """Whether every differing value of the candidate is copied out, or only those that may be explained."""
        self._keep_all = every
        self._set_flags()

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

    def candidate(self, position: int) -> ArrayLike | None:
        """The candidate's value (C order) where it was copied out, until the slot's next step; else None."""
        flags = int(self.entries["flags"][position])
        kept = flags & KEPT and self.states[position] == TapState.DIFFERS
        return self._candidates[position] if flags & WATCHED or kept else None

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
        candidate = np.empty(value.shape, value.dtype)
        entry = self.entries[position]
        entry["address"] = value.ctypes.data
        entry["watch"] = candidate.ctypes.data
        entry["size"] = value.size
        entry["name_id"] = info.id
        entry["type_code"] = code
        entry["item_size"] = value.dtype.itemsize
        entry["rank"] = value.ndim
        entry["flags"] = self._flags(info, value.dtype.name)
        entry["shape"][: value.ndim] = value.shape
        entry["strides"][: value.ndim] = value.strides
        end = position + 1
        self.infos[position:end] = [info]
        self.values[position:end] = [value]
        self._candidates[position:end] = [candidate]
        self.as_inputs[position:end] = [tap.as_input]

    def _flags(self, info: TapInfo, dtype: str) -> int:
        flags = SELECTED if info.name in self._selection else 0
        if info.name in self._watched or info.name in self.also_watched:
            flags |= WATCHED
        if self._keep_all or self._explicable(info.op, dtype):
            flags |= KEPT
        return flags

    def _set_flags(self) -> None:
        for position, (info, value) in enumerate(zip(self.infos, self.values, strict=True)):
            self.entries["flags"][position] = self._flags(info, value.dtype.name)

    def _allocate(self, entries: np.ndarray[Any, np.dtype[Any]]) -> None:
        """Takes the arrays that the worker reads and writes, and their addresses, which cost a step's microseconds."""
        self.entries = entries
        self.outcomes = np.zeros(len(entries), TAP_OUTCOME)
        self.operation_ns = self.outcomes["operation_ns"]
        self.compare_ns = self.outcomes["compare_ns"]
        self.entries_address = int(entries.ctypes.data)
        self.outcomes_address = int(self.outcomes.ctypes.data)

    def _close(self, count: int) -> None:
        del self.infos[count:], self.values[count:], self._candidates[count:], self.as_inputs[count:]
        self.names = names = [info.name for info in self.infos]
        if len(set(names)) < count:
            twice = next(name for name in names if names.count(name) > 1)
            raise CotrainError(f"the reference yields the tap {twice} twice in one step; tap names are unique")
        self.entries["group"][:count] = self._any_order.number(self.infos)
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
