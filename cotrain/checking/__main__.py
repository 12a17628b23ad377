"""``cotrain check 'np.exp(a)' --a random:f4:128x784``: what a kernel's author types all day."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from cotrain.command_line import Parser
from cotrain.errors import CotrainError, ExitCode

EPILOG = """\
operands: a .npy file, random:DTYPE:SHAPE[:SEED], zeros:, ones:, arange:DTYPE:SHAPE, bits:DTYPE:0x3F800000,...;
          :F at the end makes the array Fortran-ordered; views are written in the expression: 'np.exp(a[::2].T)'
exit codes: 0 equal; 1 they differ; 2 bad usage, or a side that cannot compute it; 3 this machine cannot run it
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks once, or again and again with ``--watch``; returns the exit code."""
    own = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options, operands = _parse(own)
        if options.watch:
            from cotrain.checking.watch import watch

            if options.numsharp is None:
                raise CotrainError("--watch looks at your own build: give it with --numsharp PATH")
            return watch(Path(options.numsharp), [each for each in own if each != "--watch"])
        return _check(options, operands)
    except CotrainError as error:
        print(f"cotrain: {' '.join(str(error).split())}", file=sys.stderr)
        return int(error.exit_code)


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, dict[str, str]]:
    parser = Parser(
        prog="cotrain check",
        description="Run one operation in NumPy and in NumSharp and compare the results bit for bit.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("expression", help="exp, or 'np.sum(a, axis=0)', in NumPy's words")
    parser.add_argument(
        "--NAME", dest="unused", metavar="OPERAND", help="an operand, under the expression's name for it"
    )
    parser.add_argument("--numsharp", metavar="PATH", help="your own build of NumSharp.dll")
    parser.add_argument(
        "--gemm", choices=["openblas", "sequential", "native"], default="openblas", help="NumSharp's matrix products"
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever the file of --numsharp changes")
    options, rest = parser.parse_known_args(arguments)
    operands = {}
    words = [part for word in rest for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for at in range(0, len(words), 2):
        option = re.fullmatch(r"--([a-z_][a-z0-9_]*)", words[at], re.IGNORECASE)
        if option is None:
            raise CotrainError(f"unrecognized arguments: {words[at]} (see --help)")
        if at + 1 == len(words):
            raise CotrainError(f"{words[at]} needs an operand (see --help)")
        operands[option[1]] = words[at + 1]
    return options, operands


def _check(options: argparse.Namespace, specifications: dict[str, str]) -> int:
    from cotrain import blas

    if options.gemm == "openblas":
        blas.set_single_thread()  # before numpy is imported
    from cotrain.checking import check
    from cotrain.checking.operands import parse

    operands = {name: parse(text) for name, text in specifications.items()}
    # A bare function takes the operands in the order in which they were given.
    bare = re.fullmatch(r"(np\.)?[A-Za-z_]\w*(\.\w+)*", options.expression) and options.expression not in operands
    positional = tuple(operands.values()) if bare else ()
    named = {} if bare else operands
    found = check(options.expression, *positional, gemm_backend=options.gemm, numsharp=options.numsharp, **named)
    print(found)
    return int(ExitCode.IDENTICAL if found.equal else ExitCode.DIVERGED)


if __name__ == "__main__":
    sys.exit(main())
