"""``python -m cotrain.sweep exp log``: is a function NumPy's on every float32 there is?"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from cotrain import clr, floatmode, pins, preflight
from cotrain.errors import CotrainError, ExitCode
from cotrain.lockstep.outputs import check_folder
from cotrain.sweep import listing
from cotrain.sweep.functions import SIDES, Pair, bridge_names, pair
from cotrain.sweep.progress import END, Progress
from cotrain.sweep.run import sweep

_SAVE_SECONDS = 5.0
_LINE_SECONDS = 15.0
EPILOG = """\
exit codes: 0 none differ; 1 some differ; 2 bad usage; 3 this machine cannot run it; 130 interrupted: the same
command goes on from there
"""


class _Interrupt:
    """Remembers a Ctrl-C; the sweep ends after the block under way."""

    signum = 0

    def __init__(self) -> None:
        for name in ("SIGINT", "SIGTERM"):
            signal.signal(getattr(signal, name), self._handle)

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        self.signum = signum


def main(arguments: list[str] | None = None) -> int:
    """Sweeps each function on each side; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except CotrainError as error:
        print(f"cotrain: {error}", file=sys.stderr)
        return int(error.exit_code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/sweep",
        description="Compare float32 functions of one operand with NumPy's on all 2^32 bit patterns.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("functions", nargs="+", metavar="NAME", help="exp, log, sqrt, tanh ...")
    parser.add_argument(
        "--side",
        choices=["both", *SIDES],
        default="both",
        help="the bridge's kernels, NumSharp's own functions, or both (the default)",
    )
    parser.add_argument("--numsharp", metavar="PATH", help="your own build of NumSharp.dll")
    parser.add_argument(
        "--out", type=Path, default=Path("sweep"), metavar="DIR", help="folder of lists and states (default: sweep)"
    )
    parser.add_argument("--fresh", action="store_true", help="begin anew, whatever an earlier sweep left")
    return parser


def _run(options: argparse.Namespace) -> int:
    preflight.before_start()
    check_folder(options.out, "--out", "choose another folder")
    clr.start(options.numsharp)
    pairs = [found for name in options.functions for found in _pairs(name, options.side)]
    about = _about()
    interrupt = _Interrupt()
    differs = False
    for each in pairs:
        state = options.out / f"{each.name}.{each.side}.npz"
        progress = Progress() if options.fresh else Progress.load(state, about)
        earlier = progress.position == END
        if not _sweep(each, progress, state, about, interrupt):
            done = 100 * progress.position / END
            print(f"cotrain: interrupted at {done:.1f} % of {each.name}; the same command goes on", file=sys.stderr)
            return 128 + interrupt.signum
        progress.save(state, about)
        listing.write(each, progress, about, options.out / f"{each.name}.{each.side}.txt")
        print(listing.summary(each, progress) + (" (swept earlier)" if earlier else ""), flush=True)
        differs |= progress.differing > 0
    return int(ExitCode.DIVERGED if differs else ExitCode.IDENTICAL)


def _pairs(name: str, side: str) -> list[Pair]:
    """A function on the sides that were asked for; ``both`` leaves out the bridge where it has none."""
    if side != "both":
        return [pair(name, side)]
    return [pair(name, each) for each in SIDES if each != "bridge" or name in bridge_names()]


def _about() -> dict[str, Any]:
    """What results depend on."""
    found = pins.collect(gemm="", math="", worker_float_mode=floatmode.probe())
    return {
        "numpy": f"{found['numpy']['version']} {found['numpy']['dispatch']}",
        "numsharp": f"{found['numsharp']['version']} {found['numsharp']['sha256']}",
        "bridge": found["bridge"]["sha256"],
        "dotnet": f"{found['dotnet']['version']} {found['dotnet']['widest_vector_bits']} bit",
        "system": found["system"],
        "environment": " ".join(f"{name}={value}" for name, value in found["environment"].items()),
    }


def _sweep(each: Pair, progress: Progress, state: Path, about: dict[str, Any], interrupt: _Interrupt) -> bool:
    """Sweeps to the end with a bar; False when it was interrupted, with the state saved."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(None), TextColumn("{task.percentage:>3.0f}%"))
    bar = Bar(*columns, TimeRemainingColumn(compact=True), console=console, transient=True, expand=True)
    shows = console.is_terminal and not console.is_dumb_terminal
    task = bar.add_task(f"{each.name}, {each.side}", total=END, completed=progress.position)
    next_save = time.monotonic() + _SAVE_SECONDS
    next_line = time.monotonic() + _LINE_SECONDS

    def stepped(now: Progress) -> bool:
        nonlocal next_save, next_line
        moment = time.monotonic()
        bar.update(task, completed=now.position, description=f"{each.name}, {each.side}: {now.differing:,} differ")
        if moment > next_save:
            now.save(state, about)
            next_save = moment + _SAVE_SECONDS
        if not shows and moment > next_line:
            part = f"{100 * now.position / END:.0f} %"
            print(f"{each.name}, {each.side}: {part}, {now.differing:,} differ", file=sys.stderr, flush=True)
            next_line = moment + _LINE_SECONDS
        return not interrupt.signum

    if shows:
        with bar:
            reached = sweep(each, progress, stepped=stepped)
    else:
        reached = sweep(each, progress, stepped=stepped)
    if not reached:
        progress.save(state, about)
    return reached


if __name__ == "__main__":
    sys.exit(main())
