"""The lines around a run: its pins, where it stands, what it found."""

from __future__ import annotations

from typing import Any

from cotrain.lockstep.observer import Progress
from cotrain.lockstep.result import Result, StageOutcome, StageState


def position(progress: Progress) -> str:
    """``epoch 3/100`` (from 1, as people count) or ``step 120/4600``."""
    if progress.steps_per_epoch and progress.total_steps and progress.total_steps % progress.steps_per_epoch == 0:
        epochs = progress.total_steps // progress.steps_per_epoch
        now = min(epochs, progress.step // progress.steps_per_epoch + 1)
        return f"epoch {now}/{epochs}"
    return f"step {progress.step}/{progress.total_steps or '?'}"


def numbers(progress: Progress, rate: float) -> str:
    """Steps, steps/s, taps and bytes compared, and each metric of both sides."""
    shown = [
        f"{progress.step:,} steps",
        f"{rate:,.0f}/s",
        f"{progress.taps:,} taps",
        size(progress.bytes),
        *(_metric(name, *values) for name, values in progress.metrics.items()),
    ]
    return "  ".join(shown)


def verdict_line(result: Result) -> str:
    """One line: the verdict and how much it rests on."""
    compared = f"{result.steps:,} steps, {result.compared.taps:,} taps, {size(result.compared.bytes)} compared"
    return f"{result.verdict}: {compared}"


def lines(result: Result) -> list[str]:
    """The final summary."""
    found = [verdict_line(result)]
    extra = []
    if result.initial.taps:
        extra.append(f"{result.initial.taps} initial taps ({size(result.initial.bytes)})")
    if result.occasional.taps:
        extra.append(f"{result.occasional.taps} evaluation taps ({size(result.occasional.bytes)})")
    if extra:
        found.append("  and " + ", ".join(extra))
    if result.on_diff != "stop":
        found += [f"  {line}" for line in table_lines(result)]
    for name, hashes in result.weights_sha256.items():
        left, right = hashes["reference"], hashes["candidate"]
        found.append(f"  {name:<8} sha256 {left}" + ("" if left == right else f" (candidate: {right})"))
    for name, series in (result.series | result.epoch_series).items():
        if series.reference:
            found.append("  " + _metric(name, series.reference[-1], series.candidate[-1]))
    losses = result.series.get("loss")
    if losses and losses.reference:
        equal = sum(a == b for a, b in zip(losses.reference, losses.candidate, strict=True))
        found.append(f"  loss equal in {equal:,} of {len(losses.reference):,} steps")
    if result.stages:
        found.append("  " + stages_line(result))
    found += [f"  {line}" for line in (*excuse_lines(result), *birth_lines(result))]
    timing = result.timing
    if result.steps:
        found.append(
            f"  {timing.wall:.1f} s ({result.steps / timing.wall:,.0f} steps/s, {result.mode}): "
            f"reference {timing.reference:.1f} s, candidate {timing.candidate:.1f} s, "
            f"compare {timing.compare:.1f} s; start-up {sum(timing.startup.values()):.1f} s"
        )
    return found


def table_lines(result: Result) -> list[str]:
    """How each differing tap differs over the run: on equal inputs (origin) and as handed down (inherited)."""
    rows = list(result.differences.taps.values())
    if not rows:
        return []
    width = max(len(row.tap) for row in rows)
    head = f"{'steps':>8} {'elements':>12} {'largest ulp':>14} {'first':>7} {'last':>7}"
    lines = [f"{'differing tap':<{max(width, 13)}}  {'as':<9} {head}"]
    for row in rows:
        for kind, tally in (("origin", row.origin), ("inherited", row.inherited)):
            if tally.steps:
                ulp = "-" if tally.max_ulp is None else f"{tally.max_ulp:,}"
                numbers = f"{tally.steps:>8,} {tally.elements:>12,} {ulp:>14}"
                numbers += f" {tally.first_step:>7} {tally.last_step:>7}"
                lines.append(f"{row.tap:<{max(width, 13)}}  {kind:<9} {numbers}")
    return lines


def stage_lines(outcome: StageOutcome) -> list[str]:
    """A stage, and what it proves."""
    stage, step = outcome.stage, outcome.step
    where = "at the end" if step is None else "before step 0" if step < 0 else f"step {step}"
    head = f"{stage.name} {outcome.state}: {stage.title} ({where})"
    return [head, f"   {stage.proves}"] if outcome.state is StageState.HOLDS else [head]


def stages_line(result: Result) -> str:
    """``stages: S0 S1 S2 hold, S3 failed``: which do and which not; "" for a trainer without stages."""
    groups: dict[StageState, list[str]] = {}
    for outcome in result.stages:
        groups.setdefault(outcome.state, []).append(outcome.stage.name)
    words = {StageState.HOLDS: "hold"}
    parts = [f"{' '.join(names)} {words.get(state, str(state))}" for state, names in groups.items()]
    return f"stages: {', '.join(parts)}" if parts else ""


def excuse_lines(result: Result) -> list[str]:
    """How often each entry of the ledger explains a difference, and whether it was accepted."""
    lines = []
    for name, count in result.excuses.items():
        text = f"{'accepted' if count.accepted else 'known, not accepted'}: {name}"
        if count.origin_taps:
            text += f" in {_counted(count.origin_taps, 'tap')}, {_counted(count.origin_elements, 'element')}"
            text += "" if count.max_ulp is None else f", at most {count.max_ulp:,} ulp apart"
        if count.inherited_taps:
            text += f"; {_counted(count.inherited_taps, 'later tap')} inherit{'s' * (count.inherited_taps == 1)} it"
        lines.append(text)
    return lines


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def birth_lines(result: Result) -> list[str]:
    """Where NaNs, infinities and denormals were first met; one line when both sides met them at the same place."""
    found: dict[tuple[str, int, str, int], list[str]] = {}
    for birth in result.births:
        found.setdefault((birth.kind, birth.place.step, birth.tap, birth.flat_index), []).append(birth.side)
    return [
        f"first {kind} on {'both sides' if len(sides) == 2 else 'the ' + sides[0]}: "
        f"{'before step 0' if step < 0 else f'step {step}'}, {tap}, flat index {index}"
        for (kind, step, tap, index), sides in found.items()
    ]


def pin_lines(result: Result) -> list[str]:
    """What the bits of this run depend on, in a few lines; the JSON has all of it."""
    pins = result.pins
    numpy, blas, numsharp, dotnet, bridge, modes = (
        pins.get(key, {}) for key in ("numpy", "blas", "numsharp", "dotnet", "bridge", "float_modes")
    )
    environment = " ".join(f"{name}={value}" for name, value in pins.get("environment", {}).items())
    same_modes = modes.get("reference") == modes.get("candidate")
    rows = {
        "reference": f"NumPy {numpy.get('version')} ({numpy.get('dispatch')}), {pins.get('python')}",
        "candidate": f"NumSharp {numsharp.get('version')} {numsharp.get('source')} ({_short(numsharp)}), "
        f".NET {dotnet.get('version')} with {dotnet.get('vector_bits')}-bit vectors, bridge {_short(bridge)}",
        "products": _products(str(pins.get("gemm")), blas),
        "functions": str(pins.get("math")),
        "floats": str(modes.get("reference")) + ("" if same_modes else f" | {modes.get('candidate')}"),
        "host": f"{pins.get('processor')}, {pins.get('system')}",
        "environment": environment,
    }
    return [f"  {label:<11} {text}" for label, text in rows.items() if text]


def size(count: int) -> str:
    """Bytes with a decimal unit."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def _products(gemm: str, blas: dict[str, Any]) -> str:
    if gemm == "sequential":
        return f"{gemm}: ascending k, each product rounded, then added; no BLAS"
    return (
        f"{gemm}: OpenBLAS {blas.get('version')} ({_short(blas)}), "
        f"kernel {blas.get('kernel')}, threads {blas.get('threads')}"
    )


def _metric(name: str, reference: float, candidate: float) -> str:
    if reference == candidate:
        return f"{name} {reference:.6g} = {candidate:.6g}"
    return f"{name} {reference:.9g} | {candidate:.9g}"


def _short(hashed: dict[str, Any]) -> str:
    """The beginning of a file's SHA-256, enough to tell two builds apart."""
    return str(hashed.get("sha256", "?"))[:12]
