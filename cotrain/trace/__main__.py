"""``python -m cotrain.trace A B``: do two recorded runs agree, and where do they part?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cotrain.errors import CotrainError, ExitCode
from cotrain.trace.comparison import Part, changed_pins, common_steps, compare
from cotrain.trace.file import load

SIDES = ("reference", "candidate")


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: equal; 1: they part; 2: bad usage or no trace."""
    parser = argparse.ArgumentParser(
        prog="python -m cotrain.trace",
        description="Compare two traces that `python -m cotrain.lockstep --trace FILE` saved.",
        epilog="exit codes: 0 the two runs agree; 1 they part; 2 bad usage, or a file that is no trace",
    )
    parser.add_argument("a", type=Path, help="a trace: the run of before")
    parser.add_argument("b", type=Path, help="another: the run of now")
    parser.add_argument("--side", choices=["both", *SIDES], default="both", help="whose taps to compare")
    options = parser.parse_args(arguments)
    try:
        return _compare(options.a, options.b, SIDES if options.side == "both" else (options.side,))
    except CotrainError as error:
        print(f"cotrain: {error}", file=sys.stderr)
        return int(error.exit_code)


def _compare(a_path: Path, b_path: Path, sides: tuple[str, ...]) -> int:
    a, b = load(a_path), load(b_path)
    steps, taps = common_steps(a, b)
    if taps == 0:
        raise CotrainError(f"{a_path} and {b_path} have no step in common: there is nothing to compare")
    parts = [part for side in sides if (part := compare(a, b, side))]
    changed = list(changed_pins(a.about, b.about))
    if changed:
        print("pins and options that differ:")
        for line in changed:
            print(f"  {line}")
    for part in parts:
        print(_sentence(part))
    if not parts:
        print(f"equal: {steps:,} steps, {taps:,} taps on {' and '.join(sides)}")
    return int(ExitCode.DIVERGED if parts else ExitCode.IDENTICAL)


def _sentence(part: Part) -> str:
    where = "before step 0" if part.step < 0 else f"at step {part.step}"
    also = f" ({part.differing_taps} taps of the step differ)" if part.differing_taps > 1 else ""
    return f"the {part.side} parts {where}, {part.tap}: {part.reason}{also}"


if __name__ == "__main__":
    sys.exit(main())
