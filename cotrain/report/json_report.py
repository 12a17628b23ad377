"""The result as one JSON object, ``schema`` 1. Non-finite numbers are the strings "nan", "inf", "-inf"."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cotrain import files
from cotrain.errors import CotrainError
from cotrain.lockstep.differences import Kind, Tally
from cotrain.lockstep.result import Count, Divergence, Place, Result, Series, StructuralDivergence, TapShape
from cotrain.report.map_rows import AFTER, map_rows

SCHEMA = 1


def to_dict(result: Result) -> dict[str, Any]:
    """The report as plain dicts, lists, strings, numbers and None."""
    series = {name: _series(each) for name, each in result.series.items()}
    report = {
        "schema": SCHEMA,
        "verdict": str(result.verdict),
        "exit_code": result.exit_code,
        "error": result.error,
        "signal": result.signal,
        "first_step": result.first_step,
        "steps": result.steps,
        "total_steps": result.total_steps,
        "steps_per_epoch": result.steps_per_epoch,
        "on_diff": result.on_diff,
        "mode": result.mode,
        "taps_compared": result.compared.taps,
        "bytes_compared": result.compared.bytes,
        "initial": _count(result.initial),
        "occasional": _count(result.occasional),
        "divergences": [_divergence(each) for each in result.divergences],
        "excuses": {name: dataclasses.asdict(count) for name, count in result.excuses.items()},
        "differences": [
            {"tap": row.tap, "op": row.op, "origin": _tally(row.origin), "inherited": _tally(row.inherited)}
            for row in result.differences.taps.values()
        ],
        "stages": [
            {"name": each.stage.name, "title": each.stage.title, "step": each.step, "state": str(each.state)}
            for each in result.stages
        ],
        "births": [
            {**_place(each.place), "side": each.side, "kind": each.kind, "tap": each.tap, "flat_index": each.flat_index}
            for each in result.births
        ],
        "structural": None if result.structural is None else _structural(result.structural),
        "weights_sha256": result.weights_sha256,
        "losses": series.pop("loss", _series(Series())),
        "metrics": series,
        "epoch_metrics": {name: _series(each) for name, each in result.epoch_series.items()},
        "pins": result.pins,
        "warnings": result.warnings,
        "command": result.command,
        "timing": {
            "reference": result.timing.reference,
            "candidate": result.timing.candidate,
            "compare": result.timing.compare,
            "wall": result.timing.wall,
            "startup": result.timing.startup,
        },
    }
    cleaned = _clean(report)
    assert isinstance(cleaned, dict)
    return cleaned


def write(result: Result, target: str) -> None:
    """Writes the report to a file, whole or not at all, or to stdout for ``-``."""
    text = json.dumps(to_dict(result), indent=2, allow_nan=False) + "\n"
    if target == "-":
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            pass  # the reader has what it wanted
        except OSError as error:
            raise CotrainError(f"cannot write the report to the standard output: {error.strerror}") from None
        return
    files.write_text(Path(target), text)


def write_full(result: Result, path: Path) -> None:
    """Writes the report with the map of differences and the time of each tap, a line per key."""
    full = to_dict(result) | {"taps": _taps(result), "map": _map(result)}
    lines = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in full.items())
    files.write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _taps(result: Result) -> list[dict[str, Any]]:
    """Each tap of the steps in its order: what it is, and seconds over the run."""
    return [
        {
            "tap": name,
            "op": tap.op,
            "dtype": tap.dtype,
            "shape": list(tap.shape),
            "selected": tap.selected,
            "steps": tap.steps,
            "reference": tap.reference,
            "candidate": tap.candidate,
            "compare": tap.compare,
        }
        for name, tap in result.tap_times.items()
    ]


def _map(result: Result) -> dict[str, Any]:
    """The step × tap map. ``cells``: a character per bin of steps, ``.`` equal, ``i`` inherited, ``o`` origin,
    ``a`` differing after the tap that ended the run.

    ``elements`` and ``ulps`` are the largest numbers in each cell that is not ``.``, in order; 0 for an ``a``.
    """
    first, rows = map_rows(result)
    per_bin = result.differences.steps_per_bin
    letters = {int(Kind.EQUAL): ".", int(Kind.INHERITED): "i", int(Kind.ORIGIN): "o", AFTER: "a"}
    return {
        "first_step": first * per_bin,
        "steps_per_bin": per_bin,
        "rows": [
            {
                "tap": tap,
                "cells": "".join(letters[kind] for kind in row.kinds.tolist()),
                "elements": row.elements[row.kinds > 0].tolist(),
                "ulps": row.ulps[row.kinds > 0].tolist(),
            }
            for tap, row in rows.items()
        ],
    }


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "steps": tally.steps,
        "accepted_steps": tally.accepted_steps,
        "elements": tally.elements,
        "max_ulp": tally.max_ulp,
        "first_step": tally.first_step,
        "last_step": tally.last_step,
    }


def _series(series: Series) -> dict[str, Any]:
    return {"at": series.at, "reference": series.reference, "candidate": series.candidate}


def _divergence(found: Divergence) -> dict[str, Any]:
    return {
        **_place(found.place),
        "tap": found.tap,
        "op": found.op,
        "dtype": found.dtype,
        "shape": list(found.shape),
        "index": list(found.index),
        "flat_index": found.flat_index,
        "reference_bits": found.reference_bits,
        "candidate_bits": found.candidate_bits,
        "reference": found.reference,
        "candidate": found.candidate,
        "ulp": found.ulp,
        "max_ulp": found.max_ulp,
        "differing": found.differing,
        "size": found.size,
        "origin": found.origin,
        "inputs": dict(found.inputs),
        "also_differing": list(found.also_differing),
        "reference_source": None if found.reference_source is None else str(found.reference_source),
        "candidate_source": None if found.candidate_source is None else str(found.candidate_source),
        "excuse": found.excuse,
        "accepted": found.accepted,
    }


def _structural(found: StructuralDivergence) -> dict[str, Any]:
    return {
        **_place(found.place),
        "position": found.position,
        "reason": found.reason,
        "reference_taps": [_tap(tap) for tap in found.reference],
        "candidate_taps": [_tap(tap) for tap in found.candidate],
    }


def _tap(tap: TapShape) -> dict[str, Any]:
    return {"name": tap.name, "dtype": tap.dtype, "shape": list(tap.shape)}


def _place(place: Place) -> dict[str, Any]:
    return {"step": place.step, "epoch": place.epoch, "batch": place.batch}


def _count(count: Count) -> dict[str, int]:
    return {"taps": count.taps, "bytes": count.bytes}


def _clean(value: Any) -> Any:
    """NumPy scalars as Python's, non-finite numbers and complex ones as strings, tuples as lists."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
