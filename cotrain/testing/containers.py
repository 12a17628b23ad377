"""Walking two nested containers together, down to the arrays in them."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cotrain.protocol import ArrayLike

_SCALARS = (bool, int, float, complex)


class Leaf(NamedTuple):
    """Two arrays that stand at the same place."""

    path: str
    """As Python spells the way there: ``['layers'][0].weights``; empty for the outermost value."""
    reference: ArrayLike
    candidate: ArrayLike


class Mismatch(Exception):
    """The two containers are not built alike; the message says where and how."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


def leaves(reference: Any, candidate: Any, path: str = "") -> Iterator[Leaf]:
    """The arrays of two values in order: dict, list, tuple, namedtuple, dataclass, whatever is in them, and .NET's
    dictionaries and lists. Numbers become 0-d arrays; None and texts must be equal.

    Lists and tuples are compared with each other by position, records by field, dictionaries by key in the
    reference's order. Raises :class:`Mismatch` at the first place where the two are not built alike.
    """
    left, right = _array(reference), _array(candidate)
    if left is not None and right is not None:
        yield Leaf(path, left, right)
        return
    if left is None and right is None and type(reference) is type(candidate) and _is_plain(reference):
        if reference != candidate:
            raise Mismatch(path, f"the reference is {reference!r}, the candidate {candidate!r}")
        return
    a, b = _parts(reference), _parts(candidate)
    if left is not None or right is not None or a is None or b is None or a.kind != b.kind:
        raise Mismatch(path, f"the reference is {_spelled(reference)}, the candidate {_spelled(candidate)}")
    if a.kind == "sequence" and len(a.items) != len(b.items):
        raise Mismatch(path, f"the reference has {len(a.items)} items, the candidate {len(b.items)}")
    for side, one, other in (("reference", a, b), ("candidate", b, a)):
        alone = [key for key in one.items if key not in other.items]
        if alone:
            raise Mismatch(path, f"only the {side} has {', '.join(map(repr, alone))}")
    for key, value in a.items.items():
        step = f".{key}" if a.kind == "record" else f"[{key!r}]"
        yield from leaves(value, b.items[key], path + step)


class _Parts(NamedTuple):
    kind: str
    items: dict[Any, Any]


def _parts(value: Any) -> _Parts | None:
    """What a container holds, by key; None for what is none."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _Parts("record", {field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _Parts("record", dict(zip(value._fields, value, strict=True)))
    if isinstance(value, Mapping):
        return _Parts("mapping", dict(value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _Parts("sequence", dict(enumerate(value)))
    return None


def _array(value: Any) -> ArrayLike | None:
    if isinstance(value, np.ndarray | np.generic) or type(value) in _SCALARS:
        return np.asarray(value)
    # Nobody can hold an NDArray before this module is loaded; then it costs nothing to leave .NET alone.
    if "clr" in sys.modules:
        from cotrain.clr import arrays

        if arrays.is_ndarray(value):
            return arrays.view(value, writable=False)
    return None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | bytes)


def _spelled(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return "a NumPy array"
    kind = type(value).__name__
    return f"{'an' if kind[:1].lower() in 'aeiou' or kind == 'NDArray' else 'a'} {kind}"
