"""Who may keep what the worker found, or what both sides computed, of a step."""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol

from cotrain.lockstep.slots import Slot


class Recorder(Protocol):
    """Keeps the hashes of each compared step; :class:`cotrain.trace.Recording` is one."""

    def record(self, step: int, slot: Slot) -> None:
        """After each compared step (-1: the state before step 0) whose taps line up."""
        ...


class ValueReader(Protocol):
    """Reads both sides' values of some taps in some steps; :class:`cotrain.parity_dump.ParityDump` is one."""

    def wants(self, step: int) -> Container[str]:
        """Names of the taps whose candidate value is copied out in a step (-1: the state before step 0)."""
        ...

    def read(self, step: int, slot: Slot) -> None:
        """After that step was compared: ``slot.values[i]``, and ``slot.candidate(i)`` where it was wanted."""
        ...
