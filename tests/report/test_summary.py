"""The lines around a run."""

from __future__ import annotations

from cotrain.lockstep.result import Result, Verdict
from cotrain.report import summary


def test_the_table_per_tap() -> None:
    result = Result(verdict=Verdict.DIVERGED, on_diff="continue")
    for step in (3, 9):
        result.differences.add(step, "loss.exps", "exp", origin=True, elements=2, max_ulp=step)
    result.differences.add(9, "loss.softmax", "div", origin=False, elements=1000, max_ulp=None)
    assert summary.table_lines(result) == [
        "differing tap  as           steps     elements    largest ulp   first    last",
        "loss.exps      origin           2            4              9       3       9",
        "loss.softmax   inherited        1        1,000              -       9       9",
    ]


def test_no_table_without_differences() -> None:
    assert summary.table_lines(Result(on_diff="resync")) == []


def test_bytes_have_a_unit() -> None:
    assert [summary.size(n) for n in (0, 999, 1000, 14_511_546_400)] == ["0 B", "999 B", "1.0 kB", "14.5 GB"]
