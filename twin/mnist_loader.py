"""The training and test data: drawn from fixed seeds, or MNIST's four IDX files.

C#: ``dotnet/MnistMlp/MnistLoader.cs``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cotrain.errors import CotrainError
from twin.buffers import Float32
from twin.idx_file import read_images, read_labels

ROWS, COLUMNS = 28, 28
FEATURES = ROWS * COLUMNS
CLASSES = 10

NOISE = 2.5
"""Standard deviation of the synthetic samples around their template; float64, as all draws are."""
PIXEL_FACTOR = np.float32(1) / np.float32(255)

_USAGE = '--data takes "synthetic" or a directory with the four MNIST files'


class MnistData(NamedTuple):
    """Samples as (count, 784) float32, labels as (count,) uint8 from 0 to 9."""

    train_x: Float32
    train_y: npt.NDArray[np.uint8]
    test_x: Float32
    test_y: npt.NDArray[np.uint8]


def load(data: str) -> MnistData:
    """The data that ``--data`` names; CotrainError, one sentence, when it cannot be used."""
    return _synthetic() if data == "synthetic" else _from_directory(Path(data))


@cache
def _synthetic() -> MnistData:
    """6,000 training and 1,000 test samples: a template per class, and noise. Drawn once, read-only."""
    templates = stretched(np.random.RandomState(42).random_sample((CLASSES, FEATURES)))
    data = MnistData(*_draw(43, 6000, templates), *_draw(44, 1000, templates))
    for array in data:
        array.flags.writeable = False
    return data


def stretched(uniform: npt.NDArray[np.float64]) -> Float32:
    """Draws from 0 to 1, stretched to -1 to 1 in float64 and only then rounded."""
    return (uniform * 2.0 - 1.0).astype(np.float32)


def _draw(seed: int, count: int, templates: Float32) -> tuple[Float32, npt.NDArray[np.uint8]]:
    random = np.random.RandomState(seed)
    # 32-bit labels on both sides, drawn first; they are stored as bytes, as in an IDX file.
    labels = random.randint(0, CLASSES, count, dtype=np.int32)
    x = random.normal(0.0, NOISE, (count, FEATURES)).astype(np.float32)
    np.add(templates[labels], x, out=x)
    return x, labels.astype(np.uint8)


def _from_directory(directory: Path) -> MnistData:
    if not directory.exists():
        raise CotrainError(f"{directory} does not exist: {_USAGE}")
    if not directory.is_dir():
        raise CotrainError(f"{directory} is not a directory: {_USAGE}")
    return MnistData(*_read(directory, "train"), *_read(directory, "t10k"))


def _read(directory: Path, split: str) -> tuple[Float32, npt.NDArray[np.uint8]]:
    image_path = _find(directory, f"{split}-images", "idx3-ubyte")
    label_path = _find(directory, f"{split}-labels", "idx1-ubyte")
    pixels = read_images(image_path, ROWS, COLUMNS)
    labels = read_labels(label_path, CLASSES)
    if len(pixels) != len(labels):
        raise CotrainError(f"{image_path} holds {len(pixels)} images but {label_path} {len(labels)} labels")
    # The factor is rounded to float32 first (0x3B808081), then the product: not a division by 255.
    x = pixels.astype(np.float32)
    np.multiply(x, PIXEL_FACTOR, out=x)
    return x, labels


def _find(directory: Path, name: str, suffix: str) -> Path:
    """The file of either usual spelling, plain before gzip."""
    candidates = [f"{name}-{suffix}", f"{name}.{suffix}", f"{name}-{suffix}.gz", f"{name}.{suffix}.gz"]
    for candidate in candidates:
        if (directory / candidate).exists():
            return directory / candidate
    raise CotrainError(f"{directory} has no {candidates[0]} (nor {candidates[1]}, nor either with .gz): {_USAGE}")
