"""``python -m cotrain.new DIR [--name NAME]``: writes a pair that builds and passes, to change into your own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cotrain.command_line import Parser
from cotrain.errors import CotrainError
from cotrain.new.starter import write_pair


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the pair and says what to do next; returns the exit code."""
    parser = Parser(
        prog="python -m cotrain.new",
        description="Writes a pair of trainers, NumPy and NumSharp, with a test: a start for your own.",
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", help="a new or empty folder")
    parser.add_argument("--name", metavar="NAME", help="the pair's name, in lower case: my_layer (default: from DIR)")
    try:
        options = parser.parse_args(arguments)
        folder = Path(options.directory)
        pair = write_pair(folder, options.name)
    except CotrainError as error:
        print(f"cotrain: {' '.join(str(error).split())}", file=sys.stderr)
        return int(error.exit_code)
    for file in pair.files:
        print(f"  {os.path.join(options.directory, file)}")
    print("Next, in that folder:")
    print(f"  {pair.command}")
    print("  python -m pytest")
    return 0


if __name__ == "__main__":
    sys.exit(main())
