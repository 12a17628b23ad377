"""``python -m cotrain.repl``."""

from __future__ import annotations

import sys

from cotrain.repl import cli


def main(arguments: list[str] | None = None) -> int:
    """Opens the prompt and returns the exit code; without ``arguments`` they are the process's own."""
    return cli.main(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
