"""The options of ``python -m cotrain.repl``, and the names that its prompt has."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from cotrain import blas, preflight
from cotrain.command_line import Parser
from cotrain.errors import CotrainError
from cotrain.lockstep import arguments as lockstep

_FROM_LOCKSTEP = (
    "on_diff", "taps", "allow", "epochs", "steps", "batch_size", "seed", "data", "gemm", "math", "numsharp", "trainer",
    "candidate", "option",
)  # fmt: skip
"""Options that mean the same here."""

_NAMES = """\
names at the prompt:
  np, ns         NumPy, and NumSharp's np: its functions take NumPy arrays without a copy
  view(nd)       a NumPy array over an NDArray's memory;  nd(array)  the other way
  diff(a, b)     how two arrays differ, to the bit
  pair           the two trainers, loaded when first used: pair.step(), pair.taps, pair.reference, pair.candidate
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    make = Parser(
        prog="python -m cotrain.repl",
        description="A prompt with NumPy, NumSharp and a pair of trainers.",
        epilog=_NAMES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    make.add_argument("--at", type=int, metavar="STEP", help="open before this step: the steps up to it are compared")
    make.add_argument("-c", dest="code", metavar="CODE", help="run this, show the last expression's value, and exit")
    make.add_argument("--plain", action="store_true", help="Python's own prompt, also where IPython is installed")
    pair = make.add_argument_group("the pair, as in python -m cotrain.lockstep")
    for action in lockstep.parser()._actions:
        if action.dest in _FROM_LOCKSTEP:
            pair._add_action(action)
    return make


def main(arguments: Sequence[str]) -> int:
    """Opens the prompt, or runs the code; returns the exit code."""
    try:
        options = parser().parse_args(arguments)
        if options.at is not None and options.at < 1:
            raise CotrainError(f"--at takes a step of at least 1, not {options.at}; without it the run is at step 0")
        return _run(options)
    except CotrainError as error:
        print(f"cotrain: {' '.join(str(error).split())}", file=sys.stderr)
        return int(error.exit_code)
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace) -> int:
    if options.gemm != "sequential":
        blas.set_single_thread()  # before anything imports numpy
    preflight.before_start()
    from cotrain.clr import runtime
    from cotrain.clr.interop import interop
    from cotrain.repl import console
    from cotrain.repl.names import make

    ns = interop(options.numsharp)
    names = make(ns, options)
    pair = names["pair"]
    try:
        if options.at is not None:
            if pair.total_steps is not None and options.at > pair.total_steps:
                raise CotrainError(f"the run ends with step {pair.total_steps - 1}; --at {options.at} is beyond it")
            outcome = pair.run(options.at)
            if pair.position < options.at or outcome.divergences:
                print(outcome)
        if options.code is not None:
            return console.run(options.code, names)
        loaded = runtime.start()
        banner = f"NumPy {names['np'].__version__}, NumSharp {loaded.numsharp.version}, .NET {loaded.version}\n{_NAMES}"
        console.interact(names, f"{banner}{pair!r}", plain=options.plain)
        return 0
    finally:
        pair.close()
