"""Traces: equal runs have equal files, and two runs part where they part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cotrain.errors import CotrainError
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.trace import Recording, Trace, compare, load, save
from cotrain.trace.__main__ import main

MakePair = Callable[..., Pair]
ABOUT: dict[str, object] = {"pins": {"kernel": "Haswell"}}


def record(pair: Pair, **keywords: object) -> Trace:
    recording = Recording()
    pair.run(recorder=recording, **keywords)  # type: ignore[arg-type]
    return recording.trace(ABOUT)


@pytest.fixture
def saved(tiny_pair: MakePair, tmp_path: Path) -> Path:
    save(record(tiny_pair()), tmp_path / "a.npz")
    return tmp_path / "a.npz"


def test_two_equal_runs_have_equal_files(tiny_pair: MakePair, saved: Path) -> None:
    again = saved.with_name("b.npz")
    save(record(tiny_pair(), mode="sequence"), again)
    assert again.read_bytes() == saved.read_bytes()


def test_what_is_loaded_is_what_was_recorded(tiny_pair: MakePair, saved: Path) -> None:
    trace = load(saved)
    assert trace == record(tiny_pair())
    assert [step.step for step in trace.steps] == [-1, 0, 1, 2, 3, 4, 5]
    assert trace.layouts[1].names == ("count", "doubled", "scale", "total")


@pytest.mark.parametrize("mode", ["overlap", "sequence"])
def test_a_difference_of_one_side_is_named(tiny_pair: MakePair, mode: str) -> None:
    before = record(tiny_pair())
    now = record(tiny_pair(), on_diff="continue", inject=[Injection(3, "doubled", 0, 22)], mode=mode)
    assert compare(before, now, "reference") is None
    part = compare(before, now, "candidate")
    assert part is not None
    assert (part.step, part.tap, part.differing_taps) == (3, "doubled", 2)


def test_the_command_says_where_runs_part(tiny_pair: MakePair, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = saved.with_name("b.npz")
    trace = record(tiny_pair(), on_diff="resync", inject=[Injection(3, "doubled", 0, 0)])
    save(Trace({"pins": {"kernel": "Nehalem"}}, trace.layouts, trace.steps), other)
    assert main([str(saved), str(other)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "pins and options that differ:",
        "  pins.kernel: Haswell -> Nehalem",
        "the candidate parts at step 3, doubled: other bytes",
    ]
    assert main([str(saved), str(saved)]) == 0
    assert capsys.readouterr().out == "equal: 6 steps, 25 taps on reference and candidate\n"


def test_other_taps_are_named(tiny_pair: MakePair) -> None:
    trace = record(tiny_pair())
    renamed = [
        replace(layout, names=("number", *layout.names[1:])) if layout.names[0] == "count" else layout
        for layout in trace.layouts
    ]
    part = compare(trace, Trace(ABOUT, renamed, trace.steps), "reference")
    assert part is not None
    assert (part.step, part.tap) == (0, "count")
    assert part.reason == "the taps differ: the other run has number there"


@pytest.mark.parametrize("keep", [0, 10, 400, -1])
def test_a_truncated_file_is_refused(saved: Path, keep: int) -> None:
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(CotrainError, match="is no trace, or a damaged one"):
        load(saved)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(CotrainError, match="there is no trace"):
        load(tmp_path / "none.npz")
    with pytest.raises(CotrainError, match="is a directory, not a trace"):
        load(tmp_path)
