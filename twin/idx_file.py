"""Reads the IDX files of MNIST, plain or gzip, and explains in one sentence what is wrong with a bad one.

C#: ``dotnet/MnistMlp/IdxFile.cs``, with the same sentences.

Big-endian: magic, count, for images rows and columns, then one byte per pixel or label.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cotrain.errors import CotrainError

_IMAGE_MAGIC = 0x00000803
_LABEL_MAGIC = 0x00000801


def read_images(path: Path, rows: int, columns: int) -> npt.NDArray[np.uint8]:
    """Images as (count, rows * columns) uint8. CotrainError when the file is not what it should be."""
    content = _read(path)
    count = _header(content, path, "images", _IMAGE_MAGIC, 16)
    height, width = int.from_bytes(content[8:12]), int.from_bytes(content[12:16])
    if (height, width) != (rows, columns):
        raise CotrainError(f"{path} holds images of {height}x{width} pixels, the model takes {rows}x{columns}")
    _check_length(content, path, f"{count} images of {height}x{width}", 16 + count * rows * columns)
    return np.frombuffer(content, np.uint8, offset=16).reshape(count, rows * columns)


def read_labels(path: Path, classes: int) -> npt.NDArray[np.uint8]:
    """Labels as (count,) uint8, each below ``classes``. CotrainError as above."""
    content = _read(path)
    count = _header(content, path, "labels", _LABEL_MAGIC, 8)
    _check_length(content, path, f"{count} labels", 8 + count)
    labels = np.frombuffer(content, np.uint8, offset=8)
    bad = np.flatnonzero(labels >= classes)
    if bad.size:
        raise CotrainError(f"{path}: label {labels[bad[0]]} at index {bad[0]} is not a digit from 0 to {classes - 1}")
    return labels


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        if path.suffix == ".gz" and content:
            content = gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise CotrainError(f"{path} is not a complete gzip file") from None
    except OSError as error:
        raise CotrainError(f"{path} cannot be read: {error.strerror or error}") from None
    return content


def _header(content: bytes, path: Path, what: str, magic: int, size: int) -> int:
    if not content:
        raise CotrainError(f"{path} is empty")
    found = int.from_bytes(content[:4])
    if len(content) >= 4 and found != magic:
        raise CotrainError(
            f"{path} is not an IDX file of {what}: it starts with 0x{found:08X} instead of 0x{magic:08X}"
        )
    if len(content) < size:
        raise CotrainError(f"{path} is truncated: the header takes {size} bytes, it has {len(content)}")
    count = int.from_bytes(content[4:8])
    if count == 0:
        raise CotrainError(f"{path} holds no {what}")
    return count


def _check_length(content: bytes, path: Path, what: str, expected: int) -> None:
    if len(content) != expected:
        problem = "is truncated" if len(content) < expected else "is too long"
        raise CotrainError(f"{path} {problem}: {what} take {expected} bytes, it has {len(content)}")
