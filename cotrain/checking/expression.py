"""An expression of NumPy's words, evaluated on either side."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from cotrain.clr.arrays import is_ndarray, nd, view
from cotrain.clr.interop import interop
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike

NAMES = "abcdefgh"
"""What the operands of a bare function are called."""


def spell(expression: str, operands: int, named: Collection[str] = ()) -> str:
    """``exp`` with one operand becomes ``np.exp(a)``, ``sum(a, axis=0)`` becomes ``np.sum(a, axis=0)``.

    CotrainError when it is no expression, or has a name that is neither an operand's nor NumPy's.
    """
    text = expression.strip()
    known = {"np", *named, *NAMES[:operands]}
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise CotrainError(f"{expression!r} is no expression: {reason}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known and not hasattr(np, node.id):
            raise CotrainError(f"{expression!r} has the name {node.id}, which is no operand and no function of NumPy")

    class Qualified(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return node if node.id in known else ast.Attribute(ast.Name("np", ast.Load()), node.id, ast.Load())

    tree = Qualified().visit(tree)
    is_bare = isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name) and tree.value.id == "np"
    return ast.unparse(tree) + (f"({', '.join(NAMES[:operands])})" if is_bare else "")


def as_op(expression: str) -> str:
    """The expression as a tap's op has it, without ``np.``: what the ledger reads."""

    class Bare(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            named = isinstance(node.value, ast.Name) and node.value.id == "np"
            return ast.Name(node.attr, ast.Load()) if named else node

    return ast.unparse(Bare().visit(ast.parse(expression, mode="eval")))


def reference(expression: str, operands: Mapping[str, Any]) -> list[ArrayLike]:
    """NumPy's results; several for a function that gives a tuple."""
    with np.errstate(all="ignore"):
        try:
            found = eval(expression, {"np": np}, dict(operands))
        except Exception as error:
            raise CotrainError(f"NumPy cannot compute {expression}: {type(error).__name__}: {error}") from error
    return _arrays(found, "NumPy", expression)


def candidate(expression: str, operands: Mapping[str, Any]) -> list[ArrayLike]:
    """NumSharp's results, as NumPy arrays of their own memory. .NET must be started."""
    numsharp = interop()
    own = {name: nd(value) if isinstance(value, np.ndarray) else value for name, value in operands.items()}
    try:
        found = eval(expression, {"np": numsharp}, own)
    except Exception as error:
        message = str(getattr(error, "Message", error)).strip().splitlines()
        said = message[0] if message else ""
        said = said if isinstance(error, CotrainError) else f"{type(error).__name__}: {said}"
        raise CotrainError(f"NumSharp cannot compute {expression}: {said}") from error
    return _arrays(found, "NumSharp", expression)


def _arrays(found: Any, side: str, expression: str) -> list[ArrayLike]:
    parts = list(found) if isinstance(found, tuple | list) else [found]
    return [_array(part, side, expression) for part in parts]


def _array(part: Any, side: str, expression: str) -> ArrayLike:
    if is_ndarray(part):
        return view(part).copy()
    if isinstance(part, np.ndarray | np.generic | bool | int | float | complex):
        return np.asarray(part)
    raise CotrainError(f"{side} gives a {type(part).__name__} for {expression}, which is no array and no number")
