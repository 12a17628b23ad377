"""NumSharp's ``np`` at a prompt: its functions take what a NumPy user passes, and fail in one sentence."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from cotrain import interpreter
from cotrain.clr import arrays, assemblies, failures
from cotrain.clr.interop import codec
from cotrain.errors import CotrainError

_SHOWN_SIGNATURES = 4
_BY_REFERENCE = ("asanyarray", "power")
"""Functions with overloads whose parameters are passed ``in``: pythonnet returns those together with the result."""


class Namespace:
    """A static class of NumSharp, such as ``NumSharp.np``, or an object with functions, such as ``np.random``."""

    def __init__(self, name: str, target: Any) -> None:
        self._name = name
        self._target = target

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(self._target, name)
        except AttributeError:
            near = assemblies.nearest(name, dir(self))
            raise AttributeError(f"{self._name} has no {name}{near}") from None
        wrapped = self._wrapped(f"{self._name}.{name}", value)
        if wrapped is not value:
            self.__dict__[name] = wrapped
        return wrapped

    def __dir__(self) -> list[str]:
        # Names in capitals are the classes behind the functions, and what every .NET object has.
        return [name for name in dir(self._target) if name[:1].islower()]

    def __repr__(self) -> str:
        return f"<{self._name}: NumSharp's {self._target_name()}, {len(dir(self))} names>"

    def _target_name(self) -> str:
        kind = self._target if isinstance(self._target, type) else type(self._target)
        return kind.__name__

    def _wrapped(self, name: str, value: Any) -> Any:
        kind = type(value).__name__
        if kind in ("MethodBinding", "MethodObject"):
            return Function(name, value)
        if kind == "CLRMetatype" and _is_static(value):
            return Namespace(name, value)
        if type(value).__module__ == "NumSharp" and type(value).__name__ in _FUNCTION_HOLDERS:
            return Namespace(name, value)
        return value


class Function:
    """A function of NumSharp. NumPy arrays are passed without a copy; Python numbers and lists become NDArrays."""

    def __init__(self, name: str, method: Any) -> None:
        self.__name__ = self.__qualname__ = name
        self._method = method

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return "\n".join(self.signatures)

    @property
    def signatures(self) -> list[str]:
        """The C# overloads, one a line."""
        return [_short(line) for line in str(self._method.__doc__).splitlines() if line.strip()]

    def __repr__(self) -> str:
        return "\n".join([f"<{self.__name__}, of NumSharp>", *(f"  {line}" for line in self.signatures)])

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls the overload that fits. CotrainError, in one sentence, when none does or NumSharp throws."""
        interpreter.require_not_forked()
        last = self.__name__.rpartition(".")[2]
        if last == "broadcast_to" and len(arguments) == 2 and isinstance(arguments[1], list | int):
            arguments = (arguments[0], tuple(np.atleast_1d(arguments[1]).tolist()))
        with codec.refusals() as reasons, failures.translated(f"{self.__name__}: "):
            try:
                result = self._first_that_fits(arguments, named)
            except TypeError:
                raise self._mismatch(arguments, named, reasons) from None
        if last in _BY_REFERENCE and isinstance(result, tuple):
            return result[0]
        return tuple(result) if _is_array_of_ndarrays(result) else result

    def _first_that_fits(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The call as it stands, then in the other ways in which NumPy would understand it."""
        ways: list[tuple[tuple[Any, ...], dict[str, Any]]] = [(arguments, named)]
        if any(isinstance(value, list) for value in arguments) and any("Object" in each for each in self.signatures):
            # An overload that takes any object would take the list itself.
            with contextlib.suppress(ValueError):
                as_arrays = tuple(np.asarray(value) if isinstance(value, list) else value for value in arguments)
                ways.insert(0, (as_arrays, named))
        if any(isinstance(value, float) for value in arguments) and any("Single" in each for each in self.signatures):
            # pythonnet takes float before double: arange(3.0) would be float32.
            double = assemblies.namespace("System").Double
            precise = tuple(double(value) if type(value) is float else value for value in arguments)
            ways.insert(0, (precise, named))
        if any(_is_dtype("", value) for value in arguments) or any(_is_dtype(*item) for item in named.items()):
            # Some overloads take a System.Type for the dtype, for which pythonnet asks no codec.
            ways.append(
                (
                    tuple(codec.clr_type(value) if _is_dtype("", value) else value for value in arguments),
                    {key: codec.clr_type(value) if _is_dtype(key, value) else value for key, value in named.items()},
                )
            )
        if type(named.get("size")) is int:
            ways.append((arguments, {**named, "size": (named["size"],)}))
        if arguments and type(arguments[-1]) is int:
            ways.append(((*arguments[:-1], (arguments[-1],)), named))
        if any(type(value) is int for value in arguments):
            # Where int, long and NDArray would all do (repeat), pythonnet does not decide.
            int32 = assemblies.namespace("System").Int32
            with contextlib.suppress(Exception):  # too large for an int
                ways.append((tuple(int32(value) if type(value) is int else value for value in arguments), named))
        for position, (given, by_name) in enumerate(ways):
            try:
                return self._method(*given, **by_name)
            except TypeError:
                if position == len(ways) - 1:
                    raise
        raise AssertionError

    def _mismatch(self, arguments: tuple[Any, ...], named: dict[str, Any], reasons: list[str]) -> CotrainError:
        if reasons:
            return CotrainError(f"{self.__name__}: {reasons[0]}")
        given = [_kind(value) for value in arguments] + [f"{key}={_kind(value)}" for key, value in named.items()]
        known = self.signatures
        more = f" and {len(known) - _SHOWN_SIGNATURES} more" if len(known) > _SHOWN_SIGNATURES else ""
        shown = "; ".join(known[:_SHOWN_SIGNATURES])
        return CotrainError(f"{self.__name__} takes no ({', '.join(given)}); it has {shown}{more}")


_FUNCTION_HOLDERS = ("NumPyRandom", "FourierModule", "Generator")


def _is_static(kind: Any) -> bool:
    about = assemblies.namespace("clr").GetClrType(kind)
    return bool(about.IsAbstract and about.IsSealed)


def _is_dtype(name: str, value: Any) -> bool:
    if name == "dtype" and value in (float, int, bool, complex):
        return True
    if isinstance(value, str):
        return name == "dtype"
    return isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic))


def _is_array_of_ndarrays(value: Any) -> bool:
    system = assemblies.namespace("System")
    return isinstance(value, system.Array) and value.Length > 0 and arrays.is_ndarray(value[0])


def _short(signature: str) -> str:
    return signature.replace("NumSharp.", "").replace("System.", "").replace("Generic.", "")


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array"
    return type(value).__name__
