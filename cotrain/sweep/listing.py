"""The list of differing inputs: a text file, a line per input, hexadecimal bit patterns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cotrain.files import write_text
from cotrain.sweep.functions import Pair
from cotrain.sweep.progress import LISTED, Progress


def text(pair: Pair, progress: Progress, about: Mapping[str, Any]) -> str:
    """Comments that say what was compared under which pins, then ``0xINPUT 0xREFERENCE 0xCANDIDATE`` in order."""
    lines = [
        f"# float32 {pair.name} on bit patterns 0x00000000 to 0x{progress.position - 1:08X}: NumPy against {pair.side}",
        f"# {progress.differing} differ, at most {progress.max_ulp} ulp apart",
        *(f"# {key}: {value}" for key, value in about.items()),
        "# input reference candidate",
    ]
    if progress.differing > LISTED:
        lines.insert(2, f"# the first {LISTED} are listed")
    rows = ("0x{:08X} 0x{:08X} 0x{:08X}".format(*row) for row in progress.table().tolist())
    return "\n".join([*lines, *rows]) + "\n"


def write(pair: Pair, progress: Progress, about: Mapping[str, Any], path: Path) -> None:
    """Writes the list, whole or not at all."""
    write_text(path, text(pair, progress, about), "list of differing inputs")


def summary(pair: Pair, progress: Progress) -> str:
    """``exp, numsharp: 84 of 4,294,967,296 differ, at most 2 ulp, first 0x3F851592 (0x403504F2, 0x403504F4)``."""
    line = f"{pair.name}, {pair.side}: {progress.differing:,} of {progress.position:,} differ"
    if not progress.differing:
        return line
    first, reference, candidate = progress.table()[0].tolist()
    bits = f"first 0x{first:08X}: NumPy 0x{reference:08X}, {pair.side} 0x{candidate:08X}"
    return f"{line}, at most {progress.max_ulp:,} ulp apart, {bits}"
