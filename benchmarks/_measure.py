"""What the benchmarks share: the host they ran on, rounds without other people's load, and how it is printed.

A benchmark only claims ratios of things that were measured in the same run. Timings taken while other
programs keep the processors busy say little, so each round notes how much they took, and busy rounds are
measured again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUSY = 0.10
"""Processors that others may use during a round before it is measured again."""
PATIENCE = 3
"""At most this many times the wanted rounds are measured."""

# The checkout's own packages, whatever is installed.
sys.path.insert(0, str(ROOT))

Measure = Callable[[], float]


def environment() -> dict[str, str]:
    """For a child process: this checkout's packages, and one BLAS thread as in the lockstep."""
    return os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}


def arguments(description: str | None, **numbers: int) -> argparse.Namespace:
    """Parses ``--NAME N`` for each number (with its default) and ``--json FILE``."""
    summary = (description or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(description=summary)
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"default: {default}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there, too")
    parsed = parser.parse_args()
    for name in numbers:
        if getattr(parsed, name) < 1:
            parser.error(f"--{name} must be at least 1")
    return parsed


# -- other programs' load ---------------------------------------------------------------------------------


class Load:
    """Processors that programs other than this one used since it was made (Linux; elsewhere unknown)."""

    def __init__(self, *others: int) -> None:
        """``others`` are process ids that belong to the benchmark."""
        self._own = ("self", *map(str, others))
        self._start = self._read()

    def foreign(self) -> float | None:
        """In processors: 0.5 is half of one, all the time."""
        now = self._read()
        if now is None or self._start is None:
            return None
        wall, busy, own = (after - before for after, before in zip(now, self._start, strict=True))
        return max(0.0, (busy - own) / wall) if wall > 0 else 0.0

    def _read(self) -> tuple[float, float, float] | None:
        try:
            tick = os.sysconf("SC_CLK_TCK")
            # user nice system idle iowait irq softirq steal: steal is other machines' load on this one.
            numbers = [int(text) for text in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
            own = sum(_ticks(process) for process in self._own) + _kernel_ticks()
        except (OSError, ValueError, AttributeError):
            return None
        return time.monotonic(), (sum(numbers) - numbers[3] - numbers[4]) / tick, own / tick


def _ticks(process: str) -> int:
    """What a process and its waited-for children have used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(text) for text in fields[11:15])


def _kernel_ticks() -> int:
    """What the kernel's own threads have used: they write to the disk what a benchmark dumps."""
    ticks = 0
    for folder in os.listdir("/proc"):
        if folder.isdigit():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{folder}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(int(text) for text in fields[11:13]) if fields[1] == "2" else 0
    return ticks


# -- rounds -----------------------------------------------------------------------------------------------


@dataclass
class Series:
    """The seconds of each measure, one per kept round."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    foreign: list[float] = field(default_factory=list)
    """Other programs' load in each kept round, in processors."""
    measured: int = 0
    """Rounds measured, kept or not."""

    def ratios(self, above: str | Callable[[int], float], below: Callable[[int], float]) -> list[float]:
        """A ratio per round."""
        top = (lambda i: self.seconds[above][i]) if isinstance(above, str) else above
        return [top(i) / below(i) for i in range(len(self.foreign))]

    def at(self, name: str) -> Callable[[int], float]:
        """The seconds of one measure by round."""
        return lambda i: self.seconds[name][i]


def rounds(measures: Mapping[str, Measure], repeats: int, *, others: Iterable[int] = ()) -> Series:
    """Measures everything in turn, ``repeats`` times without much foreign load; begins elsewhere each time.

    When the machine does not become quiet, the quietest rounds count, and :func:`show_load` says so.
    """
    names = list(measures)
    taken: list[tuple[float, dict[str, float]]] = []
    for number in range(PATIENCE * repeats):
        seconds: dict[str, float] = {}
        worst = 0.0
        for name in names[number % len(names) :] + names[: number % len(names)]:
            load = Load(*others)
            seconds[name] = measures[name]()
            worst = max(worst, load.foreign() or 0.0)
        taken.append((worst, seconds))
        if sum(load <= BUSY for load, _ in taken) == repeats:
            break
    kept = sorted(range(len(taken)), key=lambda i: taken[i][0])[:repeats]
    series = Series({name: [] for name in names}, measured=len(taken))
    for i in sorted(kept):
        series.foreign.append(taken[i][0])
        for name in names:
            series.seconds[name].append(taken[i][1][name])
    return series


# -- printing ---------------------------------------------------------------------------------------------


def host(pins: Mapping[str, Any]) -> list[str]:
    """What the numbers depend on, from the pins of a run."""
    numpy, blas, dotnet = pins.get("numpy", {}), pins.get("blas", {}), pins.get("dotnet", {})
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [
        f"host     {pins.get('processor', platform.processor())}, {affinity} processors, {pins.get('system', '')}",
        f"numpy    {numpy.get('version')}, dispatch {numpy.get('dispatch')}; "
        f"OpenBLAS {blas.get('version')}, kernel {blas.get('kernel')}, {blas.get('threads')} thread",
        f".NET     {dotnet.get('version')}, {dotnet.get('widest_vector_bits')}-bit vectors; "
        f"NumSharp {pins.get('numsharp', {}).get('version')}; Python {platform.python_version()}",
    ]


def spread(values: Sequence[float], digits: int = 3) -> str:
    """``1.07 (1.05 to 1.11)``: the median, and the least and the most."""
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({least:.{digits}f} to {most:.{digits}f})"


def show_load(series: Series) -> None:
    """How quiet the machine was, and whether that was quiet enough."""
    worst = max(series.foreign)
    print(f"{len(series.foreign)} rounds kept of {series.measured}; other programs used up to {worst:.2f} processors")
    if worst > BUSY:
        print("the machine was never quiet for long enough: these numbers are too high, measure again")


def write_json(path: Path | None, content: Mapping[str, Any]) -> None:
    """Writes the numbers where ``--json`` says; nowhere without it."""
    if path is not None:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
