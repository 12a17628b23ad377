"""The reference as a mapping shows it: which taps, under which names, computed from what. No .NET here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cotrain.adapter.mapping import read
from cotrain.adapter.selected import SelectedTrainer
from cotrain.errors import CotrainError
from cotrain.lockstep.names import TapNames
from cotrain.protocol import Metric, Tap

TEXT = """\
assembly = "Any.dll"
[feed]
x = { tap = "data", one_hot = 3 }
noise = "noise"
[parameters]
p = "o.P"
[[calls]]
[calls.taps]
out = "o.Out"
loss = { member = "o.Loss", of = "mean", negate = true }
new = { member = "o.P", of = "p" }
"""


class Small:
    """noise -> hidden -> out -> mean; p from p@-1, out and a moment that no mapping names."""

    metrics: Mapping[str, Metric] = {
        "loss": Metric("mean", lambda step, value: float(-value), per_step=True),
        "hidden": Metric("hidden", lambda step, value: 0.0),
    }
    parameters = ("p", "m")

    def __init__(self) -> None:
        self.p = np.ones(2, np.float32)
        self.lacks = ""

    def initial(self) -> Iterator[Tap]:
        yield Tap("init.p", self.p, as_input="p@-1")
        yield Tap("init.m", self.p, as_input="m@-1")
        yield Tap("data", np.array([0, 2, 1], np.uint8), as_input="x")

    def step(self, step: int) -> Iterator[Tap]:
        for tap in (
            Tap("noise", np.full(3, step, np.float32), "draw", ()),
            Tap("hidden", np.ones(3, np.float32), "h", ("noise", "p@-1", "x")),
            Tap("out", np.ones(3, np.float32), "o", ("hidden", "p@-1")),
            Tap("mean", np.full((), -0.5, np.float32), "m", ("out",)),
            Tap("m", np.zeros(2, np.float32), "m", ("m@-1", "out")),
            Tap("p", self.p, "p - m", ("p@-1", "m")),
        ):
            if tap.name != self.lacks:
                yield tap

    def state(self) -> Mapping[str, Any]:
        return {"p": self.p, "m": self.p}


class Given:
    def __init__(self) -> None:
        self.initial: dict[str, Any] = {}
        self.steps: list[tuple[str, int, list[float]]] = []

    def give(self, name: str, value: Any) -> None:
        self.initial[name] = value

    def give_step(self, name: str, step: int, value: Any) -> None:
        self.steps.append((name, step, value.tolist()))


@pytest.fixture
def given() -> Given:
    return Given()


@pytest.fixture
def selected(tmp_path: Path, given: Given) -> SelectedTrainer:
    file = tmp_path / "model.toml"
    file.write_text(TEXT)
    return SelectedTrainer(Small(), read(file), given)


def test_only_mapped_taps_are_shown_under_their_names(selected: SelectedTrainer) -> None:
    assert [tap.name for tap in selected.initial()] == ["init.p", "feed.x"]
    assert [tap.name for tap in selected.step(0)] == ["out", "loss", "new"]


def test_inputs_are_traced_back_to_what_is_shown(selected: SelectedTrainer) -> None:
    # hidden is not shown, so out is computed from what hidden is; the moment counts as a part of the update.
    start = [tap.as_input for tap in selected.initial()]
    taps = list(selected.step(0))
    assert start == ["new@-1", "x"]
    assert [tap.inputs for tap in taps] == [("new@-1", "x"), ("out",), ("new@-1", "out")]


def test_inputs_that_nobody_declared_stay_undeclared(selected: SelectedTrainer) -> None:
    inner = selected._inner
    inner.step = lambda step: iter(  # type: ignore[method-assign]
        [Tap(name, np.ones(2), inputs=None) for name in ("noise", "out", "mean", "p")]
    )
    list(selected.initial())
    assert [tap.inputs for tap in selected.step(0)] == [None, None, None]


def test_negation_is_exact_and_keeps_an_array(selected: SelectedTrainer) -> None:
    list(selected.initial())
    loss = list(selected.step(0))[1].value
    assert isinstance(loss, np.ndarray)
    assert (loss.dtype, loss.shape, float(loss)) == (np.float32, (), 0.5)


def test_metrics_follow_their_taps(selected: SelectedTrainer) -> None:
    [(name, metric)] = selected.metrics.items()
    assert (name, metric.tap, metric.per_step, metric.compute(0, np.float32(0.5))) == ("loss", "loss", True, 0.5)


def test_the_candidate_is_given_copies(selected: SelectedTrainer, given: Given) -> None:
    taps = {tap.name: tap.value for tap in selected.initial()}
    assert given.initial.keys() == {"p", "x"}
    assert not np.shares_memory(given.initial["p"], taps["init.p"])
    assert given.initial["x"].tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert given.initial["x"].dtype == np.float32


def test_what_comes_before_step_0_is_read_at_its_yield(selected: SelectedTrainer, given: Given) -> None:
    room = np.ones(2, np.float32)

    def initial() -> Iterator[Tap]:
        yield Tap("init.p", room)
        room[:] = 7
        yield Tap("data", np.array([0], np.uint8))

    selected._inner.initial = initial  # type: ignore[method-assign]
    assert [tap.value.tolist() for tap in selected.initial()] == [[1, 1], [[1, 0, 0]]]
    assert given.initial["p"].tolist() == [1, 1]


def test_a_feed_of_the_step_is_given_in_each(selected: SelectedTrainer, given: Given) -> None:
    list(selected.initial())
    list(selected.step(0))
    list(selected.step(1))
    assert given.steps == [("noise", 0, [0, 0, 0]), ("noise", 1, [1, 1, 1])]


def test_the_state_is_that_of_the_mapped_parameters(selected: SelectedTrainer) -> None:
    assert selected.parameters == ("p",)
    assert selected.state().keys() == {"p"}


def test_a_tap_that_the_first_step_lacks(selected: SelectedTrainer) -> None:
    selected._inner.lacks = "out"  # type: ignore[attr-defined]
    list(selected.initial())
    with pytest.raises(CotrainError, match=r"model\.toml, line 9, .*: the reference has no tap out in step 0"):
        list(selected.step(0))


def test_a_feed_that_a_later_step_lacks(selected: SelectedTrainer) -> None:
    # Nobody trains on the batch of an earlier step.
    list(selected.initial())
    list(selected.step(0))
    selected._inner.lacks = "noise"  # type: ignore[attr-defined]
    with pytest.raises(CotrainError, match=r"line 4, \[feed\], noise: the reference has no tap noise in step 1"):
        list(selected.step(1))


def test_the_line_of_the_inner_trainers_yield_is_found(selected: SelectedTrainer) -> None:
    names = TapNames(lambda name: 0)
    list(selected.initial())
    taps = selected.step(0)
    source = names.info(next(iter(taps)), taps).source
    assert source is not None
    assert source.file.endswith("test_selected.py")
