"""Lists of all inputs on which a function differs: text files, one line ``0xINPUT 0xREFERENCE 0xCANDIDATE`` per input.

Lines that begin with ``#`` say under which pins a list was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import resources


class Differing(Mapping[int, tuple[int, int]]):
    """A list by its file's name: bits of the input -> bits of reference and candidate. Read at first use."""

    def __init__(self, file: str) -> None:
        self.file = file

    @cached_property
    def _rows(self) -> dict[int, tuple[int, int]]:
        return parse(resources.files(__name__).joinpath(self.file).read_text("utf-8"))

    def __getitem__(self, key: int) -> tuple[int, int]:
        return self._rows[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def parse(text: str) -> dict[int, tuple[int, int]]:
    """The rows of a list. ValueError when a line has not three numbers, or an input comes twice."""
    rows: dict[int, tuple[int, int]] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, reference, candidate = (int(word, 16) for word in line.split())
        if key in rows:
            raise ValueError(f"input {key:#x} comes twice")
        rows[key] = reference, candidate
    return rows


EXP_FLOAT32 = Differing("exp_float32.txt")
"""float32 exp: 84 of all 2^32 inputs."""
