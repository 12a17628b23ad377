"""The LSTM of examples/: identical for 200 steps, and a difference planted in its C# source is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lockstep.command import ROOT

from cotrain.clr import Runtime
from cotrain.errors import CotrainError
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, Verdict


@pytest.fixture
def lstm(tmp_path: Path) -> Path:
    """A copy of the folder, so that building leaves nothing in the checkout."""
    copy = tmp_path / "cotrain" / "examples"
    shutil.copytree(ROOT / "examples", copy, ignore=shutil.ignore_patterns("bin", "obj", "__pycache__"))
    return copy / "lstm"


def run(lstm: Path, written: str = "", hasty: str = "") -> Result:
    """Compiles and runs it, with a piece of the C# source as a hasty port might have it."""
    source = lstm / "Trainer.cs"
    if written:
        assert source.read_text().count(written) == 1
        source.write_text(source.read_text().replace(written, hasty))
    with Pair.load(f"{lstm / 'lstm.py'}:create", f"{lstm / 'Lstm.csproj'}:Lstm.Trainer") as pair:
        return pair.run(200)


def test_identical_for_200_steps(runtime: Runtime, lstm: Path) -> None:
    result = run(lstm)
    assert (result.verdict, result.steps) == (Verdict.IDENTICAL, 200), result.error
    # The code of before would run.
    with pytest.raises(CotrainError, match=r"Lstm.dll.* was compiled anew since it was loaded: start a new process"):
        run(lstm, "np.tanh(Gate(gates, 3))", "np.tanh(Gate(gates, 2))")


@pytest.mark.full
def test_a_hasty_port_is_found(runtime: Runtime, lstm: Path) -> None:
    hasty = run(lstm, "np.tanh(Gate(gates, 3))", "np.tanh(Gate(gates, 2))")
    assert hasty.first is not None
    assert (hasty.first.place.step, hasty.first.tap, hasty.first.origin) == (0, "t0.c", True)


def test_a_port_that_does_not_compile(runtime: Runtime, lstm: Path) -> None:
    with pytest.raises(CotrainError) as caught:
        run(lstm, "NDArray squashed = np.tanh(c)", "NDArray squashed = np.tanch(c)")
    assert str(caught.value).startswith("Lstm.csproj does not compile: Trainer.cs(")
    assert "'np' does not contain a definition for 'tanch'" in str(caught.value)
    assert str(lstm) not in str(caught.value)
