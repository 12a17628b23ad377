from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from cotrain.errors import CotrainError, ExitCode
from cotrain.protocol import Tap
from twin.mlp_trainer import MlpTrainer
from twin.mnist_loader import MnistData

STATE = [
    *("fc1.w", "fc1.b", "fc2.w", "fc2.b"),
    *("adam.fc1.w.m", "adam.fc1.w.v", "adam.fc1.b.m", "adam.fc1.b.v"),
    *("adam.fc2.w.m", "adam.fc2.w.v", "adam.fc2.b.m", "adam.fc2.b.v"),
    *("adam.beta1_product", "adam.beta2_product"),
]


@pytest.fixture
def trainer(small: MnistData) -> MlpTrainer:
    return MlpTrainer(small, steps=12, batch_size=32)


def names(taps: Iterator[Tap]) -> list[str]:
    return [tap.name for tap in taps]


def test_initial_taps_and_the_names_by_which_steps_read_them(trainer: MlpTrainer) -> None:
    assert {tap.name: tap.as_input for tap in trainer.initial()} == {
        "init.fc1.w": "adam.fc1.w.p@-1",
        "init.fc1.b": "adam.fc1.b.p@-1",
        "init.fc2.w": "adam.fc2.w.p@-1",
        "init.fc2.b": "adam.fc2.b.p@-1",
        "init.adam.fc1.w.m": "adam.fc1.w.m@-1",
        "init.adam.fc1.w.v": "adam.fc1.w.v@-1",
        "init.adam.fc1.b.m": "adam.fc1.b.m@-1",
        "init.adam.fc1.b.v": "adam.fc1.b.v@-1",
        "init.adam.fc2.w.m": "adam.fc2.w.m@-1",
        "init.adam.fc2.w.v": "adam.fc2.w.v@-1",
        "init.adam.fc2.b.m": "adam.fc2.b.m@-1",
        "init.adam.fc2.b.v": "adam.fc2.b.v@-1",
        "init.adam.beta1_product": "adam.beta1_product@-1",
        "init.adam.beta2_product": "adam.beta2_product@-1",
        "data.train.x": "data.x",
        "data.train.y": "data.y",
        "data.test.x": "data.test.x",
        "data.test.y": "data.test.y",
    }


def test_every_tap_declares_its_operation_and_inputs_that_exist_by_then(trainer: MlpTrainer) -> None:
    known = {tap.as_input for tap in trainer.initial()}
    for tap in trainer.step(0):
        assert tap.op
        assert tap.inputs
        assert set(tap.inputs) <= known, tap.name
        known.add(tap.name)
    previous = {name for name in known if name.endswith("@-1")}
    assert {name.removesuffix("@-1") for name in previous} <= known


def test_what_a_step_yields_stays_until_the_fourth_step_after_it_begins(small: MnistData) -> None:
    # Ten steps of an epoch each, so that evaluations come along too.
    trainer = MlpTrainer(small, batch_size=70)
    held: list[list[tuple[Tap, bytes]]] = [[(tap, tap.value.tobytes()) for tap in trainer.initial()]]
    for step in range(12):
        held.append([])
        for tap in trainer.step(step):
            held[-1].append((tap, tap.value.tobytes()))
            for taps in (held[0], *held[-4:]):
                for earlier, content in taps:
                    assert earlier.value.tobytes() == content, f"{earlier.name} in step {step}: {tap.name}"


def test_a_set_of_buffers_comes_back_as_the_same_arrays(trainer: MlpTrainer) -> None:
    steps = [{tap.name: tap.value for tap in trainer.step(step)} for step in range(9)]
    for step in range(5):
        assert all(steps[step][name] is steps[step + 4][name] for name in steps[step])
        for other in (step + 1, step + 2, step + 3):
            assert not any(np.shares_memory(steps[step][name], steps[other][name]) for name in steps[step])
    assert all(array.flags.c_contiguous and array.ctypes.data % 64 == 0 for array in steps[0].values())


def test_arrays_of_a_step_do_not_overlap(trainer: MlpTrainer) -> None:
    taps = sorted((tap.value.ctypes.data, tap.value.nbytes) for tap in trainer.step(0))
    assert all(start + size <= after for (start, size), (after, _) in itertools.pairwise(taps))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"epochs": 11}, [9, 19, 21]),
        ({"epochs": 10}, [9, 19]),
        ({"steps": 12}, [9, 11]),
        ({"steps": 1}, [0]),
        ({}, [9, 19]),
    ],
)
def test_evaluation_every_five_epochs_and_after_the_last_step(
    small: MnistData, options: dict[str, int], expected: list[int]
) -> None:
    trainer = MlpTrainer(small, batch_size=32, **options)
    assert trainer.steps_per_epoch == 2
    evaluated = []
    for step in range(trainer.total_steps or 22):
        taps = list(trainer.step(step))
        assert sum(not tap.occasional for tap in taps) == 45
        if len(taps) > 45:
            assert names(iter(taps[45:])) == ["eval.output", "eval.argmax"] == list(trainer.occasional_taps)
            assert all(tap.occasional for tap in taps[45:])
            evaluated.append(step)
    assert evaluated == expected


