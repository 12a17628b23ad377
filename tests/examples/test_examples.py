"""The pairs of examples/: identical for 200 steps, and a planted difference in each is found."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from lockstep.command import ROOT

from cotrain.clr import Runtime
from cotrain.errors import CotrainError
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, Verdict

Run = Callable[..., Result]
PLANTED = {"logistic": "grad.w", "lstm": "t2.grad.gates"}


@pytest.fixture(scope="module", params=PLANTED)
def example(request: pytest.FixtureRequest, runtime: Runtime, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of an example's folder, so that building leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("examples") / request.param
    shutil.copytree(ROOT / "examples" / request.param, copy, ignore=shutil.ignore_patterns("bin", "obj", "__pycache__"))
    return copy


def run(example: Path, steps: int, **options: str) -> Result:
    project = example.name.capitalize()
    places = (f"{example / example.name}.py:create", f"{example / project}.csproj:{project}.Trainer")
    with Pair.load(*places, options=options) as pair:
        return pair.run(steps)


def test_identical_for_200_steps_and_a_planted_difference_is_found(example: Path) -> None:
    result = run(example, 200)
    assert (result.verdict, result.steps) == (Verdict.IDENTICAL, 200), result
    loss = result.series["loss"].reference
    assert loss[-1] < 0.8 * loss[0]  # it learns something
    planted = run(example, 200, plant="1")
    assert planted.verdict is Verdict.DIVERGED
    assert planted.first is not None
    assert (planted.first.place.step, planted.first.tap, planted.first.origin) == (0, PLANTED[example.name], True)


def test_a_project_that_does_not_compile(runtime: Runtime, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "logistic", tmp_path / "broken", ignore=shutil.ignore_patterns("bin", "obj"))
    source = tmp_path / "broken" / "Trainer.cs"
    source.write_text(source.read_text().replace("np.negative(logits)", "np.negatif(logits)"))
    with pytest.raises(CotrainError) as caught:
        Pair.load(
            f"{tmp_path / 'broken' / 'logistic.py'}:create",
            f"{tmp_path / 'broken' / 'Logistic.csproj'}:Logistic.Trainer",
        )
    assert str(caught.value).startswith("Logistic.csproj does not compile: Trainer.cs(")
    assert "'np' does not contain a definition for 'negatif'" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
