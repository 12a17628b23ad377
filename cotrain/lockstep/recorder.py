"""Who may keep what the worker found of each step."""

from __future__ import annotations

from typing import Protocol

from cotrain.lockstep.slots import Slot


class Recorder(Protocol):
    """Keeps the hashes of each compared step; :class:`cotrain.trace.Recording` is one."""

    def record(self, step: int, slot: Slot) -> None:
        """After each compared step (-1: the state before step 0) whose taps line up."""
        ...
