"""Where two traces part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cotrain.trace.file import HASH_BYTES, Layout, Trace, TraceStep


@dataclass(frozen=True, slots=True)
class Part:
    """The first place where one side of two runs is not the same."""

    side: str
    step: int
    tap: str
    reason: str
    differing_taps: int = 0
    """How many taps of that step differ."""


def compare(a: Trace, b: Trace, side: str) -> Part | None:
    """The first difference of ``reference`` or ``candidate`` between two runs; None when they agree as far as
    both go."""
    steps = {step.step: step for step in b.steps}
    for left in a.steps:
        right = steps.get(left.step)
        if right is None:
            continue
        part = _part(side, left, a.layouts[left.layout], right, b.layouts[right.layout])
        if part is not None:
            return part
    return None


def common_steps(a: Trace, b: Trace) -> tuple[int, int]:
    """How many steps (without the state before step 0) and taps both runs have."""
    others = {step.step for step in b.steps}
    common = [step for step in a.steps if step.step in others]
    return sum(step.step >= 0 for step in common), sum(len(step.reference) // HASH_BYTES for step in common)


def changed_pins(a: Mapping[str, Any], b: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """``name: before -> after`` for each pin or option in which two runs differ."""
    for key in sorted({*a, *b}):
        left, right = a.get(key), b.get(key)
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            yield from changed_pins(left, right, f"{prefix}{key}.")
        elif left != right:
            yield f"{prefix}{key}: {left} -> {right}"


def _part(side: str, left: TraceStep, here: Layout, right: TraceStep, there: Layout) -> Part | None:
    if here != there:
        for position, name in enumerate(here.names):
            if position >= len(there.names) or there.names[position] != name:
                instead = there.names[position] if position < len(there.names) else "nothing"
                return Part(side, left.step, name, f"the taps differ: the other run has {instead} there")
            ours = (here.dtypes[position], here.shapes[position])
            theirs = (there.dtypes[position], there.shapes[position])
            if ours != theirs:
                return Part(side, left.step, name, f"dtype and shape were {ours} and are {theirs}")
        return Part(side, left.step, there.names[len(here.names)], "only the other run has this tap")
    mine, other = left.side(side), right.side(side)
    if mine == other:
        return None
    differing = [
        position
        for position in range(len(here.names))
        if mine[position * HASH_BYTES : (position + 1) * HASH_BYTES]
        != other[position * HASH_BYTES : (position + 1) * HASH_BYTES]
    ]
    return Part(side, left.step, here.names[differing[0]], "other bytes", len(differing))
