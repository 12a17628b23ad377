"""``python -m cotrain.assemblies``: where the compiled assemblies are, for the C# project of your own trainer.

python -m cotrain.assemblies                 prints the folder with NumSharp.dll and NumSharpBridge.dll
python -m cotrain.assemblies --write DIR     writes cotrain.local.props, which tells a project (and an IDE)
python -m cotrain.assemblies --build FILE    compiles a project against them, and prints its DLL
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from cotrain.clr import assemblies, project
from cotrain.command_line import Parser
from cotrain.errors import CotrainError


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints or writes; returns the exit code."""
    parser = Parser(
        prog="python -m cotrain.assemblies",
        description="Where cotrain's compiled assemblies are, for the C# project of your own trainer.",
        allow_abbrev=False,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", metavar="DIR", help=f"write {project.LOCAL_FILE} beside a project in this folder")
    what.add_argument("--build", metavar="PROJECT", help="compile a project against them and print its assembly's path")
    try:
        options = parser.parse_args(arguments)
        if options.build is not None:
            print(project.build(options.build))
        elif options.write is not None:
            print(_write(Path(options.write)))
        else:
            print(assemblies.require_built())
    except CotrainError as error:
        print(f"cotrain: {' '.join(str(error).split())}", file=sys.stderr)
        return int(error.exit_code)
    return 0


def _write(folder: Path) -> Path:
    path = folder / project.LOCAL_FILE
    try:
        path.write_text(project.local_props(), encoding="utf-8")
    except OSError as error:
        raise CotrainError(f"cannot write {path}: {error.strerror}") from None
    return path


if __name__ == "__main__":
    sys.exit(main())
