"""NumPy arrays over NumSharp memory and NDArrays over NumPy memory, without copies.

Either side keeps the memory alive for as long as the other can reach it, and neither waits for the other's
collector: a NumPy view that dies gives its reference back through a native call; an NDArray that dies puts
a token into a queue in .NET, which is emptied at the next call here.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from array import array as _machine_array
from typing import Any, NamedTuple

import numpy as np

from cotrain import interpreter
from cotrain.clr import assemblies, dtypes, exports, failures
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike

# The layout of ArrayDescriptor.cs: address, type code, writeable, axes, then shape and strides in bytes.
_HEADER = 4
_WRITEABLE = 2
_MAX_AXES = 64
_ROOM = _machine_array("q", bytes(8 * (_HEADER + 2 * _MAX_AXES)))
_DRAIN_AT_ONCE = 256


class Live(NamedTuple):
    """How much memory each side holds for the other."""

    views: int
    """NumPy views over NumSharp memory."""
    arrays: int
    """NumPy arrays whose memory NDArrays use."""


def view(nd: Any, writable: bool | None = None) -> ArrayLike:
    """A NumPy array over the memory of an ``NDArray``: same shape, strides and bytes, no copy.

    The memory stays valid until the last NumPy array over it is gone, also when the NDArray is disposed or
    collected. The result is read-only when the NDArray is, or is broadcast, or ``writable`` is False.

    Raises CotrainError for what is no NDArray, for a disposed one, for NumSharp's dtypes that NumPy lacks
    (char, decimal, string), and, when ``writable`` is True, for a read-only one.
    """
    bridge = _bridge()
    if not is_ndarray(nd):
        hint = "; nd() goes the other way" if isinstance(nd, np.ndarray) else ""
        raise CotrainError(f"view() takes a NumSharp NDArray, not {_type_name(nd)}{hint}")
    numbers = _ROOM[:]
    with failures.translated():
        handle = int(bridge.views.Open(nd, numbers.buffer_info()[0]))
    seen = np.asarray(_Memory(handle, numbers, writable is not False, bridge.close))
    if writable and not seen.flags.writeable:
        raise CotrainError(
            "this NDArray is read-only or broadcast: view(nd) gives a read-only array, np.array(nd) a copy"
        )
    return seen


def nd(array: ArrayLike, writable: bool | None = None) -> Any:
    """A NumSharp ``NDArray`` over the memory of a NumPy array: same shape, order and bytes, no copy.

    Any layout: C, F, sliced, reversed, broadcast, 0-d, empty. The NumPy array stays alive until NumSharp
    has released the memory. A read-only or broadcast array gives an NDArray that refuses writes, and so does
    ``writable=False``.

    Raises CotrainError for what is no ndarray, for dtypes that NumSharp lacks, for another byte order, for
    elements that are not aligned or not a whole number of elements apart, and, when ``writable`` is True, for a
    read-only or broadcast array.
    """
    descriptor = _describe(array)
    if writable and (not array.flags.writeable or 0 in _significant_strides(array)):
        raise CotrainError("the array is read-only or broadcast, so its NDArray cannot be written; pass array.copy()")
    if writable is False:
        descriptor[_WRITEABLE] = 0
    bridge = _bridge()
    bridge.drain()
    token = next(bridge.tokens)
    bridge.held[token] = array
    try:
        with failures.translated():
            return bridge.arrays.Import(descriptor.buffer_info()[0], token)
    except CotrainError:
        bridge.held.pop(token, None)
        raise


def is_ndarray(value: object) -> bool:
    """Whether a value is a NumSharp ``NDArray``."""
    return isinstance(value, _bridge().ndarray_type)


def owner(nd: Any) -> str:
    """Whose memory an NDArray uses: ``NumPy's``, or ``NumSharp's``, of which it may be a view."""
    bridge = _bridge()
    seen = view(nd, writable=False)
    lowest, end = np.lib.array_utils.byte_bounds(seen)
    for array in list(bridge.held.values()):
        start, stop = np.lib.array_utils.byte_bounds(array)
        if start <= lowest and end <= stop and not _is_numsharps(array):
            return "NumPy's"
    return "NumSharp's" if nd.flags.owndata else "NumSharp's, a view"


def _is_numsharps(array: Any) -> bool:
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, _Memory)


def live() -> Live:
    """What is held at this moment; memory that only waits for a garbage collection still counts."""
    bridge = _bridge()
    bridge.drain()
    return Live(int(bridge.views.Count()), len(bridge.held))


class _Memory:
    """The owner of NumSharp memory that NumPy refers to as ``base``; gives it back when it dies."""

    __slots__ = ("__array_interface__", "_close", "_handle")

    def __init__(self, handle: int, numbers: _machine_array[int], writable: bool, close: Any) -> None:
        self._handle = handle
        self._close = close
        address, code, writeable, axes = numbers[:_HEADER]
        strides = _HEADER + axes
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtypes.dtype_of(code).str,
            "data": (address, not (writable and writeable)),
            "shape": tuple(numbers[_HEADER:strides]),
            "strides": tuple(numbers[strides : strides + axes]),
        }

    def __del__(self) -> None:
        self._close(self._handle)


class _Bridge:
    """The C# side of this module, looked up once."""

    def __init__(self) -> None:
        self.views = exports.bridge_class("NumPyViews")
        self.arrays = exports.bridge_class("NumPyArrays")
        self.ndarray_type = assemblies.namespace("NumSharp").NDArray
        self.close = exports.bind_raw("Cotrain.Interop.NumPyViews", "Close", None, ctypes.c_int64)
        self.held: dict[int, ArrayLike] = {}
        self.tokens = itertools.count(1)
        self._fetch = exports.bind_raw(
            "Cotrain.Interop.NumPyArrays", "Drain", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32
        )

    def drain(self) -> None:
        """Lets go of the NumPy arrays that NumSharp has released."""
        tokens = (ctypes.c_int64 * _DRAIN_AT_ONCE)()
        count = _DRAIN_AT_ONCE
        while count == _DRAIN_AT_ONCE:
            count = self._fetch(tokens, _DRAIN_AT_ONCE)
            for token in tokens[:count]:
                self.held.pop(token, None)


