"""Two folders of stage files, compared by the files' bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cotrain import bits
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike


@dataclass(frozen=True)
class Difference:
    """A file that one folder lacks, or that differs."""

    file: str
    """Relative to the folders: ``S2/fc2.output.npy``."""
    reason: str
    """One line: who lacks it, or the first element that differs."""


@dataclass(frozen=True)
class Comparison:
    """What two folders have in common, and where they differ."""

    files: int
    """In either folder."""
    nbytes: int
    """Compared: of the files that both have."""
    differences: tuple[Difference, ...]


def compare(a: Path, b: Path) -> Comparison:
    """Every .npy file below each folder. CotrainError when one is no folder, unreadable, or holds none."""
    left, right = _files(a), _files(b)
    names = sorted({*left, *right})
    nbytes = 0
    differences = []
    for name in names:
        if name not in left or name not in right:
            differences.append(Difference(name, f"only in {a if name in left else b}"))
            continue
        x, y = _read(left[name]), _read(right[name])
        nbytes += min(len(x), len(y))
        if x != y:
            differences.append(Difference(name, _reason(left[name], right[name])))
    return Comparison(len(names), nbytes, tuple(differences))


def _files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise CotrainError(f"{folder} is no folder; --parity-dump writes one")
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.npy")}
    if not found:
        raise CotrainError(f"{folder} holds no .npy files: there is nothing to compare")
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CotrainError(f"{path} cannot be read: {error.strerror or error}") from None


def _reason(a: Path, b: Path) -> str:
    """Where the arrays of two differing files part, or what is wrong with the files."""
    return "; ".join(_elements(_load(a), _load(b)))


def _elements(left: ArrayLike | str, right: ArrayLike | str) -> Iterator[str]:
    if isinstance(left, str) or isinstance(right, str):
        yield from (text for text in (left, right) if isinstance(text, str))
        return
    if left.dtype != right.dtype or left.shape != right.shape:
        yield f"{left.dtype.name}{list(left.shape)} and {right.dtype.name}{list(right.shape)}"
        return
    try:
        found = bits.compare(left, right)
    except CotrainError as error:
        yield str(error)
        return
    if found.equal:
        yield "the arrays are equal, the files' headers differ"
        return
    index = list(bits.unflatten(found.first_index, left.shape))
    x, y = bits.hex_bits(found.reference_bits), bits.hex_bits(found.candidate_bits)
    yield f"{found.differing:,} of {left.size:,} elements differ, first {index}: {x} and {y}"


def _load(path: Path) -> ArrayLike | str:
    try:
        array: ArrayLike = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        return f"{path} is no array file: {error}"
    return array
