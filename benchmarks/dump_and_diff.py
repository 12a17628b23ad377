"""The lockstep against the way without it: two programs that dump every tap to .npy files, then a diff.

    python benchmarks/dump_and_diff.py [--repeats 3] [--json FILE] [--longest 460]

For 46 and for 460 steps: ``python -m twin.mnist_mlp --dump-taps``, ``dotnet MnistMlp.dll --dump-taps`` on the
same OpenBLAS, and a comparison of the two folders file by file, as bytes; then ``python -m cotrain.lockstep``
of the same length. All are whole commands, start-up included. The files go to the temporary folder (TMPDIR)
and are removed; nothing is forced to the disk, so with enough memory they are only ever in the page cache,
which favours the dumps.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from _measure import ROOT, Series, arguments, environment, host, rounds, show_load, spread, write_json

STEPS = (46, 460)
STEP_BYTES = 3.2e6
INITIAL_BYTES = 40e6


class Programs:
    """The four commands for one number of steps."""

    def __init__(self, steps: int, root: Path, openblas: str, dotnet: str) -> None:
        self.bytes = 0
        self.files = 0
        self._reference, self._candidate = root / "reference", root / "candidate"
        length = ["--steps", str(steps)]
        self._twin = [sys.executable, "-m", "twin.mnist_mlp", *length, "--dump-taps", str(self._reference)]
        trainer = [dotnet, str(_assemblies() / "MnistMlp.dll"), *length]
        self._mlp = [*trainer, "--dump-taps", str(self._candidate), "--openblas", openblas]
        self._lockstep = [sys.executable, "-m", "cotrain.lockstep", *length]

    def dump_reference(self) -> float:
        """Seconds of the NumPy program."""
        _remove(self._reference)
        return _seconds(self._twin)

    def dump_candidate(self) -> float:
        """Seconds of the NumSharp program."""
        _remove(self._candidate)
        return _seconds(self._mlp)

    def diff(self) -> float:
        """Seconds of a program that compares the folders, which must both be there and equal."""
        names = sorted(path.relative_to(self._reference) for path in self._reference.rglob("*.npy"))
        self.files = 2 * len(names)
        self.bytes = sum((side / name).stat().st_size for side in (self._reference, self._candidate) for name in names)
        return _seconds([sys.executable, __file__, str(self._reference), str(self._candidate)])

    def lockstep(self) -> float:
        """Seconds of the lockstep."""
        _settle()
        return _seconds(self._lockstep)

    def in_order(self) -> dict[str, float]:
        """All of it once."""
        return {
            "NumPy program, dumping": self.dump_reference(),
            "NumSharp program, dumping": self.dump_candidate(),
            "diff of the folders": self.diff(),
            "lockstep": self.lockstep(),
        }


def main() -> None:
    """Prints both lengths."""
    if len(sys.argv) == 3 and not sys.argv[1].startswith("-"):
        _diff(Path(sys.argv[1]), Path(sys.argv[2]))
        return
    options = arguments(__doc__, repeats=3, longest=max(STEPS))
    lengths = [steps for steps in STEPS if steps <= options.longest] or [options.longest]
    pins, openblas = _pins()
    dotnet = shutil.which("dotnet")
    if dotnet is None:
        raise SystemExit("there is no dotnet on PATH")
    print(*host(pins), sep="\n")
    report: dict[str, Any] = {"pins": pins}
    with tempfile.TemporaryDirectory(prefix="cotrain-dump-") as folder:
        _check_space(Path(folder), max(lengths))
        for steps in lengths:
            programs = Programs(steps, Path(folder), openblas, dotnet)
            series = _rounds(programs, options.repeats)
            report[str(steps)] = _show(steps, programs, series)
    if len(lengths) > 1:
        report["beyond"] = _beyond(report, *lengths)
    write_json(options.json, report)


def _rounds(programs: Programs, repeats: int) -> Series:
    # One round is one measure here: the diff needs the dumps of its own round.
    kept: list[dict[str, float]] = []

    def measure() -> float:
        kept.append(programs.in_order())
        return float(len(kept) - 1)

    series = rounds({"round": measure}, repeats)
    chosen = [kept[int(number)] for number in series.seconds["round"]]
    series.seconds = {name: [one[name] for one in chosen] for name in chosen[0]}
    return series


def _show(steps: int, programs: Programs, series: Series) -> dict[str, Any]:
    reference, candidate, diff, lockstep = (series.at(name) for name in series.seconds)
    ratios = {
        "dump, dump, diff / lockstep": series.ratios(lambda i: reference(i) + candidate(i) + diff(i), lockstep),
        "the same, both dumps at once at best": series.ratios(
            lambda i: max(reference(i), candidate(i)) + diff(i), lockstep
        ),
    }
    print(f"\n{steps} steps: {programs.files:,} files, {programs.bytes / 1e9:.2f} GB written; the lockstep writes none")
    print("  median (least to most), seconds")
    for name, seconds in series.seconds.items():
        print(f"  {name:<38} {spread(seconds, 2)}")
    for name, values in ratios.items():
        print(f"  {name:<38} {spread(values, 2)}")
    show_load(series)
    return {
        "files": programs.files,
        "bytes": programs.bytes,
        "seconds": series.seconds,
        "foreign": series.foreign,
        "ratios": ratios,
    }


def _beyond(report: dict[str, Any], short: int, long: int) -> float:
    """Prints the ratio of what further steps take, start-up and initial taps left out."""
    few, many = (report[str(steps)]["seconds"] for steps in (short, long))
    more = {name: (statistics.median(many[name]) - statistics.median(few[name])) / (long - short) for name in few}
    *dumps, lockstep = more.values()
    print(f"\neach step beyond {short}: dump, dump, diff {1e3 * sum(dumps):.1f} ms, lockstep {1e3 * lockstep:.2f} ms,")
    at_best = (max(dumps[:2]) + dumps[2]) / lockstep
    print(f"ratio {sum(dumps) / lockstep:.1f}; with both dumps at once at best {at_best:.1f}")
    return sum(dumps) / lockstep


def _diff(reference: Path, candidate: Path) -> None:
    """The third program: both folders have the same files, and those the same dtypes, shapes and bytes."""
    import numpy as np

    names = {path.relative_to(reference) for path in reference.rglob("*.npy")}
    if not names or names != {path.relative_to(candidate) for path in candidate.rglob("*.npy")}:
        raise SystemExit("the two folders do not hold the same files")
    for name in sorted(names):
        one, other = np.load(reference / name), np.load(candidate / name)
        same = one.dtype == other.dtype and one.shape == other.shape
        if not same or memoryview(one).cast("B") != memoryview(other).cast("B"):
            raise SystemExit(f"{name} differs")


def _seconds(command: Sequence[str]) -> float:
    begun = perf_counter()
    answer = subprocess.run(command, env=environment(), cwd=ROOT, capture_output=True, text=True)
    took = perf_counter() - begun
    if answer.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {answer.returncode}\n{answer.stdout[-2000:]}{answer.stderr}")
    return took


def _pins() -> tuple[dict[str, Any], str]:
    """The pins, and the path of NumPy's OpenBLAS."""
    from cotrain import Pair, blas

    with Pair.load(options={"steps": 1}) as pair:
        return dict(pair.result.pins), str(blas.find().path)


def _assemblies() -> Path:
    from cotrain.clr import assemblies

    return assemblies.directory()


def _check_space(folder: Path, steps: int) -> None:
    needed = 2 * (steps * STEP_BYTES + INITIAL_BYTES) * 1.1
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SystemExit(
            f"{folder} has {free / 1e9:.1f} GB free and {steps} steps need {needed / 1e9:.1f}: "
            "point TMPDIR elsewhere, or lower --longest"
        )


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    _settle()


def _settle() -> None:
    """So that what was dumped before is not written to the disk while the next program is measured."""
    if hasattr(os, "sync"):
        os.sync()


if __name__ == "__main__":
    main()
