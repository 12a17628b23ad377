from __future__ import annotations

import errno
import gzip
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cotrain.clr.assemblies import require_built
from cotrain.errors import CotrainError, ExitCode
from twin import mnist_loader
from twin.mnist_loader import MnistData

USAGE = '--data takes "synthetic" or a directory with the four MNIST files'


def images(count: int, *, magic: int = 0x803, rows: int = 28, columns: int = 28) -> bytes:
    pixels = np.arange(count * rows * columns, dtype=np.uint32).astype(np.uint8).tobytes()
    return struct.pack(">IIII", magic, count, rows, columns) + pixels


def labels(count: int, *, magic: int = 0x801) -> bytes:
    return struct.pack(">II", magic, count) + bytes(index % 10 for index in range(count))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete small data set, in the four usual files."""
    (tmp_path / "train-images-idx3-ubyte").write_bytes(images(12))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(labels(12))
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(images(5))
    (tmp_path / "t10k-labels-idx1-ubyte").write_bytes(labels(5))
    return tmp_path


def sentence(path: Path) -> str:
    with pytest.raises(CotrainError) as caught:
        mnist_loader.load(str(path))
    assert caught.value.exit_code is ExitCode.USAGE
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_synthetic_data(data: MnistData) -> None:
    assert [array.shape for array in data] == [(6000, 784), (6000,), (1000, 784), (1000,)]
    assert [array.dtype.name for array in data] == ["float32", "uint8", "float32", "uint8"]
    assert data.train_y[:10].tolist() == [4, 0, 1, 5, 0, 3, 1, 2, 7, 0]


def test_synthetic_data_by_the_formula(data: MnistData) -> None:
    templates = (np.random.RandomState(42).random_sample((10, 784)) * 2 - 1).astype(np.float32)
    random = np.random.RandomState(44)
    drawn = random.randint(0, 10, 1000)
    noise = random.normal(0, 2.5, (1000, 784)).astype(np.float32)
    assert data.test_y.tobytes() == drawn.astype(np.uint8).tobytes()
    assert data.test_x.tobytes() == (templates[drawn] + noise).tobytes()


def test_idx_files_plain(folder: Path) -> None:
    data = mnist_loader.load(str(folder))
    assert [array.shape for array in data] == [(12, 784), (12,), (5, 784), (5,)]
    assert [array.dtype.name for array in data] == ["float32", "uint8", "float32", "uint8"]
    pixels = np.arange(12 * 784, dtype=np.uint32).astype(np.uint8).reshape(12, 784)
    assert data.train_x.tobytes() == (pixels * np.float32(1 / 255)).tobytes()
    assert data.train_x[0, 255].view(np.uint32) == 0x3F800000
    assert data.train_y.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]


def test_idx_files_gzipped_or_with_a_dot_in_the_name(folder: Path) -> None:
    expected = [array.tobytes() for array in mnist_loader.load(str(folder))]
    for path in list(folder.iterdir()):
        content, name = path.read_bytes(), path.name
        path.unlink()
        if name.startswith("train"):
            (folder / f"{name}.gz").write_bytes(gzip.compress(content))
        else:
            (folder / name.replace("-idx", ".idx")).write_bytes(content)
    assert [array.tobytes() for array in mnist_loader.load(str(folder))] == expected


BAD_FILES: list[tuple[str, str, bytes, str]] = [
    ("empty images", "train-images-idx3-ubyte", b"", "is empty"),
    ("empty labels", "t10k-labels-idx1-ubyte", b"", "is empty"),
    (
        "short header",
        "train-images-idx3-ubyte",
        images(12)[:15],
        "is truncated: the header takes 16 bytes, it has 15",
    ),
    (
        "three bytes",
        "train-labels-idx1-ubyte",
        b"\0\0\x08",
        "is truncated: the header takes 8 bytes, it has 3",
    ),
    (
        "labels as images",
        "train-images-idx3-ubyte",
        labels(12),
        "is not an IDX file of images: it starts with 0x00000801 instead of 0x00000803",
    ),
    (
        "images as labels",
        "t10k-labels-idx1-ubyte",
        images(5),
        "is not an IDX file of labels: it starts with 0x00000803 instead of 0x00000801",
    ),
    (
        "gzip without .gz",
        "train-images-idx3-ubyte",
        gzip.compress(images(12)),
        "is not an IDX file of images: it starts with 0x1F8B08",
    ),
    (
        "other size",
        "train-images-idx3-ubyte",
        images(12, rows=20, columns=27),
        "holds images of 20x27 pixels, the model takes 28x28",
    ),
    (
        "truncated images",
        "t10k-images-idx3-ubyte",
        images(5)[:-1],
        "is truncated: 5 images of 28x28 take 3936 bytes, it has 3935",
    ),
    (
        "truncated labels",
        "train-labels-idx1-ubyte",
        labels(12)[:-2],
        "is truncated: 12 labels take 20 bytes, it has 18",
    ),
    (
        "too long",
        "train-images-idx3-ubyte",
        images(12) + b"\0",
        "is too long: 12 images of 28x28 take 9424 bytes, it has 9425",
    ),
    (
        "a count that no memory holds",
        "train-labels-idx1-ubyte",
        struct.pack(">II", 0x801, 2**32 - 1),
        "is truncated: 4294967295 labels take 4294967303 bytes, it has 8",
    ),
    ("no images", "train-images-idx3-ubyte", images(0), "holds no images"),
    ("no labels", "t10k-labels-idx1-ubyte", labels(0), "holds no labels"),
    (
        "label 10",
        "train-labels-idx1-ubyte",
        labels(12)[:-1] + b"\x0a",
        ": label 10 at index 11 is not a digit from 0 to 9",
    ),
]


@pytest.mark.parametrize(
    ("file", "content", "problem"), [case[1:] for case in BAD_FILES], ids=[case[0] for case in BAD_FILES]
)
def test_bad_file(folder: Path, file: str, content: bytes, problem: str) -> None:
    (folder / file).write_bytes(content)
    said = sentence(folder)
    assert said.startswith(str(folder / file))
    assert said.removeprefix(str(folder / file)).strip().startswith(problem)
    assert len(said) - len(str(folder / file)) < 100


def test_counts_that_differ(folder: Path) -> None:
    (folder / "train-labels-idx1-ubyte").write_bytes(labels(11))
    assert sentence(folder) == (
        f"{folder / 'train-images-idx3-ubyte'} holds 12 images but {folder / 'train-labels-idx1-ubyte'} 11 labels"
    )


@pytest.mark.parametrize("keep", [0.5, 0.99, 0.001])
def test_truncated_gzip(folder: Path, keep: float) -> None:
    path = folder / "t10k-images-idx3-ubyte"
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    path = folder / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(packed[: max(1, int(len(packed) * keep))])
    assert sentence(folder) == f"{path} is not a complete gzip file"


def test_damaged_gzip(folder: Path) -> None:
    path = folder / "train-images-idx3-ubyte"
    packed = bytearray(gzip.compress(path.read_bytes()))
    path.unlink()
    packed[len(packed) // 2] ^= 0xFF
    path = folder / "train-images-idx3-ubyte.gz"
    path.write_bytes(packed)
    assert sentence(folder) == f"{path} is not a complete gzip file"
    path.write_bytes(b"no gzip at all")
    assert sentence(folder) == f"{path} is not a complete gzip file"
    path.write_bytes(b"")
    assert sentence(folder) == f"{path} is empty"


def test_missing_file(folder: Path) -> None:
    (folder / "t10k-labels-idx1-ubyte").unlink()
    assert sentence(folder) == (
        f"{folder} has no t10k-labels-idx1-ubyte (nor t10k-labels.idx1-ubyte, nor either with .gz): {USAGE}"
    )


def test_not_a_directory(tmp_path: Path) -> None:
    assert sentence(tmp_path / "no") == f"{tmp_path / 'no'} does not exist: {USAGE}"
    (tmp_path / "file").write_bytes(b"")
    assert sentence(tmp_path / "file") == f"{tmp_path / 'file'} is not a directory: {USAGE}"


def test_a_directory_in_place_of_a_file(folder: Path) -> None:
    path = folder / "train-images-idx3-ubyte"
    path.unlink()
    path.mkdir()
    assert sentence(folder).startswith(f"{path} cannot be read: ")


def test_unreadable_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert sentence(folder) == f"{folder / 'train-images-idx3-ubyte'} cannot be read: Permission denied"


def test_csharp_says_the_same(folder: Path) -> None:
    program = require_built() / "MnistMlp.dll"
    good = {path: path.read_bytes() for path in folder.iterdir()}
    cases = [(file, content) for _, file, content, _ in BAD_FILES]
    cases += [
        ("train-labels-idx1-ubyte", labels(11)),
        ("t10k-labels-idx1-ubyte", None),
        ("t10k-images-idx3-ubyte.gz", b"no gzip at all"),
        ("t10k-images-idx3-ubyte.gz", b""),
    ]
    for file, content in cases:
        for path, usual in good.items():
            path.write_bytes(usual)
        path = folder / file
        (folder / file.removesuffix(".gz")).unlink()
        if content is not None:
            path.write_bytes(content)
        assert csharp(program, folder) == f"error: {sentence(folder)}\n", file
        path.unlink(missing_ok=True)
    for path in (folder / "no", next(iter(good))):
        assert csharp(program, path) == f"error: {sentence(path)}\n"


def csharp(program: Path, data: Path) -> str:
    done = subprocess.run(
        ["dotnet", str(program), "--steps", "1", "--data", str(data)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr
