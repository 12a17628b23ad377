"""Memory of a whole run on synthetic data: the peak, and whether it stays flat.

    python benchmarks/memory.py [--epochs 100] [--json FILE]

Runs what the command line runs, with its terminal, in a process of its own, which reads its own resident set
(Linux: /proc/self/status) at the end of every fifth epoch, and its peak at the end. NumSharp's, NumPy's and
the runtimes' memory are all in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from _measure import ROOT, arguments, environment, host, write_json

CHILD = "COTRAIN_BENCHMARK_MEMORY"
EVERY = 5
PEAK_BOUND = 500.0
FLAT_BOUND = 1.05


def main() -> None:
    """Prints the resident set by epoch and the peak."""
    options = arguments(__doc__, epochs=100)
    if options.epochs < 2 * EVERY:
        raise SystemExit(f"--epochs must be at least {2 * EVERY}")
    if CHILD in os.environ:
        _run(options.epochs)
        return
    if not Path("/proc/self/status").exists():
        raise SystemExit("this benchmark reads /proc/self/status, which this system does not have")
    command = [sys.executable, __file__, "--epochs", str(options.epochs)]
    answer = subprocess.run(command, env=environment() | {CHILD: "1"}, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    report: dict[str, Any] = json.loads(answer.stdout)
    _show(report)
    write_json(options.json, report)


def _show(report: Mapping[str, Any]) -> None:
    resident = {int(epoch): size for epoch, size in report["resident_mb"].items()}
    print(*host(report["pins"]), sep="\n")
    print(f"\nresident set in MB (10^6 bytes), {report['steps']:,} steps, {report['verdict']}")
    for epoch, size in resident.items():
        print(f"  after epoch {epoch:<4} {size:7.1f}")
    first, last = resident[EVERY], resident[max(resident)]
    print(f"  peak             {report['peak_mb']:7.1f}   bound {PEAK_BOUND:.0f}")
    print(f"  epoch {max(resident)} / epoch {EVERY} {last / first:8.3f}   flat: at most {FLAT_BOUND:.2f}")


class _Watch:
    """An observer between the run and the command line's own: reads the resident set now and then."""

    def __init__(self, terminal: Any) -> None:
        self.resident: dict[int, float] = {}
        self.started = terminal.started
        self.finished = terminal.finished
        self._stepped = terminal.stepped

    def stepped(self, progress: Any) -> None:
        """Reads at the end of every fifth epoch."""
        self._stepped(progress)
        epoch, rest = divmod(progress.step, progress.steps_per_epoch)
        if rest == 0 and epoch % EVERY == 0:
            self.resident[epoch] = _megabytes("VmRSS")


def _run(epochs: int) -> None:
    from cotrain import Pair
    from cotrain.report.terminal import Terminal

    with open(os.devnull, "w", encoding="utf-8") as nowhere, Pair.load(options={"epochs": epochs}) as pair:
        watch = _Watch(Terminal(nowhere))
        result = pair.run(observer=watch)
        report = {
            "pins": result.pins,
            "steps": result.steps,
            "verdict": str(result.verdict),
            "resident_mb": watch.resident,
            "peak_mb": _megabytes("VmHWM"),
        }
    print(json.dumps(report))


def _megabytes(name: str) -> float:
    """A size that the kernel keeps for this process."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0]) * 1024 / 1e6
    raise SystemExit(f"/proc/self/status has no {name}")


if __name__ == "__main__":
    main()
