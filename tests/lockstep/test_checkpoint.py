"""Checkpoints: a run that goes on from one is the run that was never interrupted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cotrain.errors import CotrainError
from cotrain.lockstep import checkpoint
from cotrain.lockstep.checkpoint import Checkpoint
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Verdict
from cotrain.trace import Recording, compare
from cotrain.trace.comparison import common_steps

MakePair = Callable[..., Pair]
ABOUT = {"gemm": "openblas"}
STATE = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "beta": np.ones((), np.float32)}


@pytest.mark.parametrize("mode", ["overlap", "sequence"])
def test_the_remaining_steps_are_those_of_the_whole_run(flagship: MakePair, tmp_path: Path, mode: str) -> None:
    whole, rest = Recording(), Recording()
    pair = flagship(60)
    pair.checkpoint_every(25, tmp_path)
    first = pair.run(recorder=whole, mode=mode)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["step-25.npz", "step-50.npz"]

    pair = flagship(60)
    pair.go_on_from(tmp_path, 50)
    second = pair.run(recorder=rest, mode=mode)
    assert (second.verdict, second.first_step, second.steps) == (Verdict.IDENTICAL, 50, 10)
    assert second.weights_sha256 == first.weights_sha256
    assert common_steps(whole.trace({}), rest.trace({}))[0] == 10
    for side in ("reference", "candidate"):
        assert compare(whole.trace({}), rest.trace({}), side) is None


def test_an_injection_after_a_checkpoint_is_found(flagship: MakePair, tmp_path: Path) -> None:
    pair = flagship(12)
    pair.checkpoint_every(5, tmp_path)
    pair.run()
    pair = flagship(12)
    pair.go_on_from(tmp_path, 10)
    [found] = pair.run(inject=[Injection(10, "adam.fc1.w.m", 7, 3)]).divergences
    assert (found.place.step, found.tap, found.flat_index, found.origin) == (10, "adam.fc1.w.m", 7, True)


def test_no_checkpoint_while_the_sides_differ(flagship: MakePair, tmp_path: Path) -> None:
    pair = flagship(12)
    pair.checkpoint_every(5, tmp_path)
    result = pair.run(on_diff="continue", inject=[Injection(6, "adam.fc1.w.m", 7, 20)])
    assert [path.name for path in tmp_path.iterdir()] == ["step-5.npz"]
    assert result.warnings[-1].startswith("no checkpoint before step 10: the two sides differ in ")


def test_another_seed_is_refused(flagship: MakePair, tmp_path: Path) -> None:
    pair = flagship(6)
    pair.checkpoint_every(5, tmp_path)
    pair.run()
    pair = flagship(6, math="numsharp")
    with pytest.raises(CotrainError, match=r'made under other pins or options .*math: "parity" then, "numsharp" now'):
        pair.go_on_from(tmp_path, 5)


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    checkpoint.save(Checkpoint(7, ABOUT, STATE), tmp_path)
    found = checkpoint.load(tmp_path, 7, ABOUT)
    assert found.state.keys() == STATE.keys()
    for name, value in STATE.items():
        assert found.state[name].tobytes() == value.tobytes()
        assert found.state[name].shape == value.shape


def test_missing_damaged_and_altered_files_are_refused(tmp_path: Path) -> None:
    checkpoint.save(Checkpoint(7, ABOUT, STATE), tmp_path)
    with pytest.raises(CotrainError, match=r"there is no checkpoint .*; the folder has those of the steps 7"):
        checkpoint.load(tmp_path, 8, ABOUT)
    file = checkpoint.path_of(tmp_path, 7)
    whole = file.read_bytes()
    at = whole.index(STATE["w"].tobytes())
    for damaged in (b"", whole[:200], whole[:-1], whole[:at] + b"\x01" + whole[at + 1 :]):
        file.write_bytes(damaged)
        with pytest.raises(CotrainError, match="is no checkpoint, or a damaged one"):
            checkpoint.load(tmp_path, 7, ABOUT)


def test_arrays_that_were_exchanged_are_refused(tmp_path: Path) -> None:
    checkpoint.save(Checkpoint(7, ABOUT, STATE), tmp_path)
    file = checkpoint.path_of(tmp_path, 7)
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["state/w"] = arrays["state/w"] + 1
    np.savez(file, **arrays)
    with pytest.raises(CotrainError, match="its arrays are not those that were saved"):
        checkpoint.load(tmp_path, 7, ABOUT)


def test_a_trainer_without_restore_says_so(tiny_pair: MakePair, tmp_path: Path) -> None:
    pair = tiny_pair()
    about = pair._about()
    checkpoint.save(replace(Checkpoint(1, about, STATE)), tmp_path)
    with pytest.raises(CotrainError, match=r"Tiny cannot go on from a checkpoint: it has no restore"):
        pair.go_on_from(tmp_path, 1)
