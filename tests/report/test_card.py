"""The divergence card, word for word."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from report.results import divergence
from rich.console import Console

from cotrain.lockstep.names import SourceLine
from cotrain.lockstep.result import Place, Result, StructuralDivergence, TapShape, Verdict
from cotrain.report import card


def diverged(*, origin: bool = True, **changed: Any) -> Result:
    known: dict[str, Any] = {
        "op": "exp(shifted)",
        "inputs": {"loss.shifted": True},
        "reference_source": SourceLine("twin/softmax_cross_entropy.py", 54),
        "candidate_source": SourceLine("dotnet/MnistMlp/SoftmaxCrossEntropy.cs", 56),
    }
    tap = changed.pop("tap", "loss.exps")
    found = divergence(351, tap, origin=origin, **known | changed)
    return Result(verdict=Verdict.DIVERGED, divergences=[found], command="python -m cotrain.lockstep --steps 352")


def test_an_origin() -> None:
    assert card.plain(diverged()) == [
        "divergence at step 351, loss.exps (origin)",
        "  where      step 351 (epoch 7, batch 29)",
        "  tap        loss.exps  float32[128, 10]  = exp(shifted)",
        "  element    [44, 3]  (flat 443)",
        "  reference  1.0536708e-08  0x323504EF  0 01100100 01101010000010011101111",
        "  candidate  1.0536709e-08  0x323504F0  0 01100100 01101010000010011110000",
        "                                                                     ^^^^^",
        "  distance   1 ulp, 5 bits",
        "  differing  1 of 1,280 elements",
        "  inputs     all byte-equal: loss.shifted. The operation itself differs (origin)",
        "  NumPy      twin/softmax_cross_entropy.py:54",
        "  NumSharp   dotnet/MnistMlp/SoftmaxCrossEntropy.cs:56",
        "  again      python -m cotrain.lockstep --steps 352",
    ]


def test_an_inherited_one_names_the_inputs_that_differ() -> None:
    lines = card.plain(diverged(origin=False, inputs={"a": True, "b@-1": False}, differing=3, max_ulp=1234))
    assert lines[0] == "divergence at step 351, loss.exps (inherited)"
    assert "  inputs     b@-1 differ already (inherited)" in lines
    assert "  differing  3 of 1,280 elements, at most 1,234 ulp apart" in lines


def test_a_nan_and_an_integer() -> None:
    nan = diverged(
        candidate=np.float32("nan"), candidate_bits="0x7FC00000", ulp=None, max_ulp=None, reference_bits="0x7F800000"
    )
    assert "  distance   1 bit, no ulp distance" in card.plain(nan)
    integer = diverged(dtype="int64", reference_bits="0x" + "0" * 16, candidate_bits="0x8" + "0" * 15, ulp=None)
    [carets] = [line for line in card.plain(integer) if set(line.strip()) == {"^"}]
    assert carets.strip() == "^"


def test_the_state_before_step_0() -> None:
    assert "  where      before step 0 (initial state)" in card.plain(diverged(place=Place.of(-1, 46)))


def test_lists_side_by_side() -> None:
    found = StructuralDivergence(
        Place.of(2, None),
        1,
        (TapShape("doubled", "float32", (2, 4)), TapShape("scale", "float32", ())),
        (TapShape("scale", "float32", ()), TapShape("doubled", "float32", (2, 4))),
    )
    assert card.plain(Result(verdict=Verdict.DIVERGED, structural=found)) == [
        "structural divergence at step 2",
        "  where      step 2, tap number 1",
        "  structure  the taps come in another order: doubled in the reference, scale in the candidate",
        "             reference               | candidate",
        "             doubled: float32[2, 4]  | scale: float32[]",
        "             scale: float32[]        | doubled: float32[2, 4]",
    ]


@pytest.mark.parametrize("width", [60, 120])
def test_text_from_outside_is_no_markup(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # rich takes a dumb terminal for 80 columns wide, whatever it is told
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    console.print(card.rich_card(diverged(tap="[red]x[/]", op="[b]y")))
    assert "[red]x[/]" in stream.getvalue()
    assert "[b]y" in stream.getvalue()
    assert all(len(line) <= width for line in stream.getvalue().splitlines())
