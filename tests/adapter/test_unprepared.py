"""An assembly that references NumSharp only, run beside the twin at layer level: 46 steps, and what upstream does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from adapter import shuffled
from lockstep.command import lockstep, report, sentence

from cotrain.clr import Runtime
from cotrain.errors import CotrainError
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import REFERENCE, Pair
from cotrain.lockstep.result import Verdict

MakeMapping = Callable[..., Path]
MakePair = Callable[..., Pair]

# The products' bits, and with them the step and the element at which a variant shows, depend on the kernel.
HASWELL = {"OPENBLAS_CORETYPE": "Haswell"}
TAPS = [
    "fc1.output", "fc2.output", "loss", "loss.grad", "fc2.grad.w", "fc2.grad.b", "fc2.grad.input", "fc1.grad.w",
    "fc1.grad.b", "fc1.grad.input", "adam.fc1.w.p", "adam.fc1.b.p", "adam.fc2.w.p", "adam.fc2.b.p",
]  # fmt: skip


@pytest.fixture
def adapted(runtime: Runtime, mapping: MakeMapping) -> Iterator[MakePair]:
    """Makes a pair of the twin and the mapped assembly, with changes to the mapping."""
    with ExitStack() as stack:

        def load(*changes: tuple[str, str], reference: Any = REFERENCE, **options: Any) -> Pair:
            stack.close()
            pair = Pair.load(reference, str(mapping(*changes)), options={"steps": 46} | options)
            return stack.enter_context(pair)

        yield load


def test_it_runs_46_steps_equal_where_it_mirrors_the_twin(adapted: MakePair) -> None:
    result = adapted().run()
    assert (result.verdict, result.steps, result.structural) == (Verdict.IDENTICAL, 46, None)
    assert result.compared.taps == 46 * len(TAPS)
    assert result.series["loss"].reference == result.series["loss"].candidate
    assert 0 < result.series["loss"].reference[-1] < 0.5 < result.series["loss"].reference[0]
    assert result.weights_sha256.keys() == {"fc1.w", "fc1.b", "fc2.w", "fc2.b"}
    assert all(each["reference"] == each["candidate"] for each in result.weights_sha256.values())


def test_it_is_the_same_training_as_the_prepared_one(adapted: MakePair) -> None:
    adapted_weights = adapted().run(3).weights_sha256
    adapted().close()
    with Pair.load(options={"steps": 3}) as pair:
        prepared = pair.run()
    assert {name: prepared.weights_sha256[name] for name in adapted_weights} == adapted_weights


def test_overlap_and_sequence_find_the_same(adapted: MakePair) -> None:
    pow_ = ('"running"', '"pow"')
    overlap, sequence = (adapted(pow_).run(6, on_diff="continue", mode=mode) for mode in ("overlap", "sequence"))
    for result in (overlap, sequence):
        assert result.verdict is Verdict.DIVERGED
    assert [(each.place, each.tap, each.index) for each in overlap.divergences] == [
        (each.place, each.tap, each.index) for each in sequence.divergences
    ]


@pytest.mark.parametrize(
    ("variant", "found"),
    [
        # np.power(grad, 2) multiplies, as NumPy's does: no bit differs.
        (('"product"', '"power"'), None),
        # np.mean adds in another order than NumPy's.
        (('"numpy"', '"numsharp"'), (0, "loss", [], "0x40B2AAA9", "0x40B2AAAA", 1, 1)),
        # Math.Pow in float64, rounded once, is not the running float32 product: 0.9f to the third, in step 2.
        (('"running"', '"pow"'), (2, "adam.fc1.w.p", [0, 0], "0xBD0E1729", "0xBD0E1727", 2, 86733)),
    ],
)
def test_what_upstream_does_otherwise_is_named(
    mapping: MakeMapping, variant: tuple[str, str], found: tuple[Any, ...] | None
) -> None:
    file = mapping(variant)
    done = lockstep("--steps", "46", "--candidate", str(file), "--json", "-", "--quiet", env=HASWELL)
    assert done.returncode == (1 if found else 0), done.stderr
    divergences = report(done)["divergences"]
    assert len(divergences) == (1 if found else 0)
    for first in divergences:
        names = ("step", "tap", "index", "reference_bits", "candidate_bits", "ulp", "differing")
        assert tuple(first[name] for name in names) == found
        assert first["origin"] is True


def test_all_of_upstreams_ways_at_once_show_one_after_the_other(adapted: MakePair) -> None:
    # With the reference's bytes put in place after each, every one is found as an origin of its own.
    ways = (('"product"', '"power"'), ('"numpy"', '"numsharp"'), ('"running"', '"pow"'))
    result = adapted(*ways).run(8, on_diff="resync")
    assert result.differences.taps.keys() <= {"loss", *(tap for tap in TAPS if tap.startswith("adam."))}
    assert {"loss", "adam.fc1.w.p"} <= result.differences.taps.keys()
    assert all(row.inherited.steps == 0 for row in result.differences.taps.values())


def test_the_card_names_the_call_its_inputs_and_both_lines(adapted: MakePair) -> None:
    [found] = adapted().run(3, inject=[Injection(1, "fc2.grad.w", 17, 30)]).divergences
    assert (found.place.step, found.tap, found.index, found.origin) == (1, "fc2.grad.w", (1, 7), True)
    assert found.op == "fc2.Backward(grad)"
    # The twin's own inputs, traced back to what the layer level shows.
    assert found.inputs == {"fc1.output": True, "loss.grad": True}
    assert str(found.candidate_source) == "unprepared.toml:51"
    assert str(found.reference_source).startswith("twin/fully_connected.py:")


def test_what_is_flipped_is_what_later_calls_read(adapted: MakePair) -> None:
    result = adapted().run(4, on_diff="continue", inject=[Injection(1, "fc1.output", 3, 30)])
    first = result.divergences[0]
    assert (first.place.step, first.tap, first.origin) == (1, "fc1.output", True)
    assert all(not each.origin for each in result.divergences[1:])
    assert result.differences.taps["fc2.output"].inherited.first_step == 1
    assert result.differences.taps["fc1.output"].inherited.first_step == 2


def test_resync_writes_into_the_objects(adapted: MakePair) -> None:
    result = adapted().run(6, on_diff="resync", inject=[Injection(1, "adam.fc1.w.p", 3, 30)])
    assert [(each.place.step, each.tap) for each in result.divergences] == [(1, "adam.fc1.w.p")]
    assert all(each["reference"] == each["candidate"] for each in result.weights_sha256.values())


NUMBERS = (
    '[calls.taps]\n"adam.fc1.w.p"',
    '[calls.taps]\n"adam.beta1_product" = "adam.Product1"\n"adam.beta2_product" = "adam.Product2"\n"adam.fc1.w.p"',
)


def test_a_number_is_a_tap_too(adapted: MakePair) -> None:
    result = adapted(NUMBERS).run(6)
    assert (result.verdict, result.compared.taps) == (Verdict.IDENTICAL, 6 * (len(TAPS) + 2))


def test_a_flip_in_a_number_is_written_back(adapted: MakePair) -> None:
    result = adapted(NUMBERS).run(3, on_diff="continue", inject=[Injection(1, "adam.beta1_product", 0, 22)])
    taps = result.differences.taps
    assert taps["adam.beta1_product"].origin.first_step == 1
    assert taps["adam.beta1_product"].inherited.first_step == 2


STEP_FEED = ('x = "data.train.x"\ny = { tap = "data.train.y", one_hot = 10 }', 'x = "batch.x"\ny = "batch.y"')


@pytest.mark.parametrize("stable", [True, False])
def test_batches_that_the_reference_shuffles_are_fed_step_by_step(adapted: MakePair, stable: bool) -> None:
    result = adapted(STEP_FEED, reference=shuffled.create, stable=stable).run(12, mode="overlap")
    assert (result.verdict, result.initial.taps) == (Verdict.IDENTICAL, 4)
    assert result.series == {}


def test_a_fed_array_keeps_its_shape(adapted: MakePair) -> None:
    pair = adapted(STEP_FEED, reference=shuffled.create, shape_changes=True)
    with pytest.raises(CotrainError, match=r"the feed x is float32\[64, 784\] in step 2, float32\[128, 784\] before"):
        pair.run(6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("[784, 128,", "[784, 64,"), "init.fc1.w has another shape: init.fc1.w: float32[784, 128] in the reference, "),
        (('loss = { member = "result",', 'loss = { member = "fc2.Output",'), "loss has another shape: "),
    ],
)
def test_what_does_not_line_up_is_structural(adapted: MakePair, change: tuple[str, str], reason: str) -> None:
    result = adapted(change).run(2)
    assert result.structural is not None
    assert result.structural.reason.startswith(reason)


def test_taps_in_another_order_are_structural(adapted: MakePair) -> None:
    # Only what the mapping says is lined up: never by guessing.
    w, b = '"fc1.grad.w" = "fc1.Grads[w]"\n', '"fc1.grad.b" = "fc1.Grads[b]"\n'
    result = adapted((w + b, b + w)).run(2)
    assert result.structural is not None
    assert result.structural.reason == (
        "the taps come in another order: fc1.grad.w in the reference, fc1.grad.b in the candidate"
    )


def test_an_exception_of_the_assembly_is_its_own(adapted: MakePair) -> None:
    result = adapted(("fc1.Forward(x)", "fc1.Forward(y)")).run(2)
    assert result.verdict is Verdict.ERROR
    assert result.error is not None
    assert result.error.startswith("the candidate threw in step 0, before the first tap: ")


def test_the_command_that_shows_it_again_names_the_mapping(mapping: MakeMapping) -> None:
    file = mapping(('"numpy"', '"numsharp"'))
    done = lockstep("--steps", "2", "--candidate", str(file), env=HASWELL)
    assert f"OPENBLAS_CORETYPE=Haswell python -m cotrain.lockstep --steps 1 --candidate {file}" in done.stdout


def test_a_bad_mapping_is_one_sentence_on_the_command_line(mapping: MakeMapping) -> None:
    file = mapping(("fc1.Forward(x)", "fc1.Forwards(x)"))
    done = lockstep("--steps", "2", "--candidate", str(file))
    assert done.returncode == 2
    assert sentence(done) == (
        "unprepared.toml, line 31, [[calls]] number 1, call: Dense has no public method Forwards; "
        "it has Backward, Forward"
    )
