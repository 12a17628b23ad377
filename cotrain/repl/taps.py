"""The taps of a step as they look at a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from cotrain.lockstep.layout import TapState
from cotrain.lockstep.slots import Slot
from cotrain.protocol import ArrayLike
from cotrain.repl import difference

_SHOWN_AT_ONCE = 80


@dataclass(frozen=True)
class TapValue:
    """One tap of a compared step, with both sides' values (copies)."""

    name: str
    op: str
    reference: ArrayLike
    candidate: ArrayLike | None
    """None when the candidate handed in no such tap."""
    state: TapState
    inputs: tuple[str, ...] | None = field(default=None)

    @property
    def equal(self) -> bool:
        """Whether every byte is the same on both sides."""
        return self.state is TapState.EQUAL

    def first(self) -> tuple[int, ...]:
        """The index that a line of the table shows: the first that differs, else the first."""
        if self.candidate is not None and not self.equal and self.candidate.shape == self.reference.shape:
            raw = [np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (self.reference, self.candidate)]
            flat = int(np.flatnonzero(raw[0] != raw[1])[0]) // self.reference.itemsize
            return tuple(int(n) for n in np.unravel_index(flat, self.reference.shape))
        return (0,) * self.reference.ndim

    def __repr__(self) -> str:
        about = f"{self.name}  {self.reference.dtype}{list(self.reference.shape)}" + (
            f"  = {self.op}" if self.op else ""
        )
        value = np.array2string(self.reference, threshold=60, edgeitems=2)
        if self.candidate is None:
            return f"{about}\nthe candidate has no such tap; the reference's:\n{value}"
        if self.equal:
            return f"{about}\nequal on both sides:\n{value}"
        return "\n".join([about, *difference.lines(self.reference, self.candidate)])


class Taps(Mapping[str, TapValue]):
    """The taps of one step, by name, in their order."""

    def __init__(self, step: int, slot: Slot | None) -> None:
        """``step``: the one that the slot holds, -1 for the state before step 0."""
        self.step = step
        self._taps: dict[str, TapValue] = {}
        if slot is None:
            return
        for position, (info, value) in enumerate(zip(slot.infos, slot.values, strict=True)):
            state = TapState(int(slot.states[position]))
            reference = value.copy(order="K")
            candidate = reference if state is TapState.EQUAL else slot.candidate(position)
            if candidate is not None and candidate is not reference:
                candidate = candidate.copy()
            self._taps[info.name] = TapValue(info.name, info.op, reference, candidate, state, info.inputs)

    def __getitem__(self, name: str) -> TapValue:
        return self._taps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._taps)

    def __len__(self) -> int:
        return len(self._taps)

    @property
    def differing(self) -> list[str]:
        """Names of the taps that are not equal."""
        return [name for name, tap in self._taps.items() if not tap.equal]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._taps)

    def __repr__(self) -> str:
        if not self._taps:
            return "no step has been compared yet: pair.step()"
        where = f"step {self.step}" if self.step >= 0 else "the state before step 0"
        differing = len(self.differing)
        verdict = "all equal" if not differing else f"{differing} differ"
        rows: list[tuple[str, ...]] = [("tap", "dtype[shape]", "element", "reference", "candidate", "")]
        rows += [_row(tap) for tap in list(self._taps.values())[:_SHOWN_AT_ONCE]]
        more = [f"... and {len(self) - _SHOWN_AT_ONCE} more"] if len(self) > _SHOWN_AT_ONCE else []
        return "\n".join([f"{len(self)} taps of {where}, {verdict}", *aligned(rows), *more])


def _row(tap: TapValue) -> tuple[str, ...]:
    about = f"{tap.reference.dtype}{list(tap.reference.shape)}"
    if tap.reference.size == 0:
        return tap.name, about, "", "", "", "=" if tap.equal else "differs"
    index = tap.first()
    left = str(tap.reference[index])
    right = "missing" if tap.candidate is None else str(tap.candidate[index])
    return tap.name, about, str(list(index)), left, right, "=" if tap.equal else "differs"


def aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows of equally many columns, each column as wide as its widest text."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
