"""Known differences between NumSharp and NumPy. No entries yet."""

from __future__ import annotations

from typing import NamedTuple

from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike


class Occurrence(NamedTuple):
    """One differing tap."""

    op: str
    inputs: tuple[ArrayLike | None, ...]
    reference: ArrayLike
    candidate: ArrayLike
    gemm: str
    math: str


class Entry(NamedTuple):
    """A known difference."""

    name: str


def could_match(op: str, dtype: str, *, gemm: str, math: str) -> bool:
    """Whether an entry is about such an operation."""
    return False


def match(occurrence: Occurrence) -> Entry | None:
    """The entry that explains all differing elements."""
    return None


def select(text: str) -> frozenset[str]:
    """The entries that ``--allow`` names."""
    if text == "all":
        return frozenset()
    raise CotrainError(f"the ledger has no entry {text}")
