"""The pairs of examples/: identical for 200 steps, and a difference planted in the C# source of each is found."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from lockstep.command import ROOT

from cotrain.clr import Runtime
from cotrain.errors import CotrainError
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, Verdict


class Example(NamedTuple):
    project: str
    source: str
    type_name: str
    written: str
    """A piece of the C# source ..."""
    hasty: str
    """... and what a hasty port might have in its place."""
    found: tuple[int, str]
    """The step and the tap where that shows first."""

    @property
    def module(self) -> str:
        return {"LogisticRegression": "logistic_regression"}.get(self.project, self.project.lower())


EXAMPLES = [
    Example(
        "LogisticRegression",
        "LogisticRegression.cs",
        "Examples.LogisticRegression",
        "np.sum(gradient, axis: 0)",
        'np.sum(gradient["1:"], axis: 0)',
        (0, "grad.b"),
    ),
    Example(
        "Convolution",
        "Convolution.cs",
        "Examples.Convolution",
        "momentum * Decay",
        "momentum * (1f - Decay)",
        (1, "momentum.w"),
    ),
    Example("Lstm", "Trainer.cs", "Lstm.Trainer", "np.tanh(Gate(gates, 3))", "np.tanh(Gate(gates, 2))", (0, "t0.c")),
]


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the folder, so that building leaves nothing in the checkout."""
    copy = tmp_path / "cotrain" / "examples"
    shutil.copytree(ROOT / "examples", copy, ignore=shutil.ignore_patterns("bin", "obj", "__pycache__"))
    return copy


def run(examples: Path, example: Example) -> Result:
    folder = examples / example.module
    reference = f"{folder / example.module}.py:create"
    with Pair.load(reference, f"{folder / example.project}.csproj:{example.type_name}") as pair:
        return pair.run(200)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.module)
def test_identical_for_200_steps(runtime: Runtime, examples: Path, example: Example) -> None:
    result = run(examples, example)
    assert (result.verdict, result.steps) == (Verdict.IDENTICAL, 200), result.error


SLOW = [EXAMPLES[0], *(pytest.param(example, marks=pytest.mark.full) for example in EXAMPLES[1:])]


@pytest.mark.parametrize("example", SLOW, ids=lambda example: example.module)
def test_a_hasty_port_is_found(runtime: Runtime, examples: Path, example: Example) -> None:
    source = examples / example.module / example.source
    text = source.read_text()
    assert text.count(example.written) == 1
    source.write_text(text.replace(example.written, example.hasty))
    result = run(examples, example)
    assert result.verdict is Verdict.DIVERGED
    assert result.first is not None
    assert (result.first.place.step, result.first.tap, result.first.origin) == (*example.found, True)


def test_a_port_that_does_not_compile(runtime: Runtime, examples: Path) -> None:
    source = examples / "lstm" / "Trainer.cs"
    source.write_text(source.read_text().replace("np.tanh(c)", "np.tanch(c)"))
    with pytest.raises(CotrainError) as caught:
        run(examples, EXAMPLES[2])
    assert str(caught.value).startswith("Lstm.csproj does not compile: Trainer.cs(")
    assert "'np' does not contain a definition for 'tanch'" in str(caught.value)
    assert str(examples) not in str(caught.value)