def test_evaluation_is_made_in_whole_batches_and_a_remainder(small: MnistData) -> None:
    trainer = MlpTrainer(small, steps=1, batch_size=32)
    taps = {tap.name: tap.value for tap in trainer.step(0)}
    p = trainer.state()
    rows = [small.test_x[:32], small.test_x[32:64], small.test_x[64:]]
    outputs = [np.maximum(x @ p["fc1.w"] + p["fc1.b"], np.float32(0)) @ p["fc2.w"] + p["fc2.b"] for x in rows]
    assert taps["eval.output"].tobytes() == np.concatenate(outputs).tobytes()
    assert taps["eval.argmax"].tolist() == np.concatenate(outputs).argmax(axis=1).tolist()
    assert taps["eval.argmax"].dtype == np.int64
    wanted = np.count_nonzero(taps["eval.argmax"] == small.test_y) / 67
    assert trainer.metrics["test accuracy"].compute(0, taps["eval.argmax"]) == wanted


def test_state_is_that_after_the_last_whole_step(trainer: MlpTrainer) -> None:
    initial = {tap.as_input.removesuffix("@-1").removesuffix(".p"): tap.value for tap in trainer.initial()}
    state = trainer.state()
    assert list(state) == STATE
    assert set(trainer.parameters) < set(state)
    for name, value in state.items():
        key = name if name.startswith("adam.") else f"adam.{name}"
        assert value.tobytes() == initial[key].tobytes(), name
    taps = {tap.name: tap.value for step in range(4) for tap in trainer.step(step)}
    half_way = trainer.step(4)
    next(half_way)
    for name, value in trainer.state().items():
        assert value is taps[name if name.startswith("adam.") else f"adam.{name}.p"]


def test_steps_run_in_turn(trainer: MlpTrainer) -> None:
    with pytest.raises(ValueError, match="steps run in turn: 0 comes next, not 1"):
        next(trainer.step(1))


def test_metrics(small: MnistData) -> None:
    trainer = MlpTrainer(small, batch_size=32)
    assert {name: (metric.tap, metric.per_step) for name, metric in trainer.metrics.items()} == {
        "loss": ("loss.mean", True),
        "accuracy": ("metrics.argmax", False),
        "test accuracy": ("eval.argmax", False),
    }
    assert trainer.metrics["loss"].compute(0, np.array(-2.5, np.float32)) == 2.5
    assert np.isnan(trainer.metrics["loss"].compute(0, np.array(np.nan, np.float32)))
    second = small.train_y[32:64].astype(np.int64)
    assert trainer.metrics["accuracy"].compute(1, second) == 1.0
    assert trainer.metrics["accuracy"].compute(3, second) == 1.0
    assert trainer.metrics["accuracy"].compute(0, second) < 1.0
    assert trainer.metrics["accuracy"].compute(1, np.where(np.arange(32) < 8, second, -1)) == 0.25
    assert trainer.tap_groups == {"weights": "adam.*.p"}
    assert trainer.stable_buffers


def test_lengths(small: MnistData) -> None:
    assert MlpTrainer(small, batch_size=32).total_steps is None
    assert MlpTrainer(small, batch_size=32, steps=7).total_steps == 7
    assert MlpTrainer(small, batch_size=32, epochs=7).total_steps == 14


def test_the_seed_decides_the_weights_only(small: MnistData) -> None:
    one, other = (
        {tap.name: tap.value.tobytes() for tap in MlpTrainer(small, batch_size=32, seed=seed).initial()}
        for seed in (1337, 1338)
    )
    assert {name for name in one if one[name] != other[name]} == {"init.fc1.w", "init.fc2.w"}


def test_fewer_samples_than_a_batch(small: MnistData) -> None:
    with pytest.raises(CotrainError) as caught:
        MlpTrainer(small, batch_size=71)
    assert str(caught.value) == (
        "the training data has 70 samples, fewer than one batch of 71: choose a batch size of 70 or less"
    )
    assert caught.value.exit_code is ExitCode.USAGE
    assert MlpTrainer(small, batch_size=70).steps_per_epoch == 1


def test_step_is_a_generator(trainer: MlpTrainer) -> None:
    assert inspect.isgeneratorfunction(trainer.step)
