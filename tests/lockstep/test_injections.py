"""Planted bit flips: each is reported at exactly its step, tap, element and bit, as an origin."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cotrain.bits import differing_bits
from cotrain.errors import CotrainError
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Divergence, Result, Verdict
from cotrain.report.json_report import to_dict

MakePair = Callable[..., Pair]
FIRST_EPOCHS = 92


def flips(pair: Pair, count: int, last_step: int, seed: int) -> list[Injection]:
    """Random places in a run's taps; every tenth the last element, every tenth a sign, every tenth an exponent
    bit of a zero or a large value."""
    random_ = random.Random(seed)
    pair.step()
    taps = pair.taps
    assert taps is not None
    chosen = []
    for number in range(count):
        position = random_.randrange(taps.count)
        value = taps.values[position]
        index = value.size - 1 if number % 10 == 0 else random_.randrange(value.size)
        bits = 8 * value.dtype.itemsize
        bit = bits - 1 if number % 10 == 1 else bits - 2 if number % 10 == 2 else random_.randrange(bits)
        chosen.append(Injection(random_.randrange(last_step), taps.infos[position].name, index, bit))
    return chosen


def run(flagship: MakePair, injection: Injection, mode: str, steps: int) -> Result:
    return flagship(steps).run(mode=mode, inject=[injection])


def assert_found(result: Result, injection: Injection) -> None:
    assert result.verdict is Verdict.DIVERGED
    assert len(result.divergences) == 1
    [found] = result.divergences
    assert (found.place.step, found.tap, found.flat_index) == (injection.step, injection.tap, injection.index)
    assert flipped_bits(found) == (injection.bit,)
    assert found.differing == 1
    assert found.origin, found.inputs


def flipped_bits(found: Divergence) -> tuple[int, ...]:
    left, right = (bytes.fromhex(each[2:])[::-1] for each in (found.reference_bits, found.candidate_bits))
    return differing_bits(left, right)


def without_timing(result: Result) -> dict[str, object]:
    report = to_dict(result)
    del report["timing"], report["mode"]
    return report


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.full) for part in range(1, 10))])
def test_random_flips_in_the_first_two_epochs(flagship: MakePair, part: int) -> None:
    # 20, or with the full tests 200 in all, in overlap and in sequence.
    for injection in flips(flagship(FIRST_EPOCHS), 20, FIRST_EPOCHS, seed=part):
        overlap = run(flagship, injection, "overlap", FIRST_EPOCHS)
        assert_found(overlap, injection)
        sequence = run(flagship, injection, "sequence", FIRST_EPOCHS)
        assert without_timing(overlap) == without_timing(sequence)


@pytest.mark.full
def test_random_flips_in_all_4600_steps(flagship: MakePair) -> None:
    for injection in flips(flagship(4600), 5, 4600, seed=11):
        assert_found(run(flagship, injection, "overlap", 4600), injection)


def test_a_flip_that_makes_a_nan_and_one_of_a_zeros_sign(flagship: MakePair) -> None:
    # fc1.output holds zeros (ReLU): its sign bit makes a -0, which equals 0 to every float comparison.
    pair = flagship(2)
    pair.step(2)
    assert pair.taps is not None
    output = pair.taps.values[pair.taps.find("fc1.output")]
    zero = int((output.ravel() == 0).argmax())
    result = run(flagship, Injection(1, "fc1.output", zero, 31), "overlap", 2)
    [found] = result.divergences
    assert (found.candidate_bits, found.reference_bits, found.ulp) == ("0x80000000", "0x00000000", 0)
    one = Injection(0, "loss.exps", 0, 30)  # each row's largest exp is 1.0: its top exponent bit makes it inf or NaN
    assert_found(run(flagship, one, "sequence", 2), one)


def test_flips_of_an_integer_and_of_a_scalar_variable(flagship: MakePair) -> None:
    for injection in (Injection(1, "metrics.argmax", 127, 63), Injection(1, "adam.beta2_product", 0, 0)):
        assert_found(run(flagship, injection, "overlap", 3), injection)


def test_a_flip_in_an_evaluation(flagship: MakePair) -> None:
    injection = Injection(2, "eval.output", 9_999, 5)
    assert_found(run(flagship, injection, "overlap", 3), injection)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1:loss.exps:5", "cannot read the injection '1:loss.exps:5'; write STEP:TAP:INDEX:BIT"),
        ("x:loss.exps:5:1", "step, index and bit are whole numbers"),
        ("-1:loss.exps:5:1", "has a negative number"),
    ],
)
def test_an_injection_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(CotrainError, match=message):
        Injection.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1:loss.expz:5:1", "no step has a tap 'loss.expz'; near names: loss.exps"),
        ("1:init.fc1.w:5:1", "no step has a tap 'init.fc1.w'"),
        ("3:loss.exps:5:1", "the run ends with step 2, there is no step 3"),
        ("1:loss.exps:1280:1", r"loss.exps has shape \(128, 10\), its flat indices end at 1279"),
        ("1:loss.exps:5:32", "loss.exps is float32, its bits end at 31"),
        ("1:eval.output:5:1", "injection 1:eval.output:5:1: that step has no such tap"),
    ],
)
def test_an_injection_that_the_run_has_no_place_for(flagship: MakePair, text: str, message: str) -> None:
    with pytest.raises(CotrainError, match=message):
        flagship(3).run(inject=[Injection.parse(text)])
