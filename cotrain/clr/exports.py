"""Calls the bridge's native entry points.

An export is a static C# method with ``[UnmanagedCallersOnly]``. By convention it returns an int, 0 for
success, and its last two parameters are ``byte* error, int errorSize``, where it writes what went wrong
(``NativeError.cs``). :func:`bind` hides both: the function it returns raises CotrainError. The GIL is
released during a call.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from typing import Any

from cotrain.clr import assemblies, runtime
from cotrain.errors import CotrainError, ExitCode

ERROR_BYTES = 4096

_errors = threading.local()


def bind(type_name: str, method: str, *argtypes: Any) -> Callable[..., None]:
    """A Python function for an export that follows the convention.

    ``type_name`` is the full name of a class of the bridge, ``argtypes`` the ctypes types of its parameters
    but for the last two. CotrainError (UNSUPPORTED) when the bridge lacks it or its parameters differ.
    """
    function = bind_raw(type_name, method, ctypes.c_int32, *argtypes, ctypes.c_void_p, ctypes.c_int32)

    def call(*arguments: Any) -> None:
        error = error_buffer()
        code = function(*arguments, error, ERROR_BYTES)
        if code:
            raise failure(code, error)

    call.__name__ = call.__qualname__ = f"{type_name}.{method}"
    return call


def bind_raw(type_name: str, method: str, restype: Any, *argtypes: Any) -> Any:
    """The export as a plain ctypes function, for one that cannot fail or reports in its own way."""
    exports = bridge_class("NativeExports")
    try:
        answer = str(exports.Find(type_name, method))
    except bridge_class("CotrainException") as exception:
        raise CotrainError(f"{exception.Message}; build the bridge again", ExitCode.UNSUPPORTED) from None
    address, signature = answer.split(" ", 1)
    ours = f"{_code(restype)}({','.join(map(_code, argtypes))})"
    if ours != signature:
        raise CotrainError(
            f"{type_name}.{method} is {signature} in the bridge and {ours} here; build the bridge again",
            ExitCode.UNSUPPORTED,
        )
    return ctypes.CFUNCTYPE(restype, *argtypes)(int(address))


def bridge_class(name: str) -> Any:
    """A public class of the bridge's namespace ``Cotrain.Interop``, to be called through pythonnet.

    CotrainError (UNSUPPORTED) when the bridge is older than this package and lacks it.
    """
    runtime.start()
    try:
        return getattr(assemblies.namespace("Cotrain.Interop"), name)
    except AttributeError:
        raise CotrainError(
            f"the bridge has no class Cotrain.Interop.{name}; build the bridge again", ExitCode.UNSUPPORTED
        ) from None


def error_buffer() -> Any:
    """This thread's buffer of ERROR_BYTES bytes, to be passed as an export's ``error``."""
    try:
        return _errors.buffer
    except AttributeError:
        _errors.buffer = ctypes.create_string_buffer(ERROR_BYTES)
        return _errors.buffer


def failure(code: int, error: Any) -> CotrainError:
    """The exception for an export's non-zero code and what it wrote."""
    message = error.value.decode("utf-8", "replace") or f"the .NET side failed with code {code}"
    try:
        return CotrainError(message, ExitCode(code))
    except ValueError:
        return CotrainError(message)


def _code(kind: Any) -> str:
    """Kind and size of a ctypes type, as ``NativeExports.Find`` names those of C#."""
    if kind is None:
        return "v"
    letter = getattr(kind, "_type_", None)
    if not isinstance(letter, str) or letter in "PzZOX":
        return "p"  # c_void_p, c_char_p, POINTER(...), CFUNCTYPE(...)
    if letter in "fd":
        return f"f{ctypes.sizeof(kind)}"
    if re.fullmatch("[bhilq]", letter):
        return f"i{ctypes.sizeof(kind)}"
    if re.fullmatch("[BHILQ]", letter):
        return f"u{ctypes.sizeof(kind)}"
    return letter
