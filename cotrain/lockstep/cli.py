"""The options of ``python -m cotrain.lockstep``, and how a run is reported."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from cotrain import blas, preflight
from cotrain.errors import CotrainError, ExitCode
from cotrain.lockstep import own_pair
from cotrain.lockstep.outputs import Outputs, check_folder
from cotrain.lockstep.signals import Interrupted, Signals

EPILOG = """\
exit codes: 0 all equal; 1 a divergence; 2 bad usage or input; 3 this machine cannot run it; 4 a trainer
raised an exception; 130 interrupted (143 by SIGTERM), the report so far is complete
"""


_LARGEST = 2**31 - 1


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage is a --help away."""

    def error(self, message: str) -> NoReturn:
        raise CotrainError(f"{message} (see --help)")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    make = _Parser(
        prog="python -m cotrain.lockstep",
        description="Train in NumPy and in NumSharp side by side and compare every operation bit for bit.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    stop = make.add_argument_group("at a difference")
    policy = stop.add_mutually_exclusive_group()
    policy.add_argument(
        "--stop-on-diff",
        dest="on_diff",
        action="store_const",
        const="stop",
        default="stop",
        help="stop at the first differing tap and show it (the default)",
    )
    policy.add_argument(
        "--on-diff",
        choices=["stop", "resync", "continue"],
        default="stop",
        help="go on with the difference (continue), or with the reference's bytes in its place (resync)",
    )
    stop.add_argument(
        "--taps",
        default="all",
        metavar="all|weights|GLOB,...",
        help="which taps can stop the run and are counted; every tap is compared all the same",
    )
    stop.add_argument(
        "--allow",
        default="",
        metavar="NAME,...|all",
        help="accept known differences of NumSharp; python -m cotrain.ledger lists them",
    )
    stop.add_argument(
        "--inject",
        action="append",
        default=[],
        metavar="STEP:TAP:INDEX:BIT",
        help="flip one bit in the candidate's memory right after an operation; may be repeated",
    )
    length = make.add_argument_group("the training").add_mutually_exclusive_group()
    length.add_argument("--epochs", type=_positive("epochs"), metavar="N", help="length of the run (default: 100)")
    length.add_argument("--steps", type=_positive("steps"), metavar="N", help="length of the run in steps")
    training = make.add_argument_group("data and weights")
    training.add_argument(
        "--batch-size", type=_positive("batch-size"), metavar="N", help="samples of a step (default: 128)"
    )
    training.add_argument("--seed", type=_seed, metavar="N", help="seed of the initial weights (default: 1337)")
    training.add_argument("--data", metavar="synthetic|DIR", help="made up (the default), or MNIST's four IDX files")
    own = make.add_argument_group("your own pair, instead of the MNIST trainers (docs/own-trainer.md)")
    own.add_argument("--trainer", metavar="MODULE:FACTORY|FILE.py:FACTORY", help="the NumPy side")
    own.add_argument("--candidate", metavar="DLL:TYPE|CSPROJ:TYPE", help="the C# side; a project is compiled first")
    own.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the two trainers; may be repeated. Without a value of yours they use their own defaults",
    )
    how = make.add_argument_group("how each side computes")
    how.add_argument(
        "--gemm",
        choices=["openblas", "native"],
        default="openblas",
        help="the candidate's matrix products: NumPy's own OpenBLAS, or NumSharp's",
    )
    how.add_argument(
        "--math",
        choices=["parity", "numsharp"],
        default="parity",
        help="exp, whole-array sum and mean: exactly NumPy's, or NumSharp's own",
    )
    how.add_argument("--numsharp", metavar="PATH", help="your own build of NumSharp.dll")
    how.add_argument(
        "--mode",
        choices=["auto", "overlap", "sequence"],
        default="auto",
        help="run the two sides at the same time or in turn; the findings are the same",
    )
    state = make.add_argument_group("checkpoints")
    state.add_argument(
        "--checkpoint-every", type=_positive("checkpoint-every"), metavar="N", help="save the state every N steps"
    )
    state.add_argument(
        "--from-step", type=_positive("from-step"), metavar="N", help="begin at step N, from its checkpoint"
    )
    state.add_argument(
        "--checkpoints", default="cotrain-checkpoints", metavar="DIR", help="their folder (default: %(default)s)"
    )
    report = make.add_argument_group("the report")
    report.add_argument("--json", metavar="FILE|-", help="write the result as JSON")
    report.add_argument(
        "--report",
        metavar="DIR",
        help="write report.html, one page to open in a browser, and report.json with all of it",
    )
    report.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML, a test case per tap")
    report.add_argument(
        "--trace", metavar="FILE", help="save a hash of every tap; python -m cotrain.trace compares two such files"
    )
    report.add_argument(
        "--parity-dump", metavar="DIR", help="write the taps at each stage as .npy files: DIR/S2/fc2.output.npy, ..."
    )
    report.add_argument(
        "--stages", action="store_true", help="print each stage of the training as it is passed, and what it proves"
    )
    report.add_argument("--quiet", action="store_true", help="print only a divergence and the verdict")
    return make


