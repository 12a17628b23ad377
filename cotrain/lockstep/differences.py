"""How a difference spreads: per tap and per step, in bounded memory however much differs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

MAX_BINS = 8192


class Kind(IntEnum):
    """What a cell of the map shows."""

    EQUAL = 0
    INHERITED = 1
    ORIGIN = 2


@dataclass(slots=True)
class Tally:
    """The differences of one tap of one kind, over the run."""

    steps: int = 0
    accepted_steps: int = 0
    elements: int = 0
    max_ulp: int | None = None
    first_step: int | None = None
    last_step: int | None = None

    def add(self, step: int, elements: int, max_ulp: int | None, *, accepted: bool = False) -> bool:
        """Takes in one step's; True when it is the first that is accepted, or the first that is not."""
        first = not (self.accepted_steps if accepted else self.steps - self.accepted_steps)
        self.steps += 1
        self.accepted_steps += accepted
        self.elements += elements
        if max_ulp is not None:
            self.max_ulp = max(max_ulp, self.max_ulp or 0)
        self.first_step = step if self.first_step is None else self.first_step
        self.last_step = step
        return first


@dataclass(slots=True)
class TapDifferences:
    """A tap's row in the table: differences on equal inputs, and those handed down."""

    tap: str
    op: str
    origin: Tally = field(default_factory=Tally)
    inherited: Tally = field(default_factory=Tally)

    @property
    def accepted(self) -> bool:
        """Whether each of its differences was accepted."""
        return all(tally.steps == tally.accepted_steps for tally in (self.origin, self.inherited))


@dataclass(slots=True)
class MapRow:
    """A tap's row in the map, one cell per bin of steps."""

    kinds: np.ndarray[Any, np.dtype[np.uint8]]
    """:class:`Kind`; an origin in a bin outweighs what is inherited."""
    elements: np.ndarray[Any, np.dtype[np.int64]]
    """The most differing elements of a step of the bin."""
    ulps: np.ndarray[Any, np.dtype[np.uint64]]
    """The largest ulp distance in the bin."""


class Differences:
    """The table per tap and the step × tap map of a run's selected differences."""

    def __init__(self) -> None:
        self.taps: dict[str, TapDifferences] = {}
        self.steps_per_bin = 1
        self._rows: dict[str, MapRow] = {}

    def add(
        self,
        step: int,
        tap: str,
        op: str,
        *,
        origin: bool,
        elements: int,
        max_ulp: int | None,
        accepted: bool = False,
    ) -> bool:
        """Takes in a differing tap of a step; True when it is the first of its tap and kind, accepted or not."""
        row = self.taps.get(tap)
        if row is None:
            row = self.taps[tap] = TapDifferences(tap, op)
        first = (row.origin if origin else row.inherited).add(step, elements, max_ulp, accepted=accepted)
        if step >= 0:
            self._mark(step, tap, Kind.ORIGIN if origin else Kind.INHERITED, elements, max_ulp or 0)
        return first

    def row(self, tap: str, steps: int) -> MapRow:
        """The map's row of a tap, cut to a run of ``steps`` steps; all equal when it never differed."""
        bins = -(-steps // self.steps_per_bin)
        row = self._rows.get(tap) or _empty_row(0)
        missing = max(0, bins - len(row.kinds))
        return MapRow(
            np.pad(row.kinds, (0, missing))[:bins],
            np.pad(row.elements, (0, missing))[:bins],
            np.pad(row.ulps, (0, missing))[:bins],
        )

    def _mark(self, step: int, tap: str, kind: Kind, elements: int, ulp: int) -> None:
        while step // self.steps_per_bin >= MAX_BINS:
            self._coarsen()
        row = self._rows.get(tap)
        if row is None:
            row = self._rows[tap] = _empty_row(64)
        at = step // self.steps_per_bin
        if at >= len(row.kinds):
            room = min(MAX_BINS, max(at + 1, 2 * len(row.kinds))) - len(row.kinds)
            row.kinds = np.pad(row.kinds, (0, room))
            row.elements = np.pad(row.elements, (0, room))
            row.ulps = np.pad(row.ulps, (0, room))
        row.kinds[at] = max(int(row.kinds[at]), kind)
        row.elements[at] = max(int(row.elements[at]), elements)
        row.ulps[at] = max(int(row.ulps[at]), ulp)

    def _coarsen(self) -> None:
        """Halves the resolution: a run longer than the map has cells keeps its whole length."""
        self.steps_per_bin *= 2
        for row in self._rows.values():
            for name in ("kinds", "elements", "ulps"):
                cells = getattr(row, name)
                cells = np.pad(cells, (0, len(cells) % 2))
                setattr(row, name, cells.reshape(-1, 2).max(axis=1))


def _empty_row(bins: int) -> MapRow:
    return MapRow(np.zeros(bins, np.uint8), np.zeros(bins, np.int64), np.zeros(bins, np.uint64))
