"""``python -m cotrain.parity_dump A B``: are two folders of stage files equal byte for byte?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cotrain.errors import CotrainError, ExitCode
from cotrain.parity_dump.comparison import compare

_SHOWN = 20


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: equal; 1: they differ; 2: bad usage, or a folder without such files."""
    parser = argparse.ArgumentParser(
        prog="scripts/verify_nn_parity",
        description="Compare two folders that --parity-dump wrote, by the bytes of their files.",
        epilog="exit codes: 0 equal; 1 a file differs or is missing; 2 bad usage, or a folder without .npy files",
    )
    parser.add_argument("a", type=Path, help="a folder: of the lockstep, of python -m twin.mnist_mlp, or of MnistMlp")
    parser.add_argument("b", type=Path, help="another one")
    options = parser.parse_args(arguments)
    try:
        found = compare(options.a, options.b)
    except CotrainError as error:
        print(f"cotrain: {error}", file=sys.stderr)
        return int(error.exit_code)
    for difference in found.differences[:_SHOWN]:
        print(f"{difference.file}: {difference.reason}")
    if len(found.differences) > _SHOWN:
        print(f"... and {len(found.differences) - _SHOWN} more")
    if found.differences:
        print(f"differ: {len(found.differences):,} of {found.files:,} files")
        return int(ExitCode.DIVERGED)
    print(f"equal: {found.files:,} files, {found.nbytes:,} bytes")
    return int(ExitCode.IDENTICAL)


if __name__ == "__main__":
    sys.exit(main())
