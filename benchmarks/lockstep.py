"""What the comparison costs: the lockstep with all taps against its two trainers alone.

    python benchmarks/lockstep.py [--steps 460] [--repeats 7] [--json FILE]

Two parts. With all processors: each trainer alone, and the lockstep, whose two sides overlap. With this
whole process confined to one processor: each trainer alone, both in sequence without a comparison (in turn
step by step, and one program after the other), and ``--mode sequence``. All are measured in turn in one
process, so that ratios are of neighbours; what is bounded is the ratio. Evaluations of the test set are part
of every measure.
"""

from __future__ import annotations

import collections
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

from _measure import ROOT, Series, arguments, environment, host, rounds, show_load, spread, write_json

ONE_PROCESSOR = "COTRAIN_BENCHMARK_ONE_PROCESSOR"
PARTNER = "COTRAIN_BENCHMARK_PARTNER"
BOUNDS = {"overlap": 1.20, "sequence": 1.15}


class Sides:
    """A pair, and two trainers beside it that run alone; closed by the stack."""

    def __init__(self, steps: int, stack: ExitStack) -> None:
        from cotrain import Pair, clr
        from cotrain.clr import assemblies
        from twin.mnist_mlp import create

        self.steps = steps
        # The pair chooses the GEMM backend, for the candidate alone as well.
        self.pair = stack.enter_context(Pair.load())
        bridge = assemblies.namespace("Cotrain.Lockstep")
        candidate = clr.find_type("MnistMlp.dll:MnistMlp.MlpTrainer")
        self._candidate = bridge.UncomparedRun(candidate, bridge.TrainerOptionsBuilder().Build("parity"))
        stack.callback(self._candidate.Dispose)
        self._reference = create({})
        self._next = 0

    def reference(self) -> float:
        """Seconds of the NumPy trainer alone."""
        begun = perf_counter()
        for _ in range(self.steps):
            self._reference_step()
        return perf_counter() - begun

    def candidate(self) -> float:
        """Seconds of the NumSharp trainer alone."""
        return float(self._candidate.Step(self.steps))

    def alternating(self) -> float:
        """Seconds of both, step by step, without a comparison."""
        begun = perf_counter()
        for _ in range(self.steps):
            self._reference_step()
            self._candidate.Step(1)
        return perf_counter() - begun

    def lockstep(self, mode: str) -> Callable[[], float]:
        """Seconds of the lockstep with all taps; it must find both sides equal."""

        def measure() -> float:
            begun = perf_counter()
            result = self.pair.run(self.steps, mode=mode)
            took = perf_counter() - begun
            if result.exit_code:
                raise SystemExit(f"the run is {result.verdict}: nothing to measure")
            return took

        return measure

    def _reference_step(self) -> None:
        collections.deque(self._reference.step(self._next), maxlen=0)
        self._next += 1


def main() -> None:
    """Both parts, printed one after the other."""
    options = arguments(__doc__, steps=460, repeats=7)
    if PARTNER in os.environ:
        _run_for_ever()
    if ONE_PROCESSOR in os.environ:
        print(json.dumps(_one_processor(options.steps, options.repeats)))
        return
    report: dict[str, Any] = {"steps": options.steps}
    with ExitStack() as stack:
        sides = Sides(options.steps, stack)
        report["pins"] = sides.pair.result.pins
        print(*host(sides.pair.result.pins), sep="\n")
        report["overlap"] = _overlap(sides, options.repeats)
    report["sequence"] = _sequence(options.steps, options.repeats)
    write_json(options.json, report)


