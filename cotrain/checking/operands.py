"""Operands as a command line spells them: a file, or numbers made from a few words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike

USAGE = (
    "an operand is a .npy file, random:DTYPE:SHAPE[:SEED], zeros:DTYPE:SHAPE, ones:DTYPE:SHAPE, arange:DTYPE:SHAPE, "
    "or bits:DTYPE:0x3F800000,...; DTYPE as in NumPy (f4, float32), SHAPE as 128x784, () or 12"
)
_LARGEST = 1 << 31
_FORTRAN = ":F"


def parse(text: str) -> ArrayLike:
    """The array that a text describes, C-ordered; Fortran-ordered with ``:F`` at the end. CotrainError otherwise."""
    order = "C"
    if text.endswith(_FORTRAN):
        text, order = text.removesuffix(_FORTRAN), "F"
    kind, _, rest = text.partition(":")
    if kind not in _KINDS:
        return _ordered(_load(Path(text)), order)
    words = rest.split(":")
    if len(words) not in (2, 3) or (len(words) == 3 and kind != "random"):
        raise CotrainError(f"cannot read the operand {text!r}; {USAGE}")
    dtype = _dtype(words[0], text)
    return _ordered(_KINDS[kind](dtype, words[1:], text), order)


def _ordered(array: ArrayLike, order: str) -> ArrayLike:
    return np.asfortranarray(array) if order == "F" else np.asarray(array, order="C")


def _random(dtype: np.dtype[np.generic], words: list[str], text: str) -> ArrayLike:
    """Normal deviates; whole numbers of the dtype's range up to ±1000; seed 0 unless given."""
    shape = _shape(words[0], dtype, text)
    generator = np.random.default_rng(_number(words[1], text) if len(words) > 1 else 0)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.name)
        return generator.integers(max(limits.min, -1000), min(limits.max, 1000) + 1, shape).astype(dtype)
    values = generator.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * generator.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def _zeros(dtype: np.dtype[np.generic], words: list[str], text: str) -> ArrayLike:
    return np.zeros(_shape(words[0], dtype, text), dtype)


def _ones(dtype: np.dtype[np.generic], words: list[str], text: str) -> ArrayLike:
    return np.ones(_shape(words[0], dtype, text), dtype)


def _arange(dtype: np.dtype[np.generic], words: list[str], text: str) -> ArrayLike:
    shape = _shape(words[0], dtype, text)
    return np.arange(int(np.prod(shape, dtype=np.int64))).astype(dtype).reshape(shape)


def _bits(dtype: np.dtype[np.generic], words: list[str], text: str) -> ArrayLike:
    """Elements by their bit patterns, a 1-d array."""
    patterns = [_number(word, text) for word in words[0].split(",")]
    if any(pattern >> (8 * dtype.itemsize) for pattern in patterns):
        raise CotrainError(f"the operand {text!r} has a pattern of more than {8 * dtype.itemsize} bits")
    raw = b"".join(pattern.to_bytes(dtype.itemsize, "little") for pattern in patterns)
    return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype)


_KINDS: dict[str, Callable[[np.dtype[np.generic], list[str], str], ArrayLike]] = {
    "random": _random,
    "zeros": _zeros,
    "ones": _ones,
    "arange": _arange,
    "bits": _bits,
}


def _load(path: Path) -> ArrayLike:
    if path.suffix != ".npy":
        raise CotrainError(f"cannot read the operand {str(path)!r}; {USAGE}")
    try:
        loaded: ArrayLike = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise CotrainError(f"there is no file {path}") from None
    except (OSError, ValueError, EOFError) as error:
        raise CotrainError(f"{path} is no array file: {error}") from None
    return loaded


def _dtype(word: str, text: str) -> np.dtype[np.generic]:
    try:
        dtype = np.dtype(word)
    except TypeError:
        raise CotrainError(f"the operand {text!r} has no dtype of NumPy: {word!r}") from None
    if dtype.kind not in "biufc" or dtype.char in "gG":
        raise CotrainError(f"the operand {text!r} is of dtype {dtype}; numbers and bool can be compared bit for bit")
    return dtype


def _shape(word: str, dtype: np.dtype[np.generic], text: str) -> tuple[int, ...]:
    extents = re.findall(r"\d+", word)
    if not re.fullmatch(r"\(\)|\(?\d+([x,]\d+)*,?\)?", word.replace(" ", "")):
        raise CotrainError(f"the operand {text!r} has no shape as 128x784, () or 12: {word!r}")
    shape = tuple(map(int, extents))
    if int(np.prod([float(extent) for extent in shape])) * dtype.itemsize > _LARGEST:
        raise CotrainError(f"the operand {text!r} takes more than {_LARGEST >> 30} GiB")
    return shape


def _number(word: str, text: str) -> int:
    try:
        number = int(word, 0)
    except ValueError:
        number = -1
    if number < 0:
        raise CotrainError(f"the operand {text!r} has {word!r} where a whole number stands")
    return number
