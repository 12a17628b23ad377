"""Where a NaN, an infinity or a denormal was first met, on either side, also when both are equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.report.summary import birth_lines

MakePair = Callable[..., Pair]


def test_a_nan_of_the_candidate(tiny_pair: MakePair) -> None:
    result = tiny_pair(fault="nan").run(on_diff="continue")
    [birth] = result.births
    assert (birth.side, birth.kind, birth.place.step) == ("candidate", "nan", 2)
    assert (birth.tap, birth.flat_index) == ("total", 1)
    assert birth_lines(result) == ["first nan on the candidate: step 2, total, flat index 1"]


def test_an_ordinary_run_has_none(tiny_pair: MakePair) -> None:
    assert tiny_pair().run().births == []


@pytest.mark.parametrize(
    ("bit", "index", "kind"),
    # fc1.output holds zeros (ReLU) and ordinary numbers: the lowest bit of a zero is the smallest denormal.
    [(0, "zero", "denormal"), (22, "zero", "denormal")],
)
def test_a_denormal(flagship: MakePair, bit: int, index: str, kind: str) -> None:
    pair = flagship(3)
    pair.step()
    assert pair.taps is not None
    output = pair.taps.values[pair.taps.find("fc1.output")]
    zero = int(np.flatnonzero(output.ravel() == 0)[-1])
    result = flagship(3).run(inject=[Injection(0, "fc1.output", zero, bit)])
    births = [birth for birth in result.births if birth.tap == "fc1.output"]
    assert [(b.side, b.kind, b.place.step, b.flat_index) for b in births] == [("candidate", kind, 0, zero)]


def test_an_infinity_and_a_nan(flagship: MakePair) -> None:
    # Each row's largest exp is 1.0, 0x3F800000: with bit 30 it is infinity.
    pair = flagship(3)
    pair.step()
    assert pair.taps is not None
    exps = pair.taps.values[pair.taps.find("loss.exps")]
    one = int(np.flatnonzero(exps.ravel() == 1)[0])
    result = flagship(3).run(inject=[Injection(0, "loss.exps", one, 30)])
    found = [(b.side, b.kind, b.tap) for b in result.births if b.kind != "denormal"]
    assert found[0] == ("candidate", "infinity", "loss.exps")
    assert ("candidate", "nan", "loss.softmax") in found
