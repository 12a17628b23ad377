"""A layer on both sides: how it is made and called, what counts as a tap, and what a failure says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cotrain import CotrainError, Tap, view
from cotrain.clr import assemblies
from cotrain.testing import Diverged, LayerPair
from twin.fully_connected import FullyConnected
from twin.softmax_cross_entropy import SoftmaxCrossEntropy

pytestmark = pytest.mark.cotrain(gemm="openblas")

NEXT = np.float32(1.0000001)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


class Plain:
    """The twin of PlainLayer in tests/dotnet/TinyTrainer."""

    def __init__(self, w: np.ndarray, scale: float = 1) -> None:
        self.w, self.scale = w, np.float32(scale)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.dot(x, self.w) * self.scale

    def backward(self, x: np.ndarray, grad_output: np.ndarray) -> dict[str, np.ndarray]:
        return {"grad.w": np.dot(x.T, grad_output), "grad.input": np.dot(grad_output, self.w.T)}

    def pair(self, x: np.ndarray) -> tuple[np.ndarray, int]:
        return x, 7

    def throw(self, x: np.ndarray) -> None: ...

    nothing = text = lambda self: None


class Tapped:
    """The twin of TappedLayer."""

    def __init__(self, rows: int) -> None:
        self.buffer = np.zeros((rows, 4), np.float32)

    def forward(self, x: np.ndarray, bias: float = 0.5) -> Iterator[Any]:
        np.add(x, np.float32(bias), out=self.buffer)
        yield "biased", self.buffer
        self.buffer += self.buffer
        yield Tap("doubled", self.buffer, "biased + biased", ("biased",))
        yield "strided", self.buffer[::2, ::-1]
        yield "factor", np.float32(bias)
        yield Tap("exp", np.exp(self.buffer), "exp(doubled)", ("doubled",))


class Dense:
    """The twin's layer, with the arguments of its C# counterpart."""

    def __init__(self, name: str, batch: int, w: np.ndarray, b: np.ndarray, relu: bool) -> None:
        self.w, self.b = w, b
        self.layer = FullyConnected(name, (batch, *w.shape), relu=relu, x="x", gradient="gradient")

    def forward(self, x: np.ndarray) -> Iterator[Tap]:
        return self.layer.forward(x, self.w, self.b)

    def backward(self, x: np.ndarray, gradient: np.ndarray) -> Iterator[Tap]:
        return self.layer.backward(x, self.w, gradient)


DENSE = "MnistMlp.dll:MnistMlp.FullyConnectedFused"


@pytest.fixture
def tiny(tiny_assembly: Path) -> Callable[[str], str]:
    return lambda name: f"{tiny_assembly}:TinyTrainer.{name}"


# -- the flagship's layers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("relu", [True, False])
def test_the_flagships_dense_layer(layer_pair: Any, relu: bool) -> None:
    w, b, x, gradient = normal(784, 128), normal(128), normal(32, 784), normal(32, 128)
    layer = layer_pair(Dense, DENSE, name="fc", batch=32, w=w, b=b, relu=relu)
    assert list(layer.forward(x)) == ["fc.preact", "fc.output"]
    assert list(layer.backward(x, gradient)) == ["fc.grad.preact"] * relu + ["fc.grad.w", "fc.grad.b", "fc.grad.input"]
    assert layer.result.verdict == "identical"
    assert layer.result.compared.taps == len(layer.taps) == 5 + relu


class Loss:
    def __init__(self, batch: int, classes: int) -> None:
        self.run = SoftmaxCrossEntropy(batch, classes, logits="logits", labels="labels").run


@pytest.mark.parametrize("math", ["parity", "numsharp"])
def test_the_flagships_loss_takes_the_chosen_functions(layer_pair: Any, math: str) -> None:
    one_hot = np.eye(10, dtype=np.float32)[np.arange(20_000) % 10]
    layer = layer_pair(Loss, "MnistMlp.dll:MnistMlp.SoftmaxCrossEntropy", 20_000, 10, math=math)
    with (
        nullcontext()
        if math == "parity"
        else pytest.raises(Diverged, match=r"^divergence in run, loss\.(exps|mean) \(origin\)")
    ):
        for scale in range(1, 9):
            layer.call("run", normal(20_000, 10) * np.float32(scale), one_hot)


