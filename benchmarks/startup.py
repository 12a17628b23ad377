"""What a run costs besides its steps: start-up to the first compared step, and exit after the last line.

    python benchmarks/startup.py [--repeats 7] [--json FILE]

Measures whole commands from the process's start, in turn: ``python -m cotrain.lockstep --steps 1`` as it is,
the same with a clock at its joints (for the breakdown), and ``scripts/lockstep --steps 1`` in a checkout that
is set up. Exit is from the arrival of the last line of output to the end of the process.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from _measure import ROOT, arguments, environment, host, rounds, show_load, spread, write_json

EXIT_BOUND = 0.5
SCRIPT_BOUND = 1.0
ONE_STEP = ("--steps", "1")


class Commands:
    """The three commands, and what they left behind in each round."""

    def __init__(self, folder: Path) -> None:
        own = ROOT / ".venv" / "bin" / "python"
        self.has_script = own.exists()
        # The script runs the checkout's environment, so the bare command must, too.
        self._python = str(own) if self.has_script else sys.executable
        self._timeline_file = folder / "timeline.json"
        self.timelines: dict[float, dict[str, Any]] = {}
        self.exits: dict[float, float] = {}

    def bare(self) -> float:
        """Seconds of the command."""
        begun, last, end = self._run([self._python, "-m", "cotrain.lockstep", *ONE_STEP])
        self.exits[end - begun] = end - last
        return end - begun

    def clocked(self) -> float:
        """Seconds of the command with its clock."""
        command = [self._python, str(ROOT / "benchmarks" / "_timeline.py"), str(self._timeline_file), *ONE_STEP]
        begun, last, end = self._run(command)
        timeline = json.loads(self._timeline_file.read_text(encoding="utf-8"))
        timeline["marks"] |= {"begun": begun, "last line read": last, "process ended": end}
        self.timelines[end - begun] = timeline
        return end - begun

    def script(self) -> float:
        """Seconds of the README's command."""
        begun, _, end = self._run([str(ROOT / "scripts" / "lockstep"), *ONE_STEP])
        return end - begun

    def pins(self) -> dict[str, Any]:
        """The pins of a run, by way of its JSON."""
        file = self._timeline_file.with_name("pins.json")
        self._run([self._python, "-m", "cotrain.lockstep", *ONE_STEP, "--json", str(file)])
        pins: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["pins"]
        return pins

    def _run(self, command: Sequence[str]) -> tuple[float, float, float]:
        """The moments of the process's start, its last line and its end."""
        begun = last = monotonic()
        with subprocess.Popen(command, env=environment(), cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in process.stdout:
                last = monotonic()
            process.wait()
            end = monotonic()
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
        return begun, last, end


def main() -> None:
    """Prints the breakdown of the start, that of the exit, and what the script adds."""
    options = arguments(__doc__, repeats=7)
    with tempfile.TemporaryDirectory(prefix="cotrain-startup-") as folder:
        commands = Commands(Path(folder))
        measures = {"command": commands.bare, "with clock": commands.clocked}
        if commands.has_script:
            measures["scripts/lockstep"] = commands.script
            commands.script()  # sets up what is missing, which is not measured
        pins = commands.pins()
        series = rounds(measures, options.repeats)
    print(*host(pins), sep="\n")
    print("\nwhole commands with --steps 1: median (least to most), seconds")
    for name, seconds in series.seconds.items():
        print(f"  {name:<56} {spread(seconds)}")
    timelines = [commands.timelines[seconds] for seconds in series.seconds["with clock"]]
    start = _start(timelines)
    _exit(timelines)
    exits = [commands.exits[seconds] for seconds in series.seconds["command"]]
    print(f"  {'all, without the clock':<56} {spread(exits)}   bound {EXIT_BOUND:.2f}")
    report = {
        "pins": pins,
        "seconds": series.seconds,
        "foreign": series.foreign,
        "timelines": timelines,
        "start": start,
        "exit": exits,
    }
    if commands.has_script:
        pairs = zip(series.seconds["scripts/lockstep"], series.seconds["command"], strict=True)
        report["script_adds"] = adds = [script - bare for script, bare in pairs]
        print("\nwhat scripts/lockstep adds to the command when nothing is to be set up")
        print(f"  {'':<56} {spread(adds)}   bound {SCRIPT_BOUND:.2f}")
    else:
        print("\nscripts/lockstep: not measured, this checkout has no .venv; run scripts/lockstep once")
    show_load(series)
    write_json(options.json, report)


def _start(timelines: Sequence[dict[str, Any]]) -> list[float]:
    """Prints the breakdown; returns the seconds up to the first compared step."""
    whole = [one["marks"]["first compared step"] - one["marks"]["begun"] for one in timelines]
    print("\nstart-up to the first compared step, with its clock: median (least to most), seconds")
    rows = {"process and interpreter start": [one["marks"]["python runs"] - one["marks"]["begun"] for one in timelines]}
    for name in dict.fromkeys(name for one in timelines for name in one["spans"]):
        rows[name] = [one["spans"].get(name, 0.0) for one in timelines]
    for name, seconds in sorted(rows.items(), key=lambda row: -statistics.median(row[1])):
        print(f"  {name:<56} {spread(seconds)}")
    print(f"  {'all':<56} {spread(whole)}")
    for place in sorted({place for one in timelines for place in one["missing"]}):
        print(f"  ({place} is gone: its time counts elsewhere)")
    return whole


def _exit(timelines: Sequence[dict[str, Any]]) -> None:
    moments = [
        ("last line read", "last line", ""),
        ("last line", "pair closed", "candidate and worker end"),
        ("pair closed", "main returns", "main returns"),
        ("main returns", "handlers at exit are done", "exit handlers"),
        ("handlers at exit are done", "process ended", "interpreter and .NET end"),
    ]
    print("\nexit after the last line: median (least to most), seconds")
    for begin, end, name in moments:
        if name:
            seconds = [one["marks"][end] - one["marks"][begin] for one in timelines]
            print(f"  {name:<56} {spread(seconds)}")


if __name__ == "__main__":
    main()
