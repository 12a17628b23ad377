"""An operation of an op text, computed by NumPy and by NumSharp on the same arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cotrain.ledger.entry import Bits, Case, Entry, Example, Setting
from cotrain.ledger.operation import REDUCTIONS, Array, Operation, parse

Compute = Callable[[Operation, tuple[Array, ...]], Array]
"""Computes an operation on arrays that it does not change."""


def numpy(operation: Operation, arguments: tuple[Array, ...]) -> Array:
    """NumPy's result, as an array."""
    with np.errstate(all="ignore"):
        if operation.name in REDUCTIONS:
            function = getattr(np, operation.name)
            return np.asarray(function(arguments[0], axis=operation.axis, keepdims=operation.keepdims))
        return np.asarray(getattr(np, {"matmul": "dot"}.get(operation.name, operation.name))(*arguments))


def numsharp(operation: Operation, arguments: tuple[Array, ...]) -> Array:
    """NumSharp's own result, with its own matrix product. .NET must be started."""
    from cotrain import gemm
    from cotrain.clr import arrays, assemblies

    functions = assemblies.namespace("NumSharp").np
    operands = [arrays.nd(each) for each in arguments]
    name = {"max": "amax", "min": "amin", "matmul": "dot"}.get(operation.name, operation.name)
    if name == "dot":
        with gemm.backend("native"):
            return arrays.view(functions.dot(*operands))
    if operation.name not in REDUCTIONS:
        return arrays.view(getattr(functions, name)(*operands))
    if operation.axis is None:
        assert not operation.keepdims
        whole = (None,) if name in ("amax", "amin") else ()  # without it pythonnet takes the generic overload
        return arrays.view(getattr(functions, name)(operands[0], *whole))
    axis = operation.axis % arguments[0].ndim
    found = arrays.view(getattr(functions, name)(operands[0], axis))
    return np.expand_dims(found, axis) if operation.keepdims else found


def case(op: str, *operands: Array, by: Compute = numsharp) -> Case:
    """The operation on these operands, with NumPy's result and ``by``'s."""
    operation = parse(op)
    assert operation is not None, op
    dtype = operands[0].dtype
    arguments = operation.arguments(operands, dtype)
    assert arguments is not None, op
    return Case(operation, arguments, numpy(operation, arguments), by(operation, arguments))


def example_of(entry: Entry) -> tuple[str, tuple[Array, ...]]:
    """The op text and operands of the entry's smallest input."""
    return entry.example.op, tuple(each.array() for each in entry.example.operands)


def options(entry: Entry) -> dict[str, str]:
    """What a run must have chosen for the entry to apply."""
    return {
        "gemm": "native" if entry.setting is Setting.GEMM else "openblas",
        "math": "numsharp" if entry.setting is Setting.MATH else "parity",
    }


__all__ = ["Bits", "Compute", "Example", "case", "example_of", "numpy", "numsharp", "options"]
