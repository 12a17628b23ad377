"""Results made by hand, as a run would leave them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotrain.lockstep.differences import Differences
from cotrain.lockstep.names import SourceLine
from cotrain.lockstep.result import (
    Birth,
    Divergence,
    ExcuseCount,
    Place,
    Result,
    Series,
    StructuralDivergence,
    TapShape,
    TapTime,
    Verdict,
)

SCRIPT = "<script>alert(1)</script>"
"""A tap's name that must never be markup."""
TAPS = {"fc.preact": "x @ w", SCRIPT: "exp(x) & more", "loss.mean": "mean(x)", "adam.p": 'p - "lr" * g'}


def green(steps: int = 92) -> Result:
    """All equal; two epochs of 46 steps."""
    losses = [float(np.float32(4 / (step + 1))) for step in range(steps)]
    result = Result(steps=steps, total_steps=steps, steps_per_epoch=46)
    result.compared.add(4 * steps, 1000 * steps)
    result.initial.add(2, 1234)
    result.tap_times = {
        name: TapTime(op, "float32", (128, 10), True, steps, 0.2 + index, 0.1, 0.05)
        for index, (name, op) in enumerate(TAPS.items())
    }
    result.series = {"loss": Series(list(range(steps)), losses, list(losses))}
    result.epoch_series = {"accuracy": Series([0, 1], [0.5, 0.9], [0.5, 0.9])}
    result.weights_sha256 = {"fc.w": {"reference": "ab" * 32, "candidate": "ab" * 32}}
    result.pins = {"numpy": {"version": "2.4.2", "list": ["a", "b"]}, "gemm": "openblas", "environment": {}}
    result.timing.wall, result.timing.reference, result.timing.candidate = 2.0, 1.0, 0.9
    result.timing.startup = {"imports": 0.1}
    return result


def divergence(step: int, tap: str, *, origin: bool, **changed: Any) -> Divergence:
    """exp's last bits at [44, 3]."""
    known: dict[str, Any] = {
        "place": Place.of(step, 46),
        "tap": tap,
        "op": TAPS.get(tap, ""),
        "dtype": "float32",
        "shape": (128, 10),
        "index": (44, 3),
        "flat_index": 443,
        "reference_bits": "0x323504EF",
        "candidate_bits": "0x323504F0",
        "reference": np.float32(1.0536708e-08),
        "candidate": np.float32(1.0536709e-08),
        "ulp": 1,
        "max_ulp": 1,
        "differing": 1,
        "size": 1280,
        "origin": origin,
        "inputs": {"fc.preact": origin},
    }
    return Divergence(**known | changed)


def red(steps: int = 92) -> Result:
    """``continue``: the script tap differs as origin in steps 7 and 50, adam.p inherits it from step 50 on."""
    result = green(steps)
    result.verdict, result.on_diff, result.command = Verdict.DIVERGED, "continue", "cotrain --again '<b>'"
    result.warnings = ["a warning with <i>markup</i>"]
    source = SourceLine("twin/a&b.py", 7)
    for step in range(steps):
        if step in (7, 50) and result.differences.add(
            step, SCRIPT, TAPS[SCRIPT], origin=True, elements=3, max_ulp=1 << step
        ):
            result.divergences.append(divergence(step, SCRIPT, origin=True, reference_source=source))
        if step >= 50 and result.differences.add(
            step, "adam.p", TAPS["adam.p"], origin=False, elements=step, max_ulp=step * step
        ):
            result.divergences.append(divergence(step, "adam.p", origin=False))
    result.series["loss"].candidate[60] *= 1.5
    result.births = [Birth("reference", "nan", Place.of(3, 46), SCRIPT, 5)]
    result.weights_sha256["fc.w"]["candidate"] = "cd" * 32
    return result


def excused() -> Result:
    """The script tap differs in step 7, as the ledger knows, and that was accepted."""
    result = green()
    result.verdict = Verdict.EXCUSED
    result.differences.add(7, SCRIPT, TAPS[SCRIPT], origin=True, elements=3, max_ulp=1, accepted=True)
    result.divergences = [divergence(7, SCRIPT, origin=True, excuse="exp-float32", accepted=True)]
    result.excuses = {"exp-float32": ExcuseCount(accepted=True, origin_taps=1, origin_elements=3, max_ulp=1)}
    return result


def stopped() -> Result:
    """``stop`` in step 7; adam.p differs after it, loss.mean was not selected."""
    result = green(8)
    result.total_steps = 92
    result.verdict, result.command = Verdict.DIVERGED, "cotrain --steps 8"
    result.tap_times["loss.mean"].selected = False
    result.differences.add(7, SCRIPT, TAPS[SCRIPT], origin=True, elements=1, max_ulp=None)
    result.divergences.append(
        divergence(7, SCRIPT, origin=True, ulp=None, max_ulp=None, also_differing=("loss.mean", "adam.p"))
    )
    return result


def structural() -> Result:
    """A tap that the candidate lacks, in step 0."""
    result = green(1)
    result.verdict, result.tap_times, result.command = Verdict.DIVERGED, {}, "cotrain --steps 1"
    reference = tuple(TapShape(name, "float32", (3,)) for name in ("a", SCRIPT, "c"))
    result.structural = StructuralDivergence(Place.of(0, 46), 1, reference[1:], reference[2:])
    return result


def worst(steps: int = 4600, taps: int = 45, seed: int = 1) -> Result:
    """Every cell differs, with numbers that nothing can compress."""
    random = np.random.default_rng(seed)
    result = green(steps)
    names = [f"layer{index}.some_operation" for index in range(taps)]
    result.tap_times = {name: TapTime("a * b + c", "float32", (784, 128), True, steps, 1, 1, 1) for name in names}
    result.series["loss"] = Series(list(range(steps)), random.random(steps).tolist(), random.random(steps).tolist())
    elements = random.integers(1, 784 * 128, (taps, steps))
    ulps = random.integers(0, 1 << 64, (taps, steps), dtype=np.uint64)
    ulps >>= random.integers(0, 63, (taps, steps), np.uint64)
    result.differences = differences = Differences()
    result.verdict, result.on_diff = Verdict.DIVERGED, "continue"
    for index, name in enumerate(names):
        for step in range(steps):
            origin = bool((step + index) % 3)
            if differences.add(
                step, name, "a", origin=origin, elements=int(elements[index, step]), max_ulp=int(ulps[index, step])
            ):
                result.divergences.append(divergence(step, name, origin=origin))
    return result
