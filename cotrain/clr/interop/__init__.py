"""NumPy arrays and NDArrays in each other's hands: the pythonnet codec and what an NDArray answers to Python.

Installed when asked for and not when .NET starts: the lockstep needs none of it.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from cotrain.clr import assemblies, runtime
from cotrain.clr.interop import codec, ndarray, slots
from cotrain.clr.interop.namespace import Namespace

__all__ = ["interop"]

_ELEMENTS = (
    "Boolean", "SByte", "Byte", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Half", "Single",
    "Double", "Decimal", "Char",
)  # fmt: skip
_lock = threading.RLock()
_namespace: Namespace | None = None


def interop(numsharp: str | os.PathLike[str] | None = None) -> Namespace:
    """Starts .NET if need be, has it take and give arrays as a NumPy user means it, and returns NumSharp's ``np``.

    From then on, in the whole process: .NET methods take NumPy arrays, numbers and lists where they want an
    ``NDArray``, tuples for a ``Shape``, NumPy dtypes for theirs; NumPy functions take NDArrays (without a copy);
    an NDArray can be indexed, iterated and printed as an array. The functions of the namespace that is returned
    fail in one sentence (CotrainError).

    ``numsharp`` is the user's own NumSharp.dll, as for :func:`cotrain.clr.start`, whose errors this raises too.
    """
    global _namespace
    with _lock:
        runtime.start(numsharp)
        if _namespace is None:
            loaded = assemblies.namespace("NumSharp")
            made = Namespace("ns", loaded.np)
            codec.register()
            special = ndarray.members(made, loaded.NDArray)
            for kind in (loaded.NDArray, *_typed()):
                for name, value in special.items():
                    slots.set_special(kind, name, value)
            _namespace = made
        return _namespace


def _typed() -> list[Any]:
    """The classes ``NDArray<T>``: pythonnet gives each its own slots, so each has to be told."""
    system = assemblies.namespace("System")
    generic = assemblies.namespace("NumSharp.Generic").NDArray
    kinds = [getattr(system, name) for name in _ELEMENTS]
    kinds.append(assemblies.namespace("System.Numerics").Complex)
    return [generic[kind] for kind in kinds]
