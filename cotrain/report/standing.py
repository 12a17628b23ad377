"""How each tap of a run came out, for the reports that list them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from cotrain.lockstep.differences import TapDifferences
from cotrain.lockstep.result import Divergence, Result, TapTime


class Outcome(StrEnum):
    """A tap's outcome over the run."""

    EQUAL = "equal"
    ORIGIN = "origin"
    """It differs, in at least one step on equal inputs."""
    INHERITED = "inherited"
    """It differs, in each such step after one of its inputs."""
    AFTER = "after"
    """It differs in the step that ended the run, after the tap that ended it."""
    EXCUSED = "excused"
    """It differs in a known way that was accepted."""
    UNSELECTED = "unselected"
    """Its differences do not count."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A tap of the run with its differences."""

    tap: str
    about: TapTime
    outcome: Outcome
    differences: TapDifferences | None
    divergences: tuple[Divergence, ...]
    """Those of it that the result describes: of its origins the first that is accepted and the first that is not, and
    of what is inherited."""


def standings(result: Result) -> Iterator[Standing]:
    """Every tap: those that differ before step 0 first, then those of the steps in their order."""
    ending = result.first_unaccepted if result.on_diff == "stop" else None
    after = ending.also_differing if ending is not None else ()
    described: dict[str, list[Divergence]] = {}
    for divergence in result.divergences:
        described.setdefault(divergence.tap, []).append(divergence)
    rows = result.differences.taps
    names = [*(name for name in rows if name not in result.tap_times), *result.tap_times]
    for name in names:
        about = result.tap_times.get(name)
        found = tuple(described.get(name, ()))
        if about is None:
            about = TapTime(rows[name].op, found[0].dtype if found else "", found[0].shape if found else ())
        yield Standing(name, about, _outcome(rows.get(name), about, after, name), rows.get(name), found)


def _outcome(row: TapDifferences | None, about: TapTime, after: tuple[str, ...], name: str) -> Outcome:
    if not about.selected:
        return Outcome.UNSELECTED
    if name in after and (row is None or row.accepted):
        return Outcome.AFTER
    if row is None:
        return Outcome.EQUAL
    if row.accepted:
        return Outcome.EXCUSED
    return Outcome.ORIGIN if row.origin.steps else Outcome.INHERITED
