"""``--taps``: what can stop a run and is counted."""

from __future__ import annotations

import pytest

from cotrain.errors import CotrainError
from cotrain.lockstep.selection import Selection, near_names

NAMES = ["loss.exps", "loss.mean", "adam.fc1.w.p", "adam.fc1.w.m"]
GROUPS = {"weights": "adam.*.p"}


def chosen(text: str) -> list[str]:
    selection = Selection(text, GROUPS)
    selection.check(NAMES)
    return [name for name in NAMES if name in selection]


def test_all_takes_every_tap() -> None:
    assert chosen("all") == NAMES


def test_names_globs_and_groups() -> None:
    assert chosen("loss.exps") == ["loss.exps"]
    assert chosen("loss.*, weights") == ["loss.exps", "loss.mean", "adam.fc1.w.p"]


def test_a_pattern_without_a_match_lists_near_names() -> None:
    with pytest.raises(CotrainError, match=r"no tap of this run matches 'loss.expz'; near names: loss.exps"):
        chosen("loss.mean,loss.expz")


def test_no_pattern_at_all() -> None:
    with pytest.raises(CotrainError, match="no tap pattern given"):
        Selection(" , ")


def test_nothing_near_lists_all() -> None:
    assert near_names("zzzz", ["a", "b", "a"]) == "known names: a, b"
