"""``cotrain COMMAND``: every command of the package under one name; ``python -m cotrain.COMMAND`` is the same."""

from __future__ import annotations

import importlib
import sys

from cotrain.errors import ExitCode

COMMANDS = {
    "lockstep": ("cotrain.lockstep.__main__", "train in NumPy and NumSharp side by side, compare every operation"),
    "check": ("cotrain.checking.__main__", "run one operation on both sides"),
    "repl": ("cotrain.repl.__main__", "a prompt with NumPy, NumSharp and a pair"),
    "new": ("cotrain.new.__main__", "write a pair of your own to start from"),
    "assemblies": ("cotrain.assemblies", "where the compiled assemblies are, for the C# project of your own trainer"),
    "ledger": ("cotrain.ledger.__main__", "NumSharp's known differences"),
    "sweep": ("cotrain.sweep.__main__", "a function on all 2^32 float32 inputs"),
    "trace": ("cotrain.trace.__main__", "compare two recorded runs"),
    "parity-dump": ("cotrain.parity_dump.__main__", "compare two folders of stage files"),
    "matrix": ("cotrain.matrix", "the lockstep under other BLAS kernels, threads, CPU features"),
}


def main(arguments: list[str] | None = None) -> int:
    """Runs a command with the arguments after its name; returns its exit code."""
    own = sys.argv[1:] if arguments is None else arguments
    if not own or own[0] in ("-h", "--help"):
        print(_usage())
        return 0 if own else int(ExitCode.USAGE)
    if own[0] not in COMMANDS:
        print(f"cotrain: there is no command {own[0]!r}; commands: {', '.join(COMMANDS)}", file=sys.stderr)
        return int(ExitCode.USAGE)
    module = importlib.import_module(COMMANDS[own[0]][0])
    # A command that reads the process's own arguments (lockstep keeps its signal handlers to the end then) finds them.
    sys.argv[1:] = own[1:]
    return int(module.main())


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(["usage: cotrain COMMAND [arguments]", "", *lines, "", "cotrain COMMAND --help tells more"])


if __name__ == "__main__":
    sys.exit(main())