_instance: _Bridge | None = None
_before_fork: _Bridge | None = None
_instance_lock = threading.Lock()


def _bridge() -> _Bridge:
    global _instance
    if _instance is None:
        with _instance_lock:
            if _instance is None:
                _instance = _Bridge()
                interpreter.in_forked_child(_forget)
    return _instance


def _forget() -> None:
    global _instance, _before_fork
    # Not dropped: NDArrays that the child still has lie over the NumPy arrays that it holds.
    _before_fork, _instance = _instance, None


def _describe(array: ArrayLike) -> _machine_array[int]:
    if not isinstance(array, np.ndarray):
        hint = "; np.asarray(x) makes one" if np.isscalar(array) or isinstance(array, (list, tuple)) else ""
        hint = "; view() goes the other way" if is_ndarray(array) else hint
        raise CotrainError(f"nd() takes a numpy.ndarray, not {_type_name(array)}{hint}")
    if type(array) is not np.ndarray and hasattr(array, "mask"):
        raise CotrainError("nd() takes no masked array: the mask would be lost; pass array.data or array.filled()")
    code = dtypes.type_code(array.dtype)
    size = array.dtype.itemsize
    if not array.flags.aligned:
        raise CotrainError(f"the array's {array.dtype.name} elements are not aligned; pass array.copy()")
    if any(stride % size for stride in _significant_strides(array)):
        raise CotrainError(
            f"the array's strides {array.strides} are not whole elements of {size} bytes; pass array.copy()"
        )
    address = array.__array_interface__["data"][0]
    header = (address, code, int(array.flags.writeable), array.ndim)
    return _machine_array("q", (*header, *array.shape, *array.strides))


def _significant_strides(array: ArrayLike) -> list[int]:
    """The strides of the axes along which there is something to step over."""
    return [stride for stride, length in zip(array.strides, array.shape, strict=True) if length > 1]


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
