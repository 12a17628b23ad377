"""A sweep finds exactly the inputs that differ, block by block, and goes on where it was interrupted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_features__ as features

from cotrain.clr import Runtime
from cotrain.errors import CotrainError
from cotrain.sweep import functions, listing, run
from cotrain.sweep.functions import Bits, Pair
from cotrain.sweep.progress import Progress

ABOUT = {"numpy": "2.4.2", "bridge": "ab"}
needs_avx2 = pytest.mark.skipif(not features.get("X86_V3"), reason="NumPy computes exp and log by other algorithms")


def square(inputs: Bits, results: Bits) -> None:
    np.multiply(inputs, inputs, out=results)


def planted(*at: int) -> Pair:
    """A function whose candidate has another low bit at some inputs."""

    def candidate(inputs: Bits, results: Bits) -> None:
        square(inputs, results)
        for input_ in at:
            if inputs[0] <= input_ <= inputs[-1]:
                results[input_ - inputs[0]] ^= 1

    return Pair("square", "bridge", square, candidate)


def swept(pair: Pair, start: int, end: int) -> Progress:
    progress = Progress(start)
    assert run.sweep(pair, progress, end=end, stepped=lambda _: True)
    return progress


def test_each_planted_difference_is_found_at_the_borders_of_blocks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "BLOCK", 64)
    places = [0, 63, 64, 100, 999]
    progress = swept(planted(*places), 0, 1000)
    assert progress.table()[:, 0].tolist() == places
    assert (progress.differing, progress.position) == (5, 1000)


def test_an_interrupted_sweep_goes_on_with_the_same_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "BLOCK", 64)
    pair, state = planted(3, 500, 700), tmp_path / "state.npz"
    progress = Progress()
    assert not run.sweep(pair, progress, end=1000, stepped=lambda now: now.position < 640)
    progress.save(state, ABOUT)
    again = Progress.load(state, ABOUT)
    assert (again.position, again.differing) == (640, 2)
    assert run.sweep(pair, again, end=1000, stepped=lambda _: True)
    assert again.table().tolist() == swept(pair, 0, 1000).table().tolist()


def test_many_differences_are_counted_but_not_all_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cotrain.sweep.progress.LISTED", 10)
    monkeypatch.setattr(listing, "LISTED", 10)
    progress = swept(planted(*range(25)), 0, 100)
    assert (progress.differing, len(progress.table())) == (25, 10)
    assert "# the first 10 are listed\n" in listing.text(planted(), progress, ABOUT)


def test_distances_are_those_of_numbers_only() -> None:
    progress = Progress()
    inputs = np.arange(4, dtype=np.uint32)
    reference = np.array([0x3F800000, 0x80000000, 0x7FC00000, 0x7F7FFFFF], np.uint32)
    candidate = np.array([0x3F800003, 0x00000000, 0x00000000, 0x7F7FFFFF], np.uint32)
    progress.add(inputs, reference, candidate)
    assert (progress.differing, progress.max_ulp) == (3, 3)


def test_the_list_has_a_line_per_input() -> None:
    text = listing.text(planted(2), swept(planted(2), 0, 4), ABOUT)
    assert text.splitlines() == [
        "# float32 square on bit patterns 0x00000000 to 0x00000003: NumPy against bridge",
        "# 1 differ, at most 1 ulp apart",
        "# numpy: 2.4.2",
        "# bridge: ab",
        "# input reference candidate",
        "0x00000002 0x00000004 0x00000005",
    ]


def test_a_state_of_other_pins_is_refused(tmp_path: Path) -> None:
    Progress(5).save(tmp_path / "state.npz", ABOUT)
    with pytest.raises(CotrainError, match=r"state.npz is from a sweep with another bridge; --fresh begins anew"):
        Progress.load(tmp_path / "state.npz", ABOUT | {"bridge": "cd"})


@pytest.mark.parametrize("keep", [0, 100, 400])
def test_a_damaged_state_is_refused(tmp_path: Path, keep: int) -> None:
    state = tmp_path / "state.npz"
    Progress(5).save(state, ABOUT)
    state.write_bytes(state.read_bytes()[:keep])
    with pytest.raises(CotrainError, match="is no state of a sweep, or a damaged one"):
        Progress.load(state, ABOUT)


@needs_avx2
@pytest.mark.parametrize("name", ["exp", "log", "sqrt"])
@pytest.mark.parametrize("start", [0x00000000, 0x007F0000, 0x3F700000, 0x7F7F0000, 0x80000000, 0xC2CF0000, 0xFFFE0000])
def test_the_bridge_is_numpy_where_it_is_hard(runtime: Runtime, name: str, start: int) -> None:
    end = min(start + (1 << 18), 1 << 32)
    assert swept(functions.pair(name, "bridge"), start, end).differing == 0


@needs_avx2
def test_a_real_difference_is_found(runtime: Runtime) -> None:
    progress = swept(functions.pair("exp", "numsharp"), 0x3F850000, 0x3F860000)
    assert progress.table()[0].tolist() == [0x3F851592, 0x403504F2, 0x403504F4]


def test_what_cannot_be_swept(runtime: Runtime) -> None:
    with pytest.raises(CotrainError, match="the bridge has no exact function of one operand named 'tanh'; known names"):
        functions.pair("tanh", "bridge")
    with pytest.raises(CotrainError, match=r"no common float32 function of one operand named 'ex'; near names: exp"):
        functions.pair("ex", "numsharp")
    assert {"exp", "log", "sqrt", "tanh", "negative", "square"} <= set(functions.numsharp_names())
    assert "isnan" not in functions.numsharp_names()  # it gives no float32


@pytest.mark.full
@needs_avx2
@pytest.mark.parametrize("name", ["exp", "log", "sqrt"])
def test_the_bridge_is_numpy_on_all_inputs(runtime: Runtime, name: str) -> None:
    assert swept(functions.pair(name, "bridge"), 0, 1 << 32).differing == 0
