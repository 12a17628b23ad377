"""Paths and calls as a mapping writes them."""

from __future__ import annotations

import pytest

from cotrain.adapter.expressions import Path, Step, parse_call, parse_path
from cotrain.adapter.places import Spot
from cotrain.errors import CotrainError

AT = Spot(7, "model.toml, line 7")


@pytest.mark.parametrize(
    ("text", "root", "steps"),
    [
        ("grad", "grad", ()),
        ("fc1.Output", "fc1", (Step(member="Output"),)),
        ("fc1.Grads[w]", "fc1", (Step(member="Grads"), Step(key="w"))),
        ("fc1.Grads['w 1']", "fc1", (Step(member="Grads"), Step(key="w 1"))),
        ("net.Layers[0].Output", "net", (Step(member="Layers"), Step(index=0), Step(member="Output"))),
        (" fc1 . Output ", "fc1", (Step(member="Output"),)),
    ],
)
def test_paths(text: str, root: str, steps: tuple[Step, ...]) -> None:
    assert parse_path(text, AT) == Path(root, steps)


def test_a_call_has_a_target_a_method_and_arguments() -> None:
    call = parse_call("net.Layers[1].Forward(fc1.Output, 3, -1.5e-3, true, 'relu', grad)", AT)
    assert str(call.target) == "net.Layers[1]"
    assert call.method == "Forward"
    assert call.arguments == (Path("fc1", (Step(member="Output"),)), 3, -0.0015, True, "relu", Path("grad"))


def test_a_call_without_arguments() -> None:
    assert parse_call("fc1.Reset()", AT).arguments == ()


@pytest.mark.parametrize(
    "text", ["", "fc1.", "fc1..w", "fc1[w", "fc1[-1]", "fc1[1.5]", "fc1.F(x)", "1", "fc1 w", "fc1;w"]
)
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(CotrainError) as error:
        parse_path(text, AT)
    assert str(error.value) == f"model.toml, line 7: {text!r} is not a path such as fc1.Grads[w]"


@pytest.mark.parametrize(
    "text", ["fc1", "fc1.Forward", "Forward(x)", "fc1.F(x", "fc1.F(x,)", "fc1.F(x))", "fc1[w](x)", "fc1.F(=)"]
)
def test_what_is_no_call(text: str) -> None:
    with pytest.raises(CotrainError) as error:
        parse_call(text, AT)
    assert str(error.value) == f"model.toml, line 7: {text!r} is not a call such as fc1.Forward(x)"
