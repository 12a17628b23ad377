"""The options of ``python -m cotrain.lockstep``."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cotrain.command_line import Parser

EPILOG = """\
exit codes: 0 all equal; 1 a divergence; 2 bad usage or input; 3 this machine cannot run it; 4 a trainer
raised an exception; 130 interrupted (143 by SIGTERM), the report so far is complete
"""


_LARGEST = 2**31 - 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    make = Parser(
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
    training.add_argument("--batch-size", type=_positive("batch-size"), metavar="N", help="default: 128")
    training.add_argument("--seed", type=_seed, metavar="N", help="seed of the initial weights (default: 1337)")
    training.add_argument("--data", metavar="synthetic|DIR", help="made up (the default), or MNIST's four IDX files")
    how = make.add_argument_group("how each side computes")
    how.add_argument(
        "--gemm",
        choices=["openblas", "sequential", "native"],
        default="openblas",
        help="matrix products: NumPy's own OpenBLAS; on both sides the same fixed order of multiplying and adding, "
        "which no processor, kernel or number of threads changes; or each side's own",
    )
    how.add_argument(
        "--math",
        choices=["parity", "numsharp"],
        default="parity",
        help="exp, whole-array sum and mean: exactly NumPy's, or NumSharp's own",
    )
    own = make.add_argument_group("your own pair, instead of the MNIST trainers (docs/own-trainer.md)")
    own.add_argument("--trainer", metavar="MODULE:FACTORY|FILE.py:FACTORY", help="the NumPy side")
    own.add_argument(
        "--candidate",
        metavar="DLL:TYPE|CSPROJ:TYPE|FILE.toml",
        help="the C# side; a project is compiled first; a mapping file drives an assembly without taps "
        "(docs/unprepared.md)",
    )
    own.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the two trainers; may be repeated. Without a value of yours they use their own defaults",
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
