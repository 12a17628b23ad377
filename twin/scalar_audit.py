"""``docs/scalars.md``: the scalars of both running sides beside each other.

C#: the rows come from ``dotnet/MnistMlp/Scalars.cs``, this side's from ``scalars.py``.

    python -m twin.scalar_audit [--write docs/scalars.md]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cotrain.errors import CotrainError
from twin.scalars import Row, candidate_rows, rows


def page(reference: Sequence[Row], candidate: Sequence[Row]) -> str:
    """``docs/scalars.md`` from both sides' rows, matched by name; a row that one side lacks differs."""
    there = {(row.name, row.instead_of): row for row in candidate}
    here = {(row.name, row.instead_of): row for row in reference}
    differing = sum(not _equal(row, there.get(key)) for key, row in here.items()) + len(there.keys() - here.keys())
    lines = [
        "# The trainer's scalars",
        "",
        "Written by `python -m twin.scalar_audit --write docs/scalars.md` from both running sides; do not edit.",
        "",
        f"{len(here)} rows, {differing or 'none'} different between NumPy and C#. In a formula each operator rounds",
        "once, to the type of its operands; names are those of the rows above. Beside it stands where the trainer",
        "has the value; where NumPy's cell is empty it is an intermediate, which no trainer keeps.",
        "",
        "| scalar | formula | NumPy | its bits | C# | its bits | |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_line(row, there.get(key)) for key, row in here.items() if not row.instead_of]
    lines += [
        "",
        "## Not to be mistaken for",
        "",
        "Expressions that look the same and are not: on both sides they have other bits than the scalar.",
        "",
        "| scalar | its bits | instead of it | formula | NumPy | C# | its bits | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, row in here.items():
        if row.instead_of:
            other = there.get(key)
            right = here[row.instead_of, ""].bits
            cells = (row.instead_of, f"`{right}`", row.name, f"`{row.formula}`", f"`{row.bits}`")
            lines.append(f"| {' | '.join((*cells, *_source_and_bits(other)))} | {_verdict(row, other)} |")
    return "\n".join(lines) + "\n"


def comparable(rows: Sequence[Row]) -> list[tuple[str, str, str, str]]:
    """What has to be equal on both sides, in order."""
    return [(row.name, row.instead_of, row.dtype, row.bits) for row in rows]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the page or writes it; returns 1 when a row differs between the sides."""
    parser = argparse.ArgumentParser(prog="python -m twin.scalar_audit", description="The scalar audit.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="instead of printing it")
    options = parser.parse_args(arguments)
    try:
        reference, candidate = rows(), candidate_rows()
        text = page(reference, candidate)
        if options.write is None:
            print(text, end="")
        else:
            options.write.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        print(f"error: {options.write} cannot be written: {error.strerror or error}", file=sys.stderr)
        return 2
    except CotrainError as error:
        print(f"error: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 0 if comparable(reference) == comparable(candidate) else 1


def _equal(row: Row, other: Row | None) -> bool:
    return other is not None and (row.dtype, row.bits) == (other.dtype, other.bits)


def _verdict(row: Row, other: Row | None) -> str:
    return "equal" if _equal(row, other) else "**differs**"


def _source_and_bits(row: Row | None) -> tuple[str, str]:
    return ("missing", "") if row is None else (f"`{row.source}`", f"`{row.bits}`")


def _line(row: Row, other: Row | None) -> str:
    source = f"`{row.source}`" if row.source != row.formula else ""
    cells = (row.name, f"`{row.formula}`", source, f"`{row.bits}`", *_source_and_bits(other))
    return f"| {' | '.join(cells)} | {_verdict(row, other)} |"


if __name__ == "__main__":
    sys.exit(main())
