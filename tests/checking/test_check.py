"""One operation on both sides: equal, or the card of the first element that differs."""

from __future__ import annotations

import numpy as np
import pytest

from cotrain.checking import check
from cotrain.checking.expression import as_op, spell
from cotrain.clr import Runtime
from cotrain.errors import CotrainError

pytestmark = pytest.mark.usefixtures("runtime")
A = np.random.default_rng(0).standard_normal((128, 10)).astype(np.float32)


@pytest.fixture(autouse=True)
def started(runtime: Runtime) -> None:
    """.NET runs."""


@pytest.mark.parametrize(
    ("text", "operands", "named", "expected"),
    [
        ("exp", 1, (), "np.exp(a)"),
        ("np.dot", 2, (), "np.dot(a, b)"),
        ("sum(x, axis=0)", 0, ("x",), "np.sum(x, axis=0)"),
        ("np.exp(a[::2].T)", 0, ("a",), "np.exp(a[::2].T)"),
        ("x + y", 0, ("x", "y"), "x + y"),
    ],
)
def test_how_an_expression_is_spelled(text: str, operands: int, named: tuple[str, ...], expected: str) -> None:
    assert spell(text, operands, named) == expected


def test_the_ledger_reads_it_without_np() -> None:
    assert as_op("np.sum(np.exp(a), axis=0)") == "sum(exp(a), axis=0)"


def test_equal() -> None:
    found = check("exp", A)
    assert found.equal
    assert str(found) == "equal: np.exp(a), 1,280 elements of float32[128, 10]"


def test_a_known_difference_shows_operand_bits_and_entry() -> None:
    operand = np.array([[0x3F800000, 0x3F851592]], np.uint32).view(np.float32)
    found = check("exp", operand)
    assert not found.equal
    text = str(found)
    assert "element    [0, 1]  (flat 1)" in text
    assert "0x403504F2" in text
    assert "0x403504F4" in text
    assert "operand    a[0, 1] = 1.0397208  0x3F851592" in text
    assert "known      exp-float32; " in text


def test_a_whole_sum_and_products() -> None:
    assert check("np.sum(a, axis=0)", a=A).equal
    assert not check("sum", np.abs(A).ravel()).equal
    assert check("dot", A, A.T).equal
    native = check("dot", A, A.T, gemm_backend="native")
    assert native.divergence is not None
    assert native.divergence.excuse == "gemm-native-float32"
    assert check("dot", A, A.T).equal  # the backend is restored


def test_layouts_reach_both_sides_as_they_are() -> None:
    for operand in (A[::2], A.T, A[:, ::-1], np.asfortranarray(A)):
        assert check("log(abs(a))", a=operand).equal


def test_another_dtype_or_shape_is_a_sentence() -> None:
    found = check("np.std(a)", a=np.ones(1, np.float32))
    assert str(found) == "np.std(a): NumPy gives float32[], NumSharp float64[]"
    assert not found.equal


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exp(", "'exp(' is no expression: "),
        ("expp(a)", "'expp(a)' has the name expp, which is no operand and no function of NumPy"),
        ("np.sum(a, axis=7)", "NumPy cannot compute np.sum(a, axis=7): AxisError: "),
        ("np.sinc(a)", "NumSharp cannot compute np.sinc(a): "),
        ("a.tolist", "NumPy gives a builtin_function_or_method for a.tolist, which is no array and no number"),
    ],
)
def test_what_cannot_be_checked(text: str, said: str) -> None:
    with pytest.raises(CotrainError) as caught:
        check(text, a=A)
    assert str(caught.value).startswith(said)
