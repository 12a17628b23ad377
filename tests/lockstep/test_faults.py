"""What the driver says of a trainer that misbehaves: taps that do not line up, exceptions, reused buffers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cotrain.errors import CotrainError
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, Verdict

MakePair = Callable[..., Pair]
MODES = pytest.mark.parametrize("mode", ["overlap", "sequence"])


@MODES
def test_a_buffer_that_is_reused_inside_a_step_is_no_difference(tiny_pair: MakePair, mode: str) -> None:
    # Both sides hand out "count" and "doubled" in the same memory.
    result = tiny_pair().run(mode=mode)
    assert result.verdict is Verdict.IDENTICAL
    assert (result.steps, result.compared.taps, result.initial.taps) == (6, 24, 1)
    assert result.weights_sha256["total"]["reference"] == result.weights_sha256["total"]["candidate"]


@MODES
def test_a_reused_buffer_hides_no_difference(tiny_pair: MakePair, mode: str) -> None:
    # The flip is in "count"; by the end of the step its memory holds "doubled" again.
    from cotrain.lockstep.injection import Injection

    result = tiny_pair().run(mode=mode, inject=[Injection(1, "count", 5, 30)])
    [found] = result.divergences
    assert (found.place.step, found.tap, found.index, found.origin) == (1, "count", (1, 1), True)


@MODES
@pytest.mark.parametrize(
    ("fault", "position", "reason"),
    [
        ("missing", 2, "the candidate lacks the tap scale; in its place stands total"),
        ("extra", 3, "the candidate has the tap surplus, which the reference lacks, before total"),
        ("order", 1, "the taps come in another order: doubled in the reference, scale in the candidate"),
        (
            "dtype",
            1,
            "doubled has another dtype: doubled: float32[2, 4] in the reference, doubled: float64[2, 4] in the "
            "candidate",
        ),
        (
            "shape",
            1,
            "doubled has another shape: doubled: float32[2, 4] in the reference, doubled: float32[4, 2] in the "
            "candidate",
        ),
    ],
)
def test_taps_that_do_not_line_up_are_named(
    tiny_pair: MakePair, mode: str, fault: str, position: int, reason: str
) -> None:
    result = tiny_pair(fault=fault).run(mode=mode)
    assert result.verdict is Verdict.DIVERGED
    assert result.structural is not None
    assert (result.structural.place.step, result.structural.position) == (2, position)
    assert result.structural.reason == reason
    assert result.exit_code == 1


@MODES
def test_another_layout_of_the_same_values_is_no_difference(tiny_pair: MakePair, mode: str) -> None:
    assert tiny_pair(fault="transposed").run(mode=mode).verdict is Verdict.IDENTICAL


@MODES
def test_a_wrong_value_is_an_origin_and_the_first_element_is_named(tiny_pair: MakePair, mode: str) -> None:
    [found] = tiny_pair(fault="value").run(mode=mode).divergences
    assert (found.place.step, found.place.epoch, found.place.batch) == (2, 0, 2)
    assert (found.tap, found.index, found.ulp, found.origin) == ("total", (3,), 1, True)
    assert found.inputs == {"total@-1": True, "doubled": True, "scale": True}
    assert str(found.reference_source).startswith("lockstep/tiny.py:") or "tiny.py" in str(found.reference_source)
    assert str(found.candidate_source).startswith("tests/dotnet/TinyTrainer/Trainer.cs:")


def test_a_nan_has_no_ulp_distance(tiny_pair: MakePair) -> None:
    [found] = tiny_pair(fault="nan").run().divergences
    assert (found.index, found.ulp, found.max_ulp) == ((1,), None, None)
    assert np.isnan(found.candidate)


@MODES
def test_an_exception_in_the_candidate_is_told_with_step_and_tap(tiny_pair: MakePair, mode: str) -> None:
    result = tiny_pair(fault="throw").run(mode=mode)
    assert result.verdict is Verdict.ERROR
    assert result.error == (
        "the candidate threw in step 2, after tap count: InvalidOperationException: planted after count"
    )
    assert (result.exit_code, result.steps) == (4, 2)


@MODES
def test_an_exception_in_the_reference_is_told_with_step_and_tap(tiny_pair: MakePair, mode: str) -> None:
    result = tiny_pair(reference_fault="raise").run(mode=mode)
    assert result.verdict is Verdict.ERROR
    assert result.error is not None
    assert result.error.startswith("the reference raised ZeroDivisionError in step 2, after tap count: planted")
    assert result.exit_code == 4


def test_an_exception_while_the_candidate_is_made_is_one_sentence(tiny_pair: MakePair) -> None:
    with pytest.raises(CotrainError, match="candidate cannot be made: InvalidOperationException: planted in Create"):
        tiny_pair(fault="create")


def test_another_initial_state_diverges_before_step_0(tiny_pair: MakePair) -> None:
    result = tiny_pair(fault="initial").run()
    [found] = result.divergences
    assert (found.place.step, found.tap, found.differing, result.steps) == (-1, "init.total", 4, 0)


def test_a_tap_name_twice_in_a_step_is_refused(tiny_pair: MakePair) -> None:
    with pytest.raises(CotrainError, match="yields the tap count twice in one step"):
        tiny_pair(reference_fault="twice").run()


def test_an_input_that_no_tap_provides_is_refused(tiny_pair: MakePair) -> None:
    with pytest.raises(CotrainError, match="tap scale declares the input nothing, which no earlier tap provides"):
        tiny_pair(reference_fault="input").run()


def test_a_pair_that_stopped_cannot_go_on(tiny_pair: MakePair) -> None:
    pair = tiny_pair(fault="value")
    pair.run()
    with pytest.raises(CotrainError, match="this pair ended in step 2 with the verdict diverged"):
        pair.step()


def test_a_pair_is_stepped_in_parts(tiny_pair: MakePair) -> None:
    pair = tiny_pair()
    assert pair.step().steps == 1
    assert pair.step(2).steps == 3
    result: Result = pair.run()
    assert (result.steps, result.compared.taps) == (6, 24)
    assert result.series["sum"].reference == result.series["sum"].candidate
    assert len(result.series["sum"].reference) == 6


def test_one_pair_is_open_at_a_time(tiny_pair: MakePair) -> None:
    tiny_pair()
    with pytest.raises(CotrainError, match="another pair is open"):
        Pair.load()
