"""Python values as arguments of .NET methods: NumPy arrays and numbers where an ``NDArray`` is wanted, and so on.

pythonnet asks while it looks for the overload that fits. What is refused here makes it try the next overload;
the reason is kept for whoever called (:func:`refusals`), because pythonnet would only say that none fits.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from cotrain.clr import arrays, assemblies, dtypes, exports
from cotrain.errors import CotrainError

_local = threading.local()
_alive: list[Any] = []
"""The decoder and its delegates: .NET calls them for as long as the process lasts."""


def register() -> None:
    """Registers the codec with pythonnet, for the rest of the process."""
    if _alive:
        return
    system = assemblies.namespace("System")
    python = assemblies.namespace("Python.Runtime")
    clr = assemblies.namespace("clr")
    accepts = system.Func[system.Object, system.Type, system.Boolean](_accepts)
    decode = system.Func[system.Object, system.Type, system.Object](_decode)
    interface = clr.GetClrType(python.IPyObjectDecoder)
    decoder = exports.bridge_class("PythonDecoder").Create(interface, accepts, decode)
    python.PyObjectConversions.RegisterDecoder(decoder)
    _alive.extend((accepts, decode, decoder))
    _forget_refusals(system, clr.GetClrType(python.PyObjectConversions))


@contextmanager
def refusals() -> Iterator[list[str]]:
    """Collects why values were refused on this thread inside the block."""
    outer = getattr(_local, "reasons", None)
    reasons: list[str] = []
    _local.reasons = reasons
    try:
        yield reasons
    finally:
        _local.reasons = outer


def _forget_refusals(system: Any, conversions: Any) -> None:
    """Has pythonnet ask again about types that were used before the codec was there: it remembers every no."""
    flags = system.Reflection.BindingFlags
    field = conversions.GetField("pythonToClr", flags.NonPublic | flags.Static)
    if field is not None:
        field.GetValue(None).Clear()


def _accepts(kind: Any, target: Any) -> bool:
    """Whether values of a Python type may become a .NET type; pythonnet remembers the answer."""
    known = _DECODERS.get(str(target.FullName))
    return known is not None and isinstance(kind, type) and issubclass(kind, known[0])


def _decode(value: Any, target: Any) -> Any:
    try:
        return _DECODERS[str(target.FullName)][1](value)
    except (CotrainError, ValueError, TypeError, OverflowError) as error:
        reasons = getattr(_local, "reasons", None)
        if reasons is not None:
            reasons.append(str(error))
        return None


def _to_ndarray(value: Any) -> Any:
    return arrays.nd(value if isinstance(value, np.ndarray) else np.asarray(value))


def _to_object(value: Any) -> Any:
    """An NDArray for an array, the .NET number for a number: pythonnet itself would pass its own wrapper on."""
    if isinstance(value, np.ndarray):
        return arrays.nd(value)
    system = assemblies.namespace("System")
    if isinstance(value, np.generic):
        name = _NUMBERS.get(value.dtype.name)
        if name is None:
            return arrays.nd(np.asarray(value))
        return getattr(system, name)(value.item())
    if isinstance(value, int):
        return system.Int64(value)
    return assemblies.namespace("System.Numerics").Complex(value.real, value.imag)


def _to_shape(value: Any) -> Any:
    system = assemblies.namespace("System")
    return assemblies.namespace("NumSharp").Shape(system.Array[system.Int64]([operator.index(n) for n in value]))


def _to_type_code(value: Any) -> Any:
    return assemblies.namespace("NumSharp").NPTypeCode(dtypes.type_code(np.dtype(value)))


def _to_dtype(value: Any) -> Any:
    return assemblies.namespace("NumSharp").DType(_to_type_code(value))


def clr_type(value: Any) -> Any:
    """The ``System.Type`` for what NumPy takes as a dtype; CotrainError when NumSharp has none for it."""
    return _to_dtype(value).type


_NUMBERS = {
    "bool": "Boolean",
    "int8": "SByte",
    "uint8": "Byte",
    "int16": "Int16",
    "uint16": "UInt16",
    "int32": "Int32",
    "uint32": "UInt32",
    "int64": "Int64",
    "uint64": "UInt64",
    "float32": "Single",
    "float64": "Double",
}
# A list means an array and a tuple means a shape: where both fit (broadcast_to), pythonnet cannot choose. An int
# is no shape: pythonnet also takes it for a char, and reshape(2, 3) would be reshape(Shape, char order).
_DECODERS: dict[str, tuple[tuple[type, ...], Callable[[Any], Any]]] = {
    "NumSharp.NDArray": ((np.ndarray, np.generic, bool, int, float, complex, list), _to_ndarray),
    "System.Object": ((np.ndarray, np.generic, int, complex), _to_object),
    "NumSharp.Shape": ((tuple,), _to_shape),
    "NumSharp.DType": ((np.dtype, type, str), _to_dtype),
    "NumSharp.NPTypeCode": ((np.dtype, type, str), _to_type_code),
}