def _overlap(sides: Sides, repeats: int) -> dict[str, Any]:
    with _partner() as partner:
        measures = {
            "NumPy alone": sides.reference,
            "NumSharp alone": sides.candidate,
            "lockstep": sides.lockstep("overlap"),
        }
        others = []
        if partner is not None:
            measures["NumPy beside a second NumPy"] = lambda: _while_running(partner, sides.reference)
            others.append(partner.pid)
        for measure in measures.values():
            measure()  # compiled and warm
        series = rounds(measures, repeats, others=others)
    alone = {name: series.at(name) for name in ("NumPy alone", "NumSharp alone")}
    ratios = {"lockstep / slower trainer alone": series.ratios("lockstep", lambda i: max(a(i) for a in alone.values()))}
    if partner is not None:
        ratios["two NumPy processes at once / one alone"] = series.ratios(
            "NumPy beside a second NumPy", alone["NumPy alone"]
        )
    _show(f"all processors, {sides.steps} steps a round", series, sides.steps, ratios, BOUNDS["overlap"])
    return _numbers(series, ratios)


def _sequence(steps: int, repeats: int) -> dict[str, Any] | None:
    if not hasattr(os, "sched_setaffinity"):
        print("\none processor: this system cannot confine a process to one processor; not measured")
        return None
    command = [sys.executable, __file__, "--steps", str(steps), "--repeats", str(repeats)]
    answer = subprocess.run(
        command, env=environment() | {ONE_PROCESSOR: "1"}, cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    numbers: dict[str, Any] = json.loads(answer.stdout)
    series = Series(numbers["seconds"], numbers["foreign"], numbers["measured"])
    _show(f"one processor, {steps} steps a round", series, steps, numbers["ratios"], BOUNDS["sequence"])
    return numbers


def _one_processor(steps: int, repeats: int) -> dict[str, Any]:
    """In a process of its own, before NumPy or .NET could count processors."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with ExitStack() as stack:
        sides = Sides(steps, stack)
        measures = {
            "NumPy alone": sides.reference,
            "NumSharp alone": sides.candidate,
            "both in turn": sides.alternating,
            "lockstep": sides.lockstep("sequence"),
        }
        for measure in measures.values():
            measure()
        series = rounds(measures, repeats)
    first, second = series.at("NumPy alone"), series.at("NumSharp alone")
    ratios = {
        "lockstep / both in turn": series.ratios("lockstep", series.at("both in turn")),
        "lockstep / one program after the other": series.ratios("lockstep", lambda i: first(i) + second(i)),
    }
    return _numbers(series, ratios)


# -- a second process that computes ------------------------------------------------------------------------


@contextmanager
def _partner() -> Iterator[subprocess.Popen[bytes] | None]:
    """Another NumPy trainer, stopped: what two processors give that share caches, power and memory."""
    if not hasattr(signal, "SIGSTOP"):
        yield None
        return
    process = subprocess.Popen(
        [sys.executable, __file__], env=environment() | {PARTNER: "1"}, cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        yield process
    finally:
        process.kill()
        process.wait()


def _while_running(partner: subprocess.Popen[bytes], measure: Callable[[], float]) -> float:
    partner.send_signal(signal.SIGCONT)
    try:
        return measure()
    finally:
        partner.send_signal(signal.SIGSTOP)


def _run_for_ever() -> None:
    from twin.mnist_mlp import create

    trainer = create({})
    print("ready", flush=True)
    step = 0
    while os.getppid() != 1:
        collections.deque(trainer.step(step), maxlen=0)
        step += 1
    raise SystemExit


# -- printing ----------------------------------------------------------------------------------------------


def _show(title: str, series: Series, steps: int, ratios: dict[str, list[float]], bound: float) -> None:
    print(f"\n{title}: median (least to most)")
    for name, seconds in series.seconds.items():
        print(f"  {name:<42} {spread([1e3 * one / steps for one in seconds])} ms a step")
    first = True
    for name, values in ratios.items():
        print(f"  {name:<42} {spread(values)}" + (f"   bound {bound:.2f}" if first else ""))
        first = False
    show_load(series)


def _numbers(series: Series, ratios: dict[str, list[float]]) -> dict[str, Any]:
    return {
        "seconds": series.seconds,
        "foreign": series.foreign,
        "measured": series.measured,
        "ratios": ratios,
    }


if __name__ == "__main__":
    main()
