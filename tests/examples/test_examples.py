"""The examples: equal for 200 steps, and a difference planted in either side is found where it is."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from lockstep.command import ROOT, lockstep

from cotrain import Injection, Pair
from cotrain.clr import Runtime, project

EXAMPLES = {"logistic_regression": "LogisticRegression", "convolution": "Convolution"}
Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build(runtime: Runtime, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles an example, as it is or with one text of its C# file replaced; each once."""
    made: dict[tuple[str, ...], Path] = {}

    def compile_once(example: str, *change: str) -> Path:
        key = (example, *change)
        if key not in made:
            folder = tmp_path_factory.mktemp("example") / example
            shutil.copytree(ROOT / "examples" / example, folder, ignore=shutil.ignore_patterns("bin", "obj"))
            if change:
                source = folder / f"{EXAMPLES[example]}.cs"
                assert source.read_text().count(change[0]) == 1
                source.write_text(source.read_text().replace(*change))
            made[key] = project.build(folder / f"{EXAMPLES[example]}.csproj")
        return made[key]

    return compile_once


def reference(example: str) -> str:
    return f"{ROOT / 'examples' / example / example}.py:create"


def python_side(example: str) -> ModuleType:
    """A copy of the example's module, to be changed."""
    spec = importlib.util.spec_from_file_location(f"changed_{example}", reference(example).removesuffix(":create"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(example: str, assembly: Path, **options: Any) -> Pair:
    return Pair.load(reference(example), f"{assembly}:Examples.{EXAMPLES[example]}", options=options)


@pytest.mark.parametrize("example", EXAMPLES)
def test_200_steps_are_equal(build: Build, example: str) -> None:
    with load(example, build(example)) as pair:
        result = pair.run(200)
    assert result.verdict == "identical"
    assert result.compared.taps == 200 * {"logistic_regression": 11, "convolution": 13}[example]
    losses = result.series["loss"]
    assert losses.reference == losses.candidate
    assert losses.reference[-1] < losses.reference[0] / 3  # it does learn
    assert all(sides["reference"] == sides["candidate"] for sides in result.weights_sha256.values())


@pytest.mark.parametrize("example", EXAMPLES)
def test_options_reach_both_sides(build: Build, example: str) -> None:
    with load(example, build(example)) as pair:
        plain = pair.run(5).weights_sha256
    for options in ({"seed": 7}, {"rate": "0.01"}):
        with load(example, build(example), **options) as pair:
            result = pair.run(5)
        assert result.verdict == "identical"
        assert result.weights_sha256 != plain


@pytest.mark.parametrize(("example", "tap"), [("logistic_regression", "grad.w"), ("convolution", "momentum.b")])
def test_a_flipped_bit_is_found(build: Build, example: str, tap: str) -> None:
    with load(example, build(example)) as pair:
        found = pair.run(200, inject=[Injection(100, tap, 0, 0)]).first
    assert found is not None
    assert (found.place.step, found.tap, found.flat_index, found.origin) == (100, tap, 0, True)


@pytest.mark.parametrize(
    ("example", "attribute", "step", "tap"),
    [("logistic_regression", "rate", 0, "w"), ("convolution", "decay", 1, "momentum.w")],
)
def test_a_constant_one_ulp_off_in_python(build: Build, example: str, attribute: str, step: int, tap: str) -> None:
    module = python_side(example)

    def changed(options: Mapping[str, Any]) -> Any:
        trainer = module.create(options)
        setattr(trainer, attribute, np.nextafter(getattr(trainer, attribute), np.float32(2)))
        return trainer

    with Pair.load(changed, f"{build(example)}:Examples.{EXAMPLES[example]}") as pair:
        found = pair.run(200).first
    assert found is not None
    assert (found.place.step, found.tap, found.origin) == (step, tap, True)


CHANGES = [
    ("logistic_regression", "(1f / _batch)", "(1.0000001f / _batch)", 0, "grad.logits"),
    ("logistic_regression", "(p - labels)", "(labels - p)", 0, "grad.logits"),
    ("logistic_regression", "product + _b", "product - _b", 1, "logits"),
    ("convolution", "Decay = 0.9f", "Decay = 0.90000004f", 1, "momentum.w"),
    ("convolution", "(preact > 0f)", "(preact >= 0f)", None, ""),
    ("convolution", "momentum * _rate", "gradient * _rate", 1, "w"),
]


@pytest.mark.full
@pytest.mark.parametrize(("example", "text", "instead", "step", "tap"), CHANGES)
def test_a_mistake_in_the_port(build: Build, example: str, text: str, instead: str, step: int | None, tap: str) -> None:
    """Found at its first step and tap; one that changes no bit (no preact is exactly 0) is none."""
    with load(example, build(example, text, instead)) as pair:
        result = pair.run(200)
    if step is None:
        assert result.verdict == "identical"
        return
    assert result.first is not None
    assert (result.first.place.step, result.first.tap, result.first.origin) == (step, tap, True)
    assert str(result.first.candidate_source).startswith(f"{EXAMPLES[example]}.cs:")


def test_without_the_declaration_another_order_is_structural(build: Build) -> None:
    module = python_side("convolution")

    def strict(options: Mapping[str, Any]) -> Any:
        trainer = module.create(options)
        trainer.any_order = ()
        return trainer

    with Pair.load(strict, f"{build('convolution')}:Examples.Convolution") as pair:
        result = pair.run(3)
    assert result.structural is not None
    assert (
        result.structural.reason == "the taps come in another order: grad.w in the reference, grad.b in the candidate"
    )


@pytest.mark.full
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_one_command_of_the_readme(runtime: Runtime, example: str) -> None:
    [command] = re.findall(
        r"^scripts/lockstep (.*)$", (ROOT / "examples" / example / "README.md").read_text(), re.MULTILINE
    )
    done = lockstep(*command.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert "identical: 200 steps" in done.stdout
