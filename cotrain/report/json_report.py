"""The result as one JSON object, ``schema`` 1. Non-finite numbers are the strings "nan", "inf", "-inf"."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from cotrain.errors import CotrainError
from cotrain.lockstep.result import Count, Divergence, Place, Result, StructuralDivergence, TapShape

SCHEMA = 1


def to_dict(result: Result) -> dict[str, Any]:
    """The report as plain dicts, lists, strings, numbers and None."""
    series = {name: {"reference": s.reference, "candidate": s.candidate} for name, s in result.series.items()}
    epochs = {
        name: {"reference": s.reference, "candidate": s.candidate} for name, s in result.epoch_series.items()
    }
    report = {
        "schema": SCHEMA,
        "verdict": str(result.verdict),
        "exit_code": result.exit_code,
        "error": result.error,
        "signal": result.signal,
        "steps": result.steps,
        "total_steps": result.total_steps,
        "mode": result.mode,
        "taps_compared": result.compared.taps,
        "bytes_compared": result.compared.bytes,
        "initial": _count(result.initial),
        "occasional": _count(result.occasional),
        "divergences": [_divergence(each) for each in result.divergences],
        "births": [
            {**_place(each.place), "side": each.side, "kind": each.kind, "tap": each.tap, "flat_index": each.flat_index}
            for each in result.births
        ],
        "structural": None if result.structural is None else _structural(result.structural),
        "weights_sha256": result.weights_sha256,
        "losses": series.pop("loss", {"reference": [], "candidate": []}),
        "metrics": series,
        "epoch_metrics": epochs,
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
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(target)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device is written as it is
            path.write_text(text, encoding="utf-8")
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", text=True)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise CotrainError(f"cannot write the report {target}: {error.strerror}") from None


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
