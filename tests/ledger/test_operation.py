"""What is read from a tap's op text, and how its operands are found among the tap's inputs."""

import numpy as np
import pytest

from cotrain.ledger.operation import parse


@pytest.mark.parametrize(
    ("text", "name", "axis", "keepdims"),
    [
        ("exp(shifted)", "exp", None, False),
        ("np.exp(x)", "exp", None, False),
        ("mean(per_sample)", "mean", None, False),
        ("x.mean()", "mean", None, False),
        ("x.sum(axis=-1)", "sum", -1, False),
        ("sum(gradient, axis=0)", "sum", 0, False),
        ("max(logits, axis=1, keepdims=True)", "max", 1, True),
        ("np.amax(logits, axis=None)", "max", None, False),
        ("x @ w", "matmul", None, False),
        ("np.dot(x.T, gradient)", "matmul", None, False),
        ("x ** 3", "power", None, False),
        ("power(x, -0.5)", "power", None, False),
        ("m / (2)", "divide", None, False),
    ],
)
def test_single_operations(text, name, axis, keepdims):
    found = parse(text)
    assert (found.name, found.axis, found.keepdims) == (name, axis, keepdims)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "exp",
        "x",
        "a sentence about it",
        "max(preact + b, 0)",
        "(softmax - one_hot(y)) * (1 / batch)",
        "beta1 * m + (1 - beta1) * g",
        "-exp(x)",
        "exp(-x)",
        "exp(x)[0]",
        "sum(x, 0)",  # an axis, or a start?
        "max(softmax, 1e-7)",  # elementwise
        "sum(x, axis=(0, 1))",
        "sum(x, axis=axis)",
        "sum(x, where=mask)",
        "sum(x, dtype=float64)",
        "sum(*x)",
        "exp(x, axis=0)",
        "np.maximum.reduce(x)",
        "x = exp(y)",
        "exp()",
        "exp(x",
        "x ^ y",
        "power(x, True)",
    ],
)
def test_what_is_more_than_one_operation_or_none(text):
    assert parse(text) is None


def test_operands_are_the_inputs_in_order():
    x, gradient = np.zeros((5, 3), np.float32), np.zeros((5, 2), np.float32)
    left, right = parse("x.T @ gradient").arguments([x, gradient], x.dtype)
    assert (left.shape, right.shape) == ((3, 5), (5, 2))
    assert left.base is x


def test_a_name_used_twice_is_one_input():
    x = np.ones(3, np.float32)
    assert parse("g * g").arguments([x], x.dtype) == (x, x)


def test_numbers_take_the_results_dtype():
    x = np.ones(3, np.float32)
    found, exponent = parse("x ** -0.5").arguments([x], x.dtype)
    assert found is x
    assert (exponent.dtype, exponent.shape, float(exponent)) == (np.float32, (), -0.5)


def test_another_number_of_inputs_fits_no_operation():
    x = np.ones(3, np.float32)
    assert parse("exp(x)").arguments([x, x], x.dtype) is None
    assert parse("x @ w").arguments([x], x.dtype) is None
