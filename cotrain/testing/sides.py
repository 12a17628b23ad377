"""The two sides of a layer pair: making the layer, calling it, and taking in what it gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from cotrain.errors import CotrainError
from cotrain.lockstep.names import SourceLine, TapNames
from cotrain.protocol import ArrayLike, Tap


class Value(NamedTuple):
    """A result of a call, copied at the moment it was handed out."""

    name: str
    array: ArrayLike
    op: str = ""
    inputs: tuple[str, ...] | None = None
    source: SourceLine | None = None


class Side(Protocol):
    """A layer."""

    title: str
    """What messages call it."""

    def call(self, method: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Value]:
        """Calls a method with arguments that are the layer's to keep, and returns its results in order."""
        ...

    def close(self) -> None:
        """Lets the layer go."""
        ...


class Reference:
    """The NumPy side: whatever Python object."""

    def __init__(self, layer: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
        __tracebackhide__ = True
        self.title = title_of(layer)
        self._layer = make(layer, arguments, named, "reference")

    def call(self, method: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Value]:
        """See :class:`Side`."""
        __tracebackhide__ = True
        returned = find_method(self._layer, method, f"the reference, {self.title},")(*arguments, **named)
        return list(results(returned, method, _array))

    def close(self) -> None:
        """See :class:`Side`."""


def make(layer: Any, arguments: Sequence[Any], named: Mapping[str, Any], side: str) -> Any:
    """The layer that a class or function makes of the arguments, or the object that was given instead."""
    __tracebackhide__ = True
    if isinstance(layer, type) or inspect.isroutine(layer) or isinstance(layer, partial):
        return layer(*arguments, **named)
    if arguments or named:
        raise CotrainError(
            f"the {side} {title_of(layer)} is there already and cannot be made with weights; give its class, or a "
            "function that makes it"
        )
    return layer


def title_of(layer: Any) -> str:
    """How messages name what a layer is made by."""
    if isinstance(layer, str):
        return layer.rpartition(":")[2]
    return str(getattr(layer, "__qualname__", None) or getattr(layer, "__name__", None) or type(layer).__qualname__)


def find_method(layer: Any, method: str, who: str) -> Callable[..., Any]:
    """A method of a Python object; CotrainError with those that there are."""
    found = getattr(layer, method, None)
    if not callable(found):
        names = [name for name in dir(layer) if not name.startswith("_") and callable(getattr(layer, name, None))]
        raise CotrainError(f"{who} has no method {method}; it has {', '.join(names) or 'none'}")
    return found  # type: ignore[no-any-return]


def results(returned: Any, method: str, array: Callable[[str, Any], ArrayLike]) -> Iterator[Value]:
    """What a call returned, as named values: a generator's taps or ``(name, value)`` pairs, each taken in before the
    generator goes on; a mapping's by key; an array or number under the method's name, several by number.

    ``array(name, value)`` makes the copy.
    """
    __tracebackhide__ = True
    sources = TapNames(lambda name: 0)
    for tap in _taps(returned, method):
        # While a generator stands at its yield it knows its line.
        origin = returned if isinstance(returned, Iterator) else ()
        copy = array(tap.name, tap.value)
        yield Value(tap.name, copy, tap.op, tap.inputs, sources.info(tap, origin).source)


def _taps(returned: Any, method: str) -> Iterator[Tap]:
    __tracebackhide__ = True
    if returned is None:
        return
    if isinstance(returned, Tap):
        yield returned
    elif isinstance(returned, Mapping):
        yield from (Tap(str(name), value) for name, value in returned.items())
    elif isinstance(returned, Iterator):
        for each in returned:
            yield _tap(each, method)
    elif isinstance(returned, list | tuple):
        pairs = [_is_pair(each) for each in returned]
        for index, each in enumerate(returned):
            yield _tap(each, method) if all(pairs) else Tap(f"{method}[{index}]", each)
    else:
        yield Tap(method, returned)


def _tap(value: Any, method: str) -> Tap:
    if isinstance(value, Tap):
        return value
    if _is_pair(value):
        return Tap(value[0], value[1])
    raise CotrainError(f"{method} yields a {type(value).__name__}; it yields taps or (name, value)")


def _is_pair(value: Any) -> bool:
    return isinstance(value, Tap) or (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str))


def _array(name: str, value: Any) -> ArrayLike:
    array: ArrayLike = np.array(value, order="C")
    if array.dtype.kind not in "biufc":
        raise CotrainError(f"tap {name} of the reference is a {type(value).__name__}, not an array of numbers")
    return array


def accepts(function: Callable[..., Any], parameter: str, named: Iterable[str]) -> bool:
    """Whether a Python function has a parameter of this name that is not given yet."""
    try:
        return parameter not in named and parameter in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
