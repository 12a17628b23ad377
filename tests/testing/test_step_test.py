"""Steps of a pair as a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lockstep import tiny

from cotrain import CotrainError
from cotrain.testing import Diverged, Gemm, StepTest


@pytest.fixture
def arguments(tiny_assembly: Path) -> dict[str, Any]:
    return {"reference": tiny.create, "candidate": f"{tiny_assembly}:TinyTrainer.Trainer"}


def test_a_pair_of_ones_own(lockstep: Any, arguments: dict[str, Any]) -> None:
    result = lockstep(5, **arguments)
    assert (result.verdict, result.steps, result.total_steps) == ("identical", 5, 5)
    assert lockstep(2, options={"steps": 9}, **arguments).steps == 2
    assert lockstep.results[0] is result


def test_a_difference_fails_with_the_card_unless_told_otherwise(lockstep: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(Diverged) as caught:
        lockstep(5, options={"fault": "value"}, **arguments)
    assert str(caught.value).startswith("divergence at step 2, total (origin)\n  where      step 2 (epoch 0, batch 2)")
    assert caught.value.result.verdict == "diverged"
    assert lockstep(5, options={"fault": "value"}, check=False, on_diff="continue", **arguments).steps == 5
    assert lockstep(5, options={"fault": "value"}, taps="count", **arguments).verdict == "identical"


def test_a_trainer_that_throws_and_arguments_that_do_not_fit(lockstep: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(Diverged, match=r"^error: 2 steps.*\nthe candidate threw in step 2, after tap count: Invalid"):
        lockstep(5, options={"fault": "throw"}, **arguments)
    with pytest.raises(CotrainError, match=r"^no tap of this run matches 'nothing'"):
        lockstep(5, taps="nothing", **arguments)
    assert lockstep(5, **arguments).verdict == "identical"  # the pairs before are closed


def test_the_backend_chosen_last_is_the_pairs(runtime: Any, arguments: dict[str, Any]) -> None:
    with Gemm("openblas") as gemm:
        run = StepTest(gemm=gemm)
        assert run(1, **arguments).pins["gemm"] == "openblas"
        gemm("native")
        assert run(1, **arguments).pins["gemm"] == "native"
        assert run(1, gemm="openblas", math="numsharp", **arguments).pins["gemm"] == "openblas"