def test_a_changed_layer_fails_with_the_card(layer_pair: Any) -> None:
    class Mutated(Dense):
        def forward(self, x: np.ndarray) -> Iterator[Tap]:
            preact, output = super().forward(x)
            preact.value[3, 4] = np.nextafter(preact.value[3, 4], np.float32(9))
            yield preact
            yield output

    w, b, x = normal(784, 128), normal(128), normal(32, 784)
    layer = layer_pair(Mutated, DENSE, "fc", 32, w, b, True)
    with pytest.raises(Diverged) as caught:
        layer.forward(x)
    card = str(caught.value).splitlines()
    assert card[0] == "divergence in forward, fc.preact (origin)"
    assert card[1].endswith("Mutated and MnistMlp.FullyConnectedFused")
    assert "  element    [3, 4]  (flat 388)" in card
    assert "  distance   1 ulp, 1 bit" in card
    assert any(line.startswith("  NumPy      test_layer_pair.py:") for line in card)
    assert any(line.startswith("  NumSharp   dotnet/MnistMlp/FullyConnectedFused.cs:") for line in card)
    assert caught.value.result is layer.result
    assert layer.result.verdict == "diverged"


# -- how layers are made --------------------------------------------------------------------------------------


def test_arguments_by_position_by_name_and_by_default(layer_pair: Any, tiny: Any) -> None:
    x = normal(3, 5)
    for arguments, named in [((), {}), ((2,), {}), ((2.5,), {}), ((), {"scale": np.float32(0.1)})]:
        layer = layer_pair(Plain, tiny("PlainLayer"), normal(5, 4), *arguments, **named)
        layer.forward(x)
        layer.backward(x, grad_output=normal(3, 4))
    layer_pair(Plain, tiny("PlainLayer"), w=normal(5, 4)).forward(x=x)


def test_each_side_has_its_own_copy_in_the_same_layout(layer_pair: Any) -> None:
    seen = {}

    class Reference:
        def __init__(self, *arrays: np.ndarray) -> None:
            seen["reference"] = arrays

    class Candidate:
        def __init__(self, *arrays: Any) -> None:
            seen["candidate"] = tuple(map(view, arrays))

    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    arrays = (base, base.T, base[::2, ::-1], np.broadcast_to(np.float32(3), (2, 3)), base[:0], np.array(1.5), base > 3)
    layer_pair(Reference, Candidate, *arrays)
    for side in seen.values():
        for original, copy in zip(arrays, side, strict=True):
            assert (copy.dtype, copy.shape) == (original.dtype, original.shape)
            assert original.size == 0 or copy.strides == original.strides
            assert copy.tobytes() == original.tobytes()
            assert not np.shares_memory(copy, original)


def test_arrays_in_containers_are_given_too(layer_pair: Any, numsharp: Any) -> None:
    class Reference:
        def __init__(self, weights: dict[str, list[np.ndarray]]) -> None:
            self.w = weights["w"][0]

        def forward(self, x: np.ndarray) -> np.ndarray:
            return np.dot(x, self.w)

    class Candidate(Reference):
        def forward(self, x: Any) -> Any:
            return numsharp.np.dot(x, self.w)

    layer_pair(Reference, Candidate, weights={"w": [normal(5, 4)]}).forward(normal(3, 5))


def test_a_dotnet_class_that_python_holds_and_a_function_that_makes_one(layer_pair: Any, tiny: Any) -> None:
    layer_pair(Plain, tiny("PlainLayer"), normal(5, 4))  # loads the assembly
    dotnet = assemblies.namespace("TinyTrainer").PlainLayer
    for candidate in (dotnet, lambda w: dotnet(w, 1.0), partial(lambda w, scale: dotnet(w, scale), scale=1.0)):
        layer_pair(Plain, candidate, normal(5, 4)).forward(normal(3, 5))


