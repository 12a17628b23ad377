"""The scalar audit: every scalar expression of the trainer, with its bits wherever it is rounded.

C#: ``dotnet/MnistMlp/Scalars.cs``, with rows of the same names. Neither side repeats a value: both take it from
their trainer (``source``), and ``formula`` says independently what it has to be, in NumPy scalars, where each
operator rounds once. ``scalar_audit.py`` sets the two sides beside each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from twin import adam, mlp_trainer, mnist_loader, softmax_cross_entropy
from twin.buffers import Float32

_STEPS = 4
_GRADIENTS = (0.5, 1.57)
_FIRST_DRAW = "0.3745401188473625"


class Row(NamedTuple):
    """A scalar of float32 or float64 as one side has it."""

    name: str
    formula: str
    """What it is, from the names of rows above it; each operator rounds to the dtype of its operands."""
    source: str
    """The expression that its bits were read from."""
    dtype: str
    bits: str
    instead_of: str = ""
    """The row that it must not be mistaken for; empty for what the trainer uses."""


class _Declared(NamedTuple):
    name: str
    formula: str
    source: str = ""
    """Empty: the trainer does not hold this intermediate; the formula is the source."""


def _declared() -> list[_Declared]:
    rows = [
        _Declared("lr", "float32(1e-3)", "adam.LEARNING_RATE"),
        _Declared("beta1", "float32(0.9)", "adam.BETA1"),
        _Declared("one_minus_beta1", "float32(1) - beta1", "adam.ONE_MINUS_BETA1"),
        _Declared("beta2", "float32(0.999)", "adam.BETA2"),
        _Declared("one_minus_beta2", "float32(1) - beta2", "adam.ONE_MINUS_BETA2"),
        _Declared("epsilon", "float32(1e-7)", "adam.EPSILON"),
    ]
    for step in range(_STEPS):
        for beta in (1, 2):
            before = f"beta{beta}_product_{step - 1}" if step else "float32(1)"
            product, correction = f"beta{beta}_product_{step}", f"correction{beta}_{step}"
            rows.append(_Declared(product, f"{before} * beta{beta}", f"products[{step}].beta{beta}_product.value"))
            rows.append(_Declared(correction, f"float32(1) - {product}", f"products[{step}].correction{beta}"))
    # One element, 0.5 at first, with these gradients: the update of step 1 in all detail.
    rows += [
        _Declared("g_0", f"float32({_GRADIENTS[0]})"),
        _Declared("g_1", f"float32({_GRADIENTS[1]})"),
        _Declared("m_0", "beta1 * float32(0) + one_minus_beta1 * g_0", "element[0].m.value[0]"),
        _Declared("m_decayed", "beta1 * m_0"),
        _Declared("m_gained", "one_minus_beta1 * g_1"),
        _Declared("m_1", "m_decayed + m_gained", "element[1].m.value[0]"),
        _Declared("v_0", "one_minus_beta2 * (g_0 * g_0)", "element[0].v.value[0]"),
        _Declared("v_decayed", "beta2 * v_0"),
        _Declared("g_squared", "g_1 * g_1"),
        _Declared("v_gained", "one_minus_beta2 * g_squared"),
        _Declared("v_1", "v_decayed + v_gained", "element[1].v.value[0]"),
        _Declared("m_hat", "m_1 / correction1_1", "element[1].m_hat.value[0]"),
        _Declared("v_hat", "v_1 / correction2_1", "element[1].v_hat.value[0]"),
        _Declared("root", "sqrt(v_hat)"),
        _Declared("denominator", "root + epsilon"),
        _Declared("numerator", "lr * m_hat"),
        _Declared("change", "numerator / denominator"),
        _Declared("p_0", "float32(0.5) - (lr * (m_0 / correction1_0)) / (sqrt(v_0 / correction2_0) + epsilon)",
                  "element[0].p.value[0]"),
        _Declared("p_1", "p_0 - change", "element[1].p.value[0]"),
        _Declared("clip", "float32(1e-7)", "softmax_cross_entropy.CLIP"),
    ]  # fmt: skip
    for batch in (1, 32, 100, 128, 6000):
        source = f"softmax_cross_entropy.gradient_factor({batch})"
        rows.append(_Declared(f"factor_{batch}", f"float32(1) / float32({batch})", source))
    return [
        *rows,
        # The mean of the logarithms: summed in float32, divided in float64, rounded.
        _Declared("log_sum", "float32(-1) + float32(-2) + float32(-4)"),
        _Declared("log_quotient", "float64(log_sum) / float64(3)"),
        _Declared("log_mean", "float32(log_quotient)", "np.mean(np.array([-1, -2, -4], np.float32))"),
        _Declared("loss", "-log_mean", "np.float32(mlp_trainer.loss(0, np.full((), log_mean)))"),
        _Declared("accuracy", "float64(2) / float64(3)", "np.float64(mlp_trainer.share(2, 3))"),
        _Declared("pixel_factor", "float32(1) / float32(255)", "mnist_loader.PIXEL_FACTOR"),
        _Declared("pixel_7", "float32(7) * pixel_factor"),
        _Declared("noise", "float64(2.5)", "np.float64(mnist_loader.NOISE)"),
        _Declared("draw", f"float64({_FIRST_DRAW})", "np.random.RandomState(42).random_sample(1)[0]"),
        _Declared("draw_doubled", "draw * float64(2)"),
        _Declared("draw_shifted", "draw_doubled - float64(1)"),
        _Declared("template", "float32(draw_shifted)", "mnist_loader.stretched(np.full(1, draw))[0]"),
        _Declared("he_variance", "float64(2) / float64(784)"),
        _Declared("he", "sqrt(he_variance)", "mlp_trainer.HE"),
        _Declared("xavier_variance", "float64(2) / float64(138)"),
        _Declared("xavier", "sqrt(xavier_variance)", "mlp_trainer.XAVIER"),
    ]


_PITFALLS = (
    ("one_minus_beta1", "the literal", "float32(0.1)"),
    ("one_minus_beta1", "in float64, then rounded", "float32(float64(1) - float64(0.9))"),
    ("one_minus_beta2", "the literal", "float32(0.001)"),
    ("one_minus_beta2", "in float64, then rounded", "float32(float64(1) - float64(0.999))"),
    ("beta1_product_1", "a power in float64", "float32(float64(0.9) ** 2)"),
    ("beta2_product_3", "a power in float64", "float32(float64(0.999) ** 4)"),
    ("correction2_0", "in float64, then rounded", "float32(float64(1) - float64(0.999))"),
    # In float64 the product is exact.
    ("m_1", "product and sum fused", "float32(float64(beta1) * float64(m_0) + float64(m_gained))"),
    ("m_hat", "by the reciprocal", "m_1 * (float32(1) / correction1_1)"),
    ("v_1", "multiplied from the left", "beta2 * v_0 + (one_minus_beta2 * g_1) * g_1"),
    ("change", "divided first", "lr * (m_hat / denominator)"),
    ("pixel_7", "a division", "float32(7) / float32(255)"),
    ("he", "rounded to float32", "float64(float32(he))"),
)
"""What a port may write instead of a row above, in words and as an expression, whose bits differ."""


def rows() -> list[Row]:
    """All rows of this side, then the pitfalls. ValueError when the trainer does not have what a formula says."""
    names: dict[str, Any] = {"float32": np.float32, "float64": np.float64, "sqrt": np.sqrt}
    modules = (adam, mlp_trainer, mnist_loader, softmax_cross_entropy)
    trainer: dict[str, Any] = {each.__name__.removeprefix("twin."): each for each in modules}
    trainer |= {"np": np, "products": _products(), "element": _element()}
    found = []
    for name, formula, source in _declared():
        wanted = _evaluate(formula, names)
        # The texts are constants of this file: evaluating them is what keeps the page and the value together.
        value = _evaluate(source, {**trainer, **names}) if source else wanted
        row = Row(name, formula, source or formula, value.dtype.name, _bits(value))
        if (row.dtype, row.bits) != (wanted.dtype.name, _bits(wanted)):
            raise ValueError(f"{name} is {formula}, {_bits(wanted)}, but {source} is {row.dtype} {row.bits}")
        names[name] = value
        found.append(row)
    for instead_of, name, formula in _PITFALLS:
        value = _evaluate(formula, names)
        found.append(Row(name, formula, formula, value.dtype.name, _bits(value), instead_of))
    return found


def candidate_rows() -> list[Row]:
    """The rows of C#; starts .NET. CotrainError (UNSUPPORTED) when it cannot run."""
    from cotrain import clr
    from cotrain.clr import assemblies

    clr.load_assembly("MnistMlp.dll")
    return [
        Row(each["Name"], "", each["Source"], each["Dtype"], each["Bits"], each["InsteadOf"])
        for each in json.loads(str(assemblies.namespace("MnistMlp").Scalars.Json()))
    ]


