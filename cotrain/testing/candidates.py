"""The NumSharp side of a layer pair: a .NET class, or Python code that uses NumSharp."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cotrain import clr
from cotrain.clr import arrays, assemblies, dtypes, failures
from cotrain.errors import CotrainError
from cotrain.lockstep.names import SourceLine, display_path
from cotrain.testing.copies import mapped
from cotrain.testing.sides import Side, Value, accepts, find_method, make, results, title_of

_MATHS = {"parity": "ParityMath", "numsharp": "NumSharpMath"}


def candidate(layer: Any, arguments: Sequence[Any], named: Mapping[str, Any], *, math: str) -> Side:
    """The candidate that ``"DLL:TYPE"``, a .NET class, or a Python class, function or object stands for.

    ``math`` says which ``IMath`` goes to a parameter of that type (of a Python function: of that name).
    """
    __tracebackhide__ = True
    if math not in _MATHS:
        raise CotrainError(f"math {math!r} is none of {', '.join(_MATHS)}")
    functions = getattr(assemblies.namespace("Cotrain.Kernels"), _MATHS[math])()
    system = assemblies.namespace("System")
    title = title_of(layer)
    if isinstance(layer, str):
        layer = clr.find_type(layer)
    elif isinstance(layer, type) and issubclass(layer, system.Object):
        layer = assemblies.namespace("clr").GetClrType(layer)
    if isinstance(layer, system.Type):
        return DotnetLayer.made(layer, arguments, named, functions)
    named = dict(named)
    if accepts(layer, "math", named):
        named["math"] = functions
    made = make(layer, _converted(arguments), {key: _to_ndarray(value) for key, value in named.items()}, "candidate")
    if isinstance(made, system.Object):
        return DotnetLayer(made, made.GetType(), functions)
    return PythonLayer(made, title)


class DotnetLayer:
    """An object of a .NET class, or a static class. Its methods may take an ``ITaps``."""

    def __init__(self, layer: Any, kind: Any, functions: Any) -> None:
        """``layer`` is None for a static class; ``functions`` is the ``IMath``."""
        self.title = str(kind.FullName)
        self._layer = layer
        self._kind = kind
        self._functions = functions
        self._layers = assemblies.namespace("Cotrain.Testing").Layers
        self._taps = assemblies.namespace("Cotrain.Testing").RecordingTaps()

    @classmethod
    def made(cls, kind: Any, arguments: Sequence[Any], named: Mapping[str, Any], functions: Any) -> DotnetLayer:
        """A new object of the class; CotrainError when no constructor fits or it throws."""
        layers = assemblies.namespace("Cotrain.Testing").Layers
        if layers.IsStatic(kind) and not arguments and not named:
            return cls(None, kind, functions)
        with failures.translated():
            return cls(layers.Create(kind, *_to_dotnet(arguments, named), functions), kind, functions)

    def call(self, method: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Value]:
        """See :class:`cotrain.testing.sides.Side`. CotrainError when the method throws."""
        taps = self._taps
        taps.Clear()
        try:
            with failures.translated():
                self._layers.Call(self._layer, self._kind, method, *_to_dotnet(arguments, named), self._functions, taps)
        except CotrainError as error:
            last = f", after tap {taps.Taps[taps.Count - 1].Name}" if taps.Count else ""
            raise CotrainError(f"the candidate's {method} failed{last}: {error}", error.exit_code) from None
        return _recorded(taps)

    def close(self) -> None:
        """Disposes the object where it can be."""
        self._layers.Release(self._layer)


class PythonLayer:
    """A Python object whose methods take NDArrays and give them back. One with a parameter ``taps`` is handed an
    ``ITaps`` for the C# code that it calls.
    """

    def __init__(self, layer: Any, title: str) -> None:
        self.title = title
        self._layer = layer
        self._taps = assemblies.namespace("Cotrain.Testing").RecordingTaps()

    def call(self, method: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Value]:
        """See :class:`cotrain.testing.sides.Side`."""
        __tracebackhide__ = True
        taps = self._taps
        taps.Clear()
        function = find_method(self._layer, method, f"the candidate, {self.title},")
        keywords = {key: _to_ndarray(value) for key, value in named.items()}
        if accepts(function, "taps", named):
            keywords["taps"] = taps
        returned = function(*_converted(arguments), **keywords)
        if taps.Count and not hasattr(returned, "__next__"):
            return _recorded(taps)
        # One list for both, so that what a generator yields and what C# taps in between keep their order.
        sources: dict[str, SourceLine | None] = {}
        for value in results(returned, method, _recorder(taps)):
            sources[value.name] = value.source
        return [each._replace(source=each.source or sources.get(each.name)) for each in _recorded(taps)]

    def close(self) -> None:
        """See :class:`cotrain.testing.sides.Side`."""


def _recorder(taps: Any) -> Callable[[str, Any], Any]:
    def record(name: str, value: Any) -> Any:
        __tracebackhide__ = True
        if not arrays.is_ndarray(value):
            if not isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
                raise CotrainError(f"tap {name} of the candidate is a {type(value).__name__}, not an array or number")
            value = arrays.nd(np.asarray(value))
        taps.Record(name, value)
        return value

    return record


def _recorded(taps: Any) -> list[Value]:
    found = []
    for tap in taps.Taps:
        shape = tuple(int(extent) for extent in tap.Shape)
        raw = bytes(tap.Bytes)
        array = np.frombuffer(raw, dtypes.dtype_of(int(tap.TypeCode))).reshape(shape)
        line = int(tap.Line)
        source = SourceLine(display_path(str(tap.File)), line) if line else None
        found.append(Value(str(tap.Name), array, source=source))
    return found


def _converted(values: Sequence[Any]) -> list[Any]:
    return [_to_ndarray(value) for value in values]


def _to_ndarray(value: Any) -> Any:
    return mapped(value, arrays.nd)


def _to_dotnet(arguments: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, Any]:
    """Arguments as .NET objects, those by name last, and their names."""
    system = assemblies.namespace("System")
    values = [_to_object(value, system) for value in (*arguments, *named.values())]
    return system.Array[system.Object](values), system.Array[system.String](list(named))


def _to_object(value: Any, system: Any) -> Any:
    """A value that pythonnet would not box as C# expects it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return system.Boolean(value)
    if isinstance(value, int):
        return system.Int64(value)
    if isinstance(value, float):
        return system.Double(value)
    if isinstance(value, list | tuple) and all(isinstance(each, int) for each in value):
        return system.Array[system.Int64](list(value))
    if isinstance(value, np.ndarray):
        return arrays.nd(value)
    if value is None or isinstance(value, str | system.Object):
        return value
    raise CotrainError(
        f"a {type(value).__name__} cannot be handed to .NET; make the candidate a Python class or function"
    )