def main(arguments: Sequence[str], signals: Signals) -> int:
    """Parses, runs, reports; returns the exit code. Nothing but a bug gives a traceback."""
    outputs: Outputs | None = None
    try:
        options = parser().parse_args(arguments)
        outputs = Outputs(options)
        if options.checkpoint_every is not None:
            check_folder(Path(options.checkpoints), "--checkpoints", "choose another folder")
        return _run(options, outputs, signals)
    except CotrainError as error:
        signals.ignore()
        message = _say(str(error))
        if outputs is not None:
            outputs.failed(message)
        return int(error.exit_code)
    except Interrupted as interrupt:
        _say("interrupted before the first step")
        if outputs is not None:
            outputs.interrupted(interrupt.signum)
        return 128 + interrupt.signum


def _run(options: argparse.Namespace, outputs: Outputs, signals: Signals) -> int:
    blas.set_single_thread()  # before anything imports numpy
    preflight.before_start()  # before anything needs numpy to be there
    from cotrain.lockstep.injection import Injection
    from cotrain.lockstep.pair import Pair

    signals.check()
    injections = [Injection.parse(text) for text in options.inject]
    sides = own_pair.sides(options)
    trainer_options = own_pair.trainer_options(options)
    with Pair.load(
        **sides, options=trainer_options, gemm=options.gemm, math=options.math, numsharp=options.numsharp
    ) as pair:
        signals.install()
        signals.check()
        if options.from_step is not None:
            pair.go_on_from(options.checkpoints, options.from_step)
        if options.checkpoint_every is not None:
            pair.checkpoint_every(options.checkpoint_every, options.checkpoints)
        outputs.track(pair.result, {**trainer_options, "on_diff": options.on_diff, "inject": options.inject})
        signals.during(pair.interrupt, rescue=outputs.interrupted)
        result = pair.run(
            own_pair.length(pair, options),
            on_diff=options.on_diff,
            taps=options.taps,
            inject=injections,
            mode=options.mode,
            observer=outputs.observer(),
            recorder=outputs.recorder(),
            reader=outputs.reader(pair.stages, pair.total_steps),
            allow=options.allow,
        )
        signals.ignore()
        if result.error is not None:
            _say(result.error)
        outputs.finished()
    return result.exit_code


def _say(message: str) -> str:
    """Prints what went wrong, on one line (.NET's messages may have several), and returns that line."""
    line = " ".join(message.split())
    print(f"cotrain: {line}", file=sys.stderr)
    return line


def _positive(name: str) -> Callable[[str], int]:
    def convert(text: str) -> int:
        value = _whole(text, 1, f"{name} must be a whole number of at least 1")
        if value > _LARGEST:
            raise argparse.ArgumentTypeError(f"{text} is too large a number; the largest is {_LARGEST}")
        return value

    return convert


def _seed(text: str) -> int:
    value = _whole(text, 0, "seed must be a whole number from 0 to 4294967295")
    if value >= 2**32:
        raise argparse.ArgumentTypeError(f"seed must be a whole number from 0 to 4294967295, not {text!r}")
    return value


def _whole(text: str, least: int, sentence: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{sentence}, not {text!r}") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"{sentence}, not {text!r}")
    return value


__all__ = ["ExitCode", "main", "parser"]
