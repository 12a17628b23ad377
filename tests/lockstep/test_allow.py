"""``--allow``: exactly the named known differences are accepted and counted, whatever else differs is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lockstep.command import Done, here, parse, sentence

from cotrain.clr import Runtime
from cotrain.errors import CotrainError
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, Verdict
from cotrain.report.json_report import to_dict

MakePair = Callable[..., Pair]
Capture = pytest.CaptureFixture[str]
STEPS = 60


def numsharp(flagship: MakePair, **keywords: object) -> Result:
    """A run with NumSharp's own exp, sum and mean: the loss differs within the first steps."""
    return flagship(STEPS, math="numsharp").run(**keywords)  # type: ignore[arg-type]


def test_without_it_a_known_difference_ends_the_run_and_is_named(flagship: MakePair) -> None:
    result = numsharp(flagship)
    assert (result.verdict, result.exit_code) == (Verdict.DIVERGED, 1)
    [found] = result.divergences
    assert (found.tap, found.excuse, found.accepted) == ("loss.mean", "mean-float32", False)
    assert not result.excuses["mean-float32"].accepted


@pytest.mark.parametrize("allow", ["mean-float32", "all", "exp-float32, mean-float32"])
def test_what_is_allowed_is_counted_and_ends_nothing(flagship: MakePair, allow: str) -> None:
    result = numsharp(flagship, allow=allow)
    assert (result.verdict, result.exit_code, result.steps) == (Verdict.EXCUSED, 0, STEPS)
    count = result.excuses["mean-float32"]
    losses = result.series["loss"]
    assert count.accepted
    assert count.origin_taps == count.origin_elements
    assert count.origin_taps == sum(a != b for a, b in zip(losses.reference, losses.candidate, strict=True)) > 0
    assert 1 <= (count.max_ulp or 0) <= 11
    assert all(each["reference"] == each["candidate"] for each in result.weights_sha256.values())


def test_another_entry_accepts_nothing(flagship: MakePair) -> None:
    result = numsharp(flagship, allow="exp-float32,gemm-native-float32")
    assert result.verdict is Verdict.DIVERGED
    assert result.first is not None
    assert result.first.excuse == "mean-float32"


@pytest.mark.parametrize("policy", ["stop", "continue", "resync"])
def test_a_difference_beside_them_still_fails(flagship: MakePair, policy: str) -> None:
    flip = Injection(50, "fc2.grad.b", 3, 0)
    both = [
        flagship(STEPS, math="numsharp").run(allow="all", on_diff=policy, inject=[flip], mode=mode)
        for mode in ("overlap", "sequence")
    ]
    result = both[0]
    assert (result.verdict, result.exit_code) == (Verdict.DIVERGED, 1)
    assert result.steps == (51 if policy == "stop" else STEPS)
    assert result.first is not None
    assert (result.first.place.step, result.first.tap, result.first.excuse) == (50, "fc2.grad.b", None)
    assert result.first.candidate_value is not None
    assert result.excuses["mean-float32"].accepted
    reports = [to_dict(each) for each in both]
    for report in reports:
        del report["timing"], report["mode"]
    assert reports[0] == reports[1]


def test_a_larger_difference_than_the_entry_says_is_not_accepted(flagship: MakePair) -> None:
    flip = Injection(20, "loss.mean", 0, 12)  # 4,096 ulp
    result = numsharp(flagship, allow="all", inject=[flip])
    assert result.verdict is Verdict.DIVERGED
    assert result.first is not None
    assert (result.first.place.step, result.first.tap, result.first.excuse) == (20, "loss.mean", None)


def test_exactly_these_bits_of_exp(flagship: MakePair) -> None:
    """A flipped last bit of exp is no known difference: the entry knows each input and both results."""
    result = numsharp(flagship, allow="all", inject=[Injection(20, "loss.exps", 17, 0)])
    assert result.first is not None
    assert (result.first.tap, result.first.excuse) == ("loss.exps", None)


def test_what_inherits_an_accepted_difference_is_accepted_too(flagship: MakePair) -> None:
    result = flagship(3, gemm="native").run(allow="gemm-native-float32")
    assert result.verdict is Verdict.EXCUSED
    count = result.excuses["gemm-native-float32"]
    assert count.origin_taps
    assert count.inherited_taps > 50
    inherited = next(found for found in result.divergences if not found.origin)
    assert (inherited.excuse, inherited.accepted) == ("gemm-native-float32", True)


def test_native_products_are_in_no_all(flagship: MakePair) -> None:
    result = flagship(1, gemm="native").run(allow="all")
    assert result.verdict is Verdict.DIVERGED
    assert result.first is not None
    assert (result.first.excuse, result.first.accepted) == ("gemm-native-float32", False)


def test_a_batch_of_one_differs_in_the_sign_of_a_zero(runtime: Runtime) -> None:
    with Pair.load(options={"steps": 20, "batch_size": 1}) as pair:
        result = pair.run(allow="sum-axis-of-one")
    assert result.verdict is Verdict.EXCUSED
    assert result.excuses["sum-axis-of-one"].max_ulp == 0


def test_unselected_differences_are_excused_but_not_counted(flagship: MakePair) -> None:
    result = numsharp(flagship, taps="weights", allow="all")
    assert (result.verdict, result.excuses) == (Verdict.IDENTICAL, {})


def test_an_unknown_name(runtime: Runtime, capsys: Capture) -> None:
    done: Done = here(capsys, "--steps", "1", "--quiet", "--allow", "exp-float23")
    assert done.returncode == 2
    assert "exp-float32" in sentence(done)


def test_the_command(runtime: Runtime, capsys: Capture) -> None:
    done = here(capsys, "--steps", str(STEPS), "--math", "numsharp", "--allow", "all", "--json", "-", "--quiet")
    assert done.returncode == 0
    report = parse(done.stdout)
    assert report["verdict"] == "excused"
    assert report["excuses"]["mean-float32"]["accepted"] is True


def test_the_command_that_shows_it_again_keeps_it(flagship: MakePair) -> None:
    with pytest.raises(CotrainError, match="exp-float23"):
        numsharp(flagship, allow="exp-float23")
    result = flagship(9, math="numsharp").run(allow="all", inject=[Injection(8, "fc2.grad.b", 3, 0)])
    assert result.command == (
        "python -m cotrain.lockstep --steps 9 --math numsharp --allow all --inject 8:fc2.grad.b:3:0"
    )
