"""The stages of a training: which hold, which failed, which were not reached."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cotrain.lockstep.gates import Gates
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, StageState
from cotrain.protocol import Stage

LETTERS = {StageState.HOLDS: "h", StageState.FAILED: "F", StageState.NOT_REACHED: "."}


def stages(result: Result) -> str:
    """A letter per stage: h holds, F failed, . not reached."""
    return "".join(LETTERS[outcome.state] for outcome in result.stages)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (None, "hhhhhhhh"),
        ("0:fc1.preact", "hhF....."),
        ("0:loss.exps", "hhhF...."),
        ("0:metrics.argmax", "hhhF...."),
        ("0:fc1.grad.w", "hhhhF..."),
        ("0:adam.fc2.b.v", "hhhhhF.."),
        ("1:fc1.preact", "hhhhhhF."),
        ("45:adam.fc2.b.p", "hhhhhhF."),
        ("46:fc1.preact", "hhhhhhhF"),
        ("49:adam.fc2.b.p", "hhhhhhhF"),
    ],
)
def test_a_difference_fails_the_stage_it_belongs_to(
    flagship: Callable[..., Pair], place: str | None, expected: str
) -> None:
    injections = [Injection.parse(f"{place}:0:0")] if place else []
    result = flagship(50).run(inject=injections)
    assert stages(result) == expected


def test_a_run_too_short_for_a_stage(flagship: Callable[..., Pair]) -> None:
    result = flagship(10).run()
    assert stages(result) == "hhhhhh.h"
    assert result.stages[6].step == 45
    assert result.stages[7].step == 9


def test_a_run_in_parts_passes_each_stage_once(flagship: Callable[..., Pair]) -> None:
    pair = flagship(48)
    seen = [stages(pair.run(steps)) for steps in (1, 44, 1, 2)]
    assert seen == ["hhhhhh..", "hhhhhh..", "hhhhhhh.", "hhhhhhhh"]


def test_going_on_with_a_difference_fails_every_later_stage(flagship: Callable[..., Pair]) -> None:
    result = flagship(50).run(on_diff="continue", inject=[Injection.parse("0:fc1.grad.w:0:30")])
    assert stages(result) == "hhhhFFFF"


def test_differences_that_are_not_selected_fail_no_stage(flagship: Callable[..., Pair]) -> None:
    result = flagship(50).run(taps="adam.fc2.b.p", inject=[Injection.parse("49:loss.mean:0:0")])
    assert stages(result) == "hhhhhhhh"


def test_a_trainer_without_stages_has_none(tiny_pair: Callable[..., Pair]) -> None:
    assert tiny_pair().run().stages == []


def test_a_stage_at_the_end_of_a_run_without_end_is_never_reached() -> None:
    result = Result()
    gates = Gates([Stage("A", "first", 0, ("a",), ""), Stage("B", "last", None, ("b",), "")], None, result)
    gates.pass_step(0)
    gates.pass_step(10**6)
    assert stages(result) == "h."


def test_a_run_from_a_checkpoint_does_not_reach_what_lies_before() -> None:
    result = Result()
    gates = Gates([Stage(name, "", step, (), "") for name, step in (("A", -1), ("B", 0), ("C", 9))], 20, result)
    gates.skip_to(5)
    gates.pass_step(-1)
    gates.pass_step(9)
    assert stages(result) == "h.h"