def table() -> list[dict[str, str]]:
    """The rows of this side as JSON holds them, without the expressions."""
    keys = ("name", "dtype", "bits", "instead_of")
    return [{key: getattr(row, key) for key in keys} for row in rows()]


def _products() -> list[adam.Adam]:
    """The running products after each of the first steps, by the trainer's own code."""
    products = [adam.Adam()]
    products[0].reset()
    for _ in range(_STEPS):
        products.append(adam.Adam())
        list(products[-1].advance(products[-2]))
    return products[1:]


def _element() -> list[adam.AdamParameter]:
    """A parameter of one element after each of two steps, by the trainer's own code."""
    states = [adam.AdamParameter("element", (1,), gradient="g")]
    states[0].reset(_vector(0.5))
    for products, gradient in zip(_products(), _GRADIENTS, strict=False):
        states.append(adam.AdamParameter("element", (1,), gradient="g"))
        list(states[-1].update(states[-2], _vector(gradient), products))
    return states[1:]


def _vector(value: float) -> Float32:
    return np.full(1, value, np.float32)


def _evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    return eval(expression, {"__builtins__": {}}, dict(names))


def _bits(value: Any) -> str:
    array = np.asarray(value)
    return f"0x{int(array.view(f'u{array.itemsize}')):0{2 * array.itemsize}X}"
