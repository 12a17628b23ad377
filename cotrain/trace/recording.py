"""Collects the hashes of a run while it goes on."""

from __future__ import annotations

from cotrain.lockstep.slots import Slot
from cotrain.trace.file import Layout, Trace, TraceStep


class Recording:
    """Takes in each compared step; 32 bytes a tap while the two sides differ in it, else 16."""

    def __init__(self) -> None:
        self._layouts: dict[tuple[tuple[str, str, tuple[int, ...]], ...], int] = {}
        self._by_names: dict[int, tuple[list[str], int]] = {}
        self._steps: list[TraceStep] = []

    def record(self, step: int, slot: Slot) -> None:
        """Takes in a step (-1: the state before step 0) whose outcomes are complete."""
        outcomes = slot.outcomes[: slot.count]
        reference = outcomes["reference_hash"].tobytes()
        candidate = outcomes["candidate_hash"].tobytes()
        self._steps.append(
            TraceStep(step, self._layout(slot), reference, None if candidate == reference else candidate)
        )

    def trace(self, about: dict[str, object]) -> Trace:
        """What was recorded so far; ``about`` holds pins and options, plain data for JSON."""
        layouts = [Layout(*zip(*key, strict=True)) if key else Layout((), (), ()) for key in self._layouts]
        return Trace(about, layouts, list(self._steps))

    def _layout(self, slot: Slot) -> int:
        known = self._by_names.get(id(slot.names))
        if known is None:
            key = tuple(
                (info.name, value.dtype.str, value.shape) for info, value in zip(slot.infos, slot.values, strict=True)
            )
            # The list is kept too: its id must not be given to another one.
            known = self._by_names[id(slot.names)] = (
                slot.names,
                self._layouts.setdefault(key, len(self._layouts)),
            )
        return known[1]
