"""Every scalar is rounded at a documented point; the bits are those that C# has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cotrain.clr import Runtime
from twin import adam, scalar_audit, scalars
from twin.scalars import Row

ROOT = Path(__file__).resolve().parents[2]


ROWS = {(row.name, row.instead_of): row for row in scalars.rows()}


@pytest.fixture(scope="module")
def candidate(runtime: Runtime) -> dict[tuple[str, str], Row]:
    """The rows of C#."""
    return {(row.name, row.instead_of): row for row in scalars.candidate_rows()}


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        "lr": 0x3A83126F,
        "beta1": 0x3F666666,
        "one_minus_beta1": 0x3DCCCCD0,
        "beta2": 0x3F7FBE77,
        "one_minus_beta2": 0x3A831200,
        "epsilon": 0x33D6BF95,
        "clip": 0x33D6BF95,
        "factor_128": 0x3C000000,
        "pixel_factor": 0x3B808081,
    }.items(),
)
def test_bits(name: str, expected: int) -> None:
    """What the two files document, written down once more; the rest is on docs/scalars.md."""
    assert ROWS[name, ""].bits == f"0x{expected:08X}"


@pytest.mark.parametrize("key", ROWS, ids=" ".join)
def test_both_sides_have_the_bits(candidate: dict[tuple[str, str], Row], key: tuple[str, str]) -> None:
    ours, theirs = ROWS[key], candidate[key]
    assert (ours.dtype, ours.bits) == (theirs.dtype, theirs.bits), f"{ours.source} and {theirs.source}"


def test_both_sides_have_the_same_rows_in_the_same_order(candidate: dict[tuple[str, str], Row]) -> None:
    assert list(candidate) == list(ROWS)
    assert len(scalars.rows()) == len(ROWS)


@pytest.mark.parametrize("key", [key for key in ROWS if key[1]], ids=" ".join)
def test_a_pitfall_has_other_bits(key: tuple[str, str]) -> None:
    assert ROWS[key].bits != ROWS[key[1], ""].bits


def test_one_minus_beta_is_not_the_literal() -> None:
    assert ROWS["the literal", "one_minus_beta1"].bits == "0x3DCCCCCD"
    assert ROWS["in float64, then rounded", "one_minus_beta2"].bits == "0x3A83126F"


def test_page_is_current(runtime: Runtime) -> None:
    page = scalar_audit.page(scalars.rows(), scalars.candidate_rows())
    written = (ROOT / "docs" / "scalars.md").read_text(encoding="utf-8")
    assert written == page, "write it anew: python -m twin.scalar_audit --write docs/scalars.md"


def test_command_prints_the_page_and_fails_on_a_difference(
    runtime: Runtime, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scalar_audit.main([]) == 0
    assert ", none different" in capsys.readouterr().out
    first, *rest = scalars.candidate_rows()
    for candidate in ([first._replace(bits="0x3A831270"), *rest], rest, [*rest, first]):
        monkeypatch.setattr(scalar_audit, "candidate_rows", lambda candidate=candidate: candidate)
        assert scalar_audit.main([]) == 1
        out = capsys.readouterr().out
        assert ("1 different" in out) == ("**differs**" in out) == (candidate[-1] is not first)


def test_command_says_where_it_cannot_write(
    runtime: Runtime, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert scalar_audit.main(["--write", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path} cannot be written: Is a directory\n"


def test_a_trainer_that_is_not_what_its_formula_says_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adam, "ONE_MINUS_BETA1", np.float32(0.1))
    with pytest.raises(ValueError, match=r"one_minus_beta1 is float32\(1\) - beta1, 0x3DCCCCD0, but adam.ONE_MINUS"):
        scalars.rows()


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