def test_objects_that_are_there_already(layer_pair: Any, tiny: Any) -> None:
    class Functions:
        def relu(self, x: np.ndarray) -> np.ndarray:
            return np.maximum(x, np.float32(0))

        def reshape(self, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
            return x.reshape(shape)

    layer = layer_pair(Functions(), tiny("Functions"))
    layer.call("relu", normal(3, 4))
    assert layer.call("reshape", normal(3, 4), (2, 6))["reshape"].shape == (2, 6)


def test_the_csharp_object_is_disposed_at_the_end(runtime: Any, tiny: Any) -> None:
    with LayerPair(Plain, tiny("PlainLayer"), normal(5, 4)) as layer:
        dotnet = assemblies.namespace("TinyTrainer").PlainLayer
        before = dotnet.Alive
    assert dotnet.Alive == before - 1
    layer.close()
    assert dotnet.Alive == before - 1


# -- what counts as a tap -------------------------------------------------------------------------------------


def test_values_are_taken_when_they_are_tapped_not_after_the_call(layer_pair: Any, tiny: Any) -> None:
    layer = layer_pair(Tapped, tiny("TappedLayer"), rows=6)
    taps = layer.forward(normal(6, 4))
    assert list(taps) == ["biased", "doubled", "strided", "factor", "exp"]
    assert not np.array_equal(taps["biased"], taps["doubled"])
    layer.forward(normal(6, 4), bias=0.25)


def test_what_a_call_returns_is_named_after_the_method(layer_pair: Any, tiny: Any) -> None:
    layer = layer_pair(Plain, tiny("PlainLayer"), normal(5, 4))
    assert list(layer.call("pair", normal(3))) == ["pair[0]", "pair[1]"]
    assert layer.taps["pair[1]"].candidate == 7


def test_a_python_candidate_yields_and_lets_csharp_tap(layer_pair: Any, numsharp: Any, tiny: Any) -> None:
    class Reference(Tapped):
        def forward(self, x: np.ndarray) -> Iterator[Any]:
            yield "first", x
            yield from super().forward(x)
            yield "last", 3.0

    class Candidate:
        def __init__(self, rows: int, math: Any) -> None:
            self.layer = assemblies.namespace("TinyTrainer").TappedLayer(rows, math)

        def forward(self, x: Any, taps: Any) -> Iterator[Any]:
            yield "first", x
            self.layer.Forward(taps, x)
            yield "last", 3.0

    layer_pair(Plain, tiny("PlainLayer"), normal(5, 4))  # loads the assembly
    assert len(layer_pair(Reference, Candidate, 6).forward(normal(6, 4))) == 7


# -- failures -------------------------------------------------------------------------------------------------


def functions(reference: Any, candidate: Any) -> tuple[Any, Any]:
    """Two layers whose forward is a function."""
    return type("Left", (), {"forward": lambda self, x: reference(x)}), type(
        "Right", (), {"forward": lambda self, x: candidate(x)}
    )


def test_origin_and_inherited(layer_pair: Any, numsharp: Any) -> None:
    def reference(x: np.ndarray) -> Iterator[Any]:
        yield Tap("a", x * NEXT, "x * 1", ())
        yield Tap("b", x * x, "x * x", ())
        yield Tap("c", x * NEXT + 1, "a + 1", ("a",))

    def candidate(x: Any) -> Iterator[Any]:
        array = view(x)
        yield "a", x
        yield "b", array * array
        yield "c", array + 1

    layer = layer_pair(*functions(reference, candidate))
    with pytest.raises(Diverged, match=r"^divergence in forward, a \(origin\)(\n.*)*\n  after it   c differ too"):
        layer.forward(normal(4) + 9)
    assert [(found.tap, found.origin) for found in layer.result.divergences] == [("a", True), ("c", False)]


def test_what_an_earlier_call_left_differing_is_an_input_unless_declared(layer_pair: Any) -> None:
    class Reference:
        def forward(self, x: np.ndarray) -> dict[str, np.ndarray]:
            return {"output": x * NEXT}

        def backward(self, x: np.ndarray) -> Iterator[Any]:
            yield Tap("declared", x * NEXT, inputs=())
            yield "undeclared", x * NEXT

    class Candidate(Reference):
        def forward(self, x: Any) -> dict[str, Any]:
            return {"output": x}

        def backward(self, x: Any) -> Iterator[Any]:
            yield "declared", view(x) * NEXT
            yield "undeclared", x

    layer = layer_pair(Reference, Candidate)
    with pytest.raises(Diverged):
        layer.forward(normal(4) + 9)
    with pytest.raises(Diverged, match=r"^divergence in backward, undeclared \(inherited\)"):
        layer.backward(normal(4) + 9)
    assert layer.result.divergences[-1].inputs == {"declared": True, "output": False}


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ({"a": 1.0, "b": 2.0}, {"a": 1.0}, "the candidate ends the step without the tap b: float64[]"),
        ({"a": 1.0}, {"a": 1.0, "c": 2.0}, "the candidate has the tap c: float64[], which the reference lacks"),
        ({"a": np.zeros(2)}, {"a": np.zeros(3)}, "a has another shape: a: float64[2] in the reference"),
        ({"a": 1.0}, {"a": 1}, "a has another dtype: a: float64[] in the reference"),
    ],
)
def test_taps_that_do_not_line_up(layer_pair: Any, left: Any, right: Any, reason: str) -> None:
    layer = layer_pair(*functions(lambda x: left, lambda x: right))
    with pytest.raises(Diverged) as caught:
        layer.forward(normal(2))
    assert str(caught.value).startswith("structural divergence in forward\n")
    assert f"  structure  {reason}" in str(caught.value)


