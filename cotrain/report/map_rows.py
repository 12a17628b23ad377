"""The step × tap map of a run as reports show it: a row for every selected tap of the steps, differing or not."""

from __future__ import annotations

from cotrain.lockstep.differences import MapRow, TapDifferences
from cotrain.lockstep.result import Result

AFTER = 3
"""A cell's kind besides those of :class:`cotrain.lockstep.differences.Kind`: the tap differs in the step that ended
the run, after the tap that ended it; what it differs in was not examined."""


def tap_names(result: Result) -> list[str]:
    """The map's rows: the taps of a step in their order, and any other that differed in a step."""
    names = [name for name, tap in result.tap_times.items() if tap.selected]
    return [*names, *(tap for tap, row in result.differences.taps.items() if tap not in names and _in_steps(row))]


def map_rows(result: Result) -> tuple[int, dict[str, MapRow]]:
    """The first bin of the run, and each tap's row of the map from there on."""
    first = result.first_step // result.differences.steps_per_bin
    rows = {}
    for tap in tap_names(result):
        row = result.differences.row(tap, result.first_step + result.steps)
        rows[tap] = MapRow(row.kinds[first:], row.elements[first:], row.ulps[first:])
    ending = result.first_unaccepted if result.on_diff == "stop" else None
    if ending is not None and ending.place.step >= 0:
        end = ending.place.step // result.differences.steps_per_bin - first
        for tap in ending.also_differing:
            if tap in rows and end < len(rows[tap].kinds) and not rows[tap].kinds[end]:
                rows[tap].kinds[end] = AFTER
    return first, rows


def _in_steps(row: TapDifferences) -> bool:
    return any(tally.last_step is not None and tally.last_step >= 0 for tally in (row.origin, row.inherited))
