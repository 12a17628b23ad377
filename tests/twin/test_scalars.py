"""Every scalar is rounded to float32 at a documented point; the bits are those that C# has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from twin import adam, softmax_cross_entropy

ROOT = Path(__file__).resolve().parents[2]


def bits(value: np.float32) -> int:
    assert value.dtype == np.float32
    return int(value.view(np.uint32))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (adam.LEARNING_RATE, 0x3A83126F),
        (adam.BETA1, 0x3F666666),
        (adam.ONE_MINUS_BETA1, 0x3DCCCCD0),
        (adam.BETA2, 0x3F7FBE77),
        (adam.ONE_MINUS_BETA2, 0x3A831200),
        (adam.EPSILON, 0x33D6BF95),
        (softmax_cross_entropy.CLIP, 0x33D6BF95),
        (np.float32(1) / np.float32(128), 0x3C000000),
        (np.float32(1) / np.float32(255), 0x3B808081),
    ],
)
def test_bits(value: np.float32, expected: int) -> None:
    assert bits(value) == expected


def test_one_minus_beta_is_not_the_literal() -> None:
    assert bits(np.float32(0.1)) == 0x3DCCCCCD
    assert bits(np.float32(1 - 0.999)) == 0x3A83126F


@pytest.mark.parametrize(
    ("python", "csharp"),
    [
        ("adam.py", ["Adam.cs"]),
        ("softmax_cross_entropy.py", ["SoftmaxCrossEntropy.cs"]),
        ("mnist_loader.py", ["MnistLoader.cs"]),
    ],
)
def test_both_sides_document_the_same_bits(python: str, csharp: list[str]) -> None:
    def documented(path: Path) -> set[str]:
        return set(re.findall(r"0x[0-9A-F]{8}", path.read_text(encoding="utf-8")))

    there = set().union(*(documented(ROOT / "dotnet" / "MnistMlp" / name) for name in csharp))
    assert documented(ROOT / "twin" / python) == there != set()


def test_products_of_the_betas_are_running_float32_products() -> None:
    one, other = adam.Adam(), adam.Adam()
    one.reset()
    expected = np.float32(1)
    for _ in range(50):
        list(other.advance(one))
        expected *= np.float32(0.9)
        assert other.beta1_product.value.tobytes() == expected.tobytes()
        assert other.correction1.tobytes() == (np.float32(1) - expected).tobytes()
        one, other = other, one


def test_files_of_both_sides_name_each_other() -> None:
    for path in (ROOT / "twin").glob("*.py"):
        if path.name in ("__init__.py", "buffers.py"):
            continue
        named = re.findall(r"\w+\.cs", path.read_text(encoding="utf-8"))
        assert named, path.name
        for name in named:
            source = (ROOT / "dotnet" / "MnistMlp" / name).read_text(encoding="utf-8")
            assert f"twin/{path.name}" in source, f"{name} does not name {path.name}"