def test_calls_that_make_no_comparison(layer_pair: Any, tiny: Any) -> None:
    layer = layer_pair(Plain, tiny("PlainLayer"), normal(5, 4))
    x = normal(3, 5)
    for call, message in [
        (lambda: layer.call("nothing"), "nothing gives nothing to compare: neither side returns, yields or taps any"),
        (lambda: layer.call("text"), "the candidate's text failed: text returns a String, and arrays, numbers, and"),
        (
            lambda: layer.call("throw", x),
            "the candidate's throw failed, after tap before: InvalidOperationException: p",
        ),
        (
            lambda: layer.call("sideways", x),
            "the reference, Plain, has no method sideways; it has backward, forward, n",
        ),
        (
            lambda: layer_pair(Plain, tiny("TappedLayer"), normal(5, 4)),
            "new TappedLayer takes no (NDArray); it takes (I",
        ),
        (
            lambda: layer_pair(lambda *w: None, tiny("PlainLayer"), normal(5, 4), "x"),
            "new PlainLayer takes no (NDArray, String);",
        ),
        (lambda: layer_pair(lambda: None, tiny("Hidden")), "the type TinyTrainer.Hidden in TinyTrainer.dll is not pub"),
        (lambda: layer_pair(lambda: None, tiny("PlainLayr")), "TinyTrainer.dll has no public type TinyTrainer.PlainLa"),
        (
            lambda: layer_pair(lambda x: None, tiny("PlainLayer"), {}),
            "a dict cannot be handed to .NET; make the candida",
        ),
        (
            lambda: layer_pair(Plain(x), tiny("PlainLayer"), x),
            "the reference Plain is there already and cannot be made",
        ),
        (lambda: layer_pair(Plain, tiny("PlainLayer"), x, math="exact"), "math 'exact' is none of parity, numsharp"),
    ]:
        with pytest.raises(CotrainError) as caught:
            call()
        assert str(caught.value).startswith(message)
    x_y = type("XY", (Plain,), {"sideways": lambda self, x: x})
    with pytest.raises(
        CotrainError, match=r"^.*TinyTrainer.PlainLayer has no public method sideways; it has Backward, "
    ):
        layer_pair(x_y, tiny("PlainLayer"), normal(5, 4)).call("sideways", x)


def test_a_tap_twice_in_a_call(layer_pair: Any) -> None:
    layer = layer_pair(*functions(lambda x: [("a", x), ("a", x)], lambda x: {"a": x}))
    with pytest.raises(CotrainError, match=r"^the reference's forward taps a twice; tap names are unique in a call$"):
        layer.forward(normal(2))


def test_an_exception_of_the_python_layer_is_its_own(layer_pair: Any) -> None:
    def broken(x: np.ndarray) -> Iterator[Any]:
        yield "a", x
        raise ZeroDivisionError("mine")

    for pair in (functions(broken, lambda x: {"a": x}), functions(lambda x: {"a": x}, broken)):
        with pytest.raises(ZeroDivisionError, match=r"^mine$"):
            layer_pair(*pair).forward(normal(2))
