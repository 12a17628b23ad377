"""What an ``NDArray`` answers to Python: NumPy's protocols, indexing, operators, and how it looks at a prompt.

Who computes is decided by whose function is called: ``np.add(nd, a)`` is NumPy's and gives a NumPy array,
``ns.add(nd, a)`` is NumSharp's and gives an NDArray; of an operator it is the left operand. Indexing computes
nothing; which elements it means, and the sentence when it means none, are NumPy's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cotrain.clr import arrays, failures
from cotrain.clr.interop.display import describe
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike

Members = dict[str, Any]

_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "mod",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_UNARY = {"neg": "negative", "pos": "positive", "invert": "invert", "abs": "absolute"}
_METHODS = ("max", "min", "repeat", "transpose")
"""Methods of NDArray whose overloads pythonnet cannot tell apart as a NumPy user calls them; ``ns`` can."""
_OPERANDS = (np.ndarray, np.generic, bool, int, float, complex, list)


def members(ns: Any, native: Any) -> Members:
    """All special methods, by name; ``ns`` is the namespace whose functions the operators call, ``native`` NumSharp's
    class ``NDArray`` as pythonnet made it.
    """
    made: Members = {
        "__array__": _array,
        "__array_ufunc__": _array_ufunc,
        "__array_function__": _array_function,
        "__getitem__": _getitem(native.__getitem__),
        "__setitem__": _setitem(native.__setitem__),
        "__len__": _len,
        "__iter__": _iter,
        "__contains__": lambda self, value: value in arrays.view(self),
        "__bool__": lambda self: bool(arrays.view(self)),
        "__int__": lambda self: int(arrays.view(self)),
        "__float__": lambda self: float(arrays.view(self)),
        "__complex__": lambda self: complex(arrays.view(self)),
        "__index__": lambda self: operator.index(arrays.view(self)),
        # As of NumPy's arrays; pythonnet would let NumSharp's exception through, which ends the process.
        "__hash__": None,
        "tolist": lambda self: arrays.view(self).tolist(),
        "item": lambda self, *index: arrays.view(self).item(*index),
        "__repr__": describe,
        "_repr_pretty_": lambda self, printer, cycle: printer.text(describe(self)),
    }
    for name in _METHODS:
        made[name] = _method(ns, name)
    for name, function in _BINARY.items():
        made[f"__{name}__"] = _binary(ns, function)
        made[f"__r{name}__"] = _reflected(ns, function)
        made[f"__i{name}__"] = _in_place(ns, function)
    for name, function in _COMPARISONS.items():
        made[f"__{name}__"] = _binary(ns, function)
    for name, function in _UNARY.items():
        made[f"__{name}__"] = _unary(ns, function)
    return made


# -- NumPy's protocols --------------------------------------------------------------------------------------


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> ArrayLike:
    seen = arrays.view(self)
    if dtype is not None and np.dtype(dtype) != seen.dtype:
        if copy is False:
            raise ValueError(f"an NDArray of {seen.dtype} becomes {np.dtype(dtype)} only by a copy")
        return seen.astype(dtype)
    return seen.copy() if copy else seen


def _array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, out: tuple[Any, ...] = (), **named: Any) -> Any:
    if out:
        named["out"] = tuple(_viewed(each) for each in out)
    result = getattr(ufunc, method)(*map(_viewed, inputs), **{key: _viewed(value) for key, value in named.items()})
    if not out:
        return result
    return out[0] if len(out) == 1 else out


def _array_function(self: Any, function: Any, types: Any, arguments: Any, named: Any) -> Any:
    return function(*_viewed(arguments), **_viewed(named))


def _viewed(value: Any) -> Any:
    """The value with each NDArray in it, also in tuples, lists and dicts, as a NumPy view."""
    if isinstance(value, tuple | list):
        return type(value)(map(_viewed, value))
    if isinstance(value, dict):
        return {key: _viewed(each) for key, each in value.items()}
    return arrays.view(value) if arrays.is_ndarray(value) else value


# -- indexing -----------------------------------------------------------------------------------------------


def _getitem(native: Any) -> Callable[[Any, Any], Any]:
    def get(self: Any, key: Any) -> Any:
        if isinstance(key, str):  # NumSharp's own notation, "1:, ::-1"
            with failures.translated("NDArray: "):
                return native(self, key)
        seen = arrays.view(self)
        key = _viewed(key)
        found = seen[key]
        if not isinstance(found, np.ndarray):
            # One element: NumPy would copy it out as a scalar, with the ellipsis it stays in its memory.
            found = seen[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        return arrays.nd(found)

    return get


def _setitem(native: Any) -> Callable[[Any, Any, Any], None]:
    def set_(self: Any, key: Any, value: Any) -> None:
        if isinstance(key, str):
            with failures.translated("NDArray: "):
                native(self, key, value)
            return
        arrays.view(self)[_viewed(key)] = _viewed(value)

    return set_


def _len(self: Any) -> int:
    return len(arrays.view(self))


def _iter(self: Any) -> Iterator[Any]:
    seen = arrays.view(self)
    if seen.ndim == 0:
        raise TypeError("iteration over a 0-d NDArray")
    return (self[i] for i in range(len(seen)))


# -- operators ----------------------------------------------------------------------------------------------


def _is_operand(value: Any) -> bool:
    return isinstance(value, _OPERANDS) or arrays.is_ndarray(value)


def _operand(value: Any) -> Any:
    # Some functions take any object, and would not know what to do with Python's.
    return np.asarray(value) if isinstance(value, list) else value


def _binary(ns: Any, name: str) -> Callable[[Any, Any], Any]:
    function = getattr(ns, name)
    return lambda self, other: function(self, _operand(other)) if _is_operand(other) else NotImplemented


def _reflected(ns: Any, name: str) -> Callable[[Any, Any], Any]:
    function = getattr(ns, name)
    return lambda self, other: function(_operand(other), self) if _is_operand(other) else NotImplemented


def _method(ns: Any, name: str) -> Callable[..., Any]:
    function = getattr(ns, name)

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if name == "transpose" and arguments and isinstance(arguments[0], int):
            arguments = (arguments,)
        return function(self, *arguments, **named)

    return call


def _unary(ns: Any, name: str) -> Callable[[Any], Any]:
    function = getattr(ns, name)
    return lambda self: function(self)


def _in_place(ns: Any, name: str) -> Callable[[Any, Any], Any]:
    function = getattr(ns, name)

    def apply(self: Any, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        target, result = arrays.view(self), arrays.view(function(self, _operand(other)))
        if not target.flags.writeable:
            raise CotrainError(f"{function.__name__}: the NDArray on the left is read-only")
        if target.shape != result.shape or not np.can_cast(result.dtype, target.dtype, "same_kind"):
            raise CotrainError(
                f"{function.__name__}: the result, {result.dtype}{list(result.shape)}, does not fit into "
                f"{target.dtype}{list(target.shape)} in place"
            )
        target[...] = result
        return self

    return apply
