"""What a tap's op text says: one call or one binary operation on named operands, or something that is neither."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "var", "std", "prod"})
"""Calls of one operand that fold an axis, or the whole array."""

_SAME = {"amax": "max", "amin": "min", "dot": "matmul"}
_BINARY: dict[type[ast.operator], str] = {
    ast.MatMult: "matmul",
    ast.Pow: "power",
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}
_NUMPY = ("np", "numpy")


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: a name, perhaps transposed, or a number."""

    name: str = ""
    transposed: bool = False
    number: float | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """A single operation, as :func:`parse` reads it from an op text."""

    name: str
    """NumPy's name of the function: ``exp``, ``sum``; ``matmul`` for ``@`` and ``dot``, ``power`` for ``**``."""
    operands: tuple[Operand, ...]
    axis: int | None = None
    """Of a reduction; None folds the whole array."""
    keepdims: bool = False

    def arguments(self, inputs: Sequence[Array | None], dtype: np.dtype[Any]) -> tuple[Array | None, ...] | None:
        """The operands' values, from the tap's inputs in declared order: the first names the first, and so on.

        Numbers become 0-d arrays of ``dtype``, ``x.T`` a transposed view; what is unknown (None) stays so. None
        when there are more or fewer inputs than names.
        """
        names = list(dict.fromkeys(operand.name for operand in self.operands if operand.number is None))
        if len(names) != len(inputs):
            return None
        values = dict(zip(names, inputs, strict=True))
        return tuple(_value(operand, values, dtype) for operand in self.operands)


def _value(operand: Operand, values: Mapping[str, Array | None], dtype: np.dtype[Any]) -> Array | None:
    if operand.number is not None:
        return np.asarray(operand.number, dtype)
    value = values[operand.name]
    return value.T if operand.transposed and value is not None else value


@lru_cache(maxsize=1024)
def parse(text: str) -> Operation | None:
    """The operation that an op text names: ``exp(x)``, ``sum(x, axis=0)``, ``x.mean()``, ``x.T @ g``, ``x ** 3``.

    None for whatever is more than one operation (``max(x + b, 0)``), has keywords other than ``axis`` and
    ``keepdims``, or is no expression at all.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if isinstance(node, ast.BinOp):
        name = _BINARY.get(type(node.op))
        operands = _operands([node.left, node.right])
        return Operation(name, operands) if name is not None and operands is not None else None
    return _call(node) if isinstance(node, ast.Call) else None


def _call(node: ast.Call) -> Operation | None:
    arguments = list(node.args)
    if isinstance(node.func, ast.Name):
        name = node.func.id
    elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        name = node.func.attr
        if node.func.value.id not in _NUMPY:
            arguments.insert(0, node.func.value)
    else:
        return None
    name = _SAME.get(name, name)
    keywords = _keywords(node.keywords)
    operands = _operands(arguments)
    if keywords is None or operands is None or not operands:
        return None
    if name in REDUCTIONS and len(operands) != 1:
        return None  # max(x, 0) is elementwise, sum(x, 0) could be read in two ways
    if keywords and name not in REDUCTIONS:
        return None
    return Operation(name, operands, keywords.get("axis"), bool(keywords.get("keepdims", False)))


def _keywords(nodes: list[ast.keyword]) -> dict[str, int | None] | None:
    """``axis`` and ``keepdims``; None when there are others, or when their values are no constants."""
    found: dict[str, int | None] = {}
    for node in nodes:
        try:
            value = ast.literal_eval(node.value)
        except ValueError:
            return None
        if node.arg == "axis" and (value is None or type(value) is int):
            found["axis"] = value
        elif node.arg == "keepdims" and type(value) is bool:
            found["keepdims"] = int(value)
        else:
            return None
    return found


def _operands(nodes: list[ast.expr]) -> tuple[Operand, ...] | None:
    operands = tuple(_operand(node) for node in nodes)
    return None if None in operands else operands  # type: ignore[return-value]


def _operand(node: ast.expr) -> Operand | None:
    if isinstance(node, ast.Name):
        return Operand(node.id)
    if isinstance(node, ast.Attribute) and node.attr == "T" and isinstance(node.value, ast.Name):
        return Operand(node.value.id, transposed=True)
    try:
        number = ast.literal_eval(node)
    except ValueError:
        return None
    return Operand(number=float(number)) if type(number) in (int, float) else None
