"""The functions that can be swept, and one call of each side over a block of inputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cotrain import clr
from cotrain.clr import assemblies, exports
from cotrain.errors import CotrainError
from cotrain.lockstep.selection import near_names

SIDES = ("bridge", "numsharp")
Bits = npt.NDArray[np.uint32]
"""float32 elements as their bit patterns."""
Function = Callable[[Bits, Bits], None]
"""``(inputs, results)``: fills results of the same length."""


@dataclass(frozen=True)
class Pair:
    """One function of NumPy, and its counterpart."""

    name: str
    side: str
    reference: Function
    candidate: Function


def bridge_names() -> list[str]:
    """Functions that the bridge has exact kernels for. .NET must be started."""
    return [str(name) for name in _exports().BridgeNames]


def numsharp_names() -> list[str]:
    """Functions of one operand that NumPy and NumSharp both have by the same name, float32 to float32."""
    return [name for name in map(str, _exports().NumSharpNames) if _ufunc(name) is not None]


def pair(name: str, side: str) -> Pair:
    """Both sides of a function. CotrainError, with near names, when the side has none of that name."""
    known = bridge_names() if side == "bridge" else numsharp_names()
    if name not in known:
        whose = "the bridge has no exact" if side == "bridge" else "NumPy and NumSharp have no common float32"
        raise CotrainError(f"{whose} function of one operand named {name!r}; {near_names(name, known)}")
    ufunc = _ufunc(name)
    assert ufunc is not None
    return Pair(name, side, _reference(ufunc), _candidate(name, side))


def _reference(ufunc: np.ufunc) -> Function:
    def call(inputs: Bits, results: Bits) -> None:
        with np.errstate(all="ignore"):
            ufunc(inputs.view(np.float32), out=results.view(np.float32))

    return call


def _candidate(name: str, side: str) -> Function:
    pointer = ctypes.c_void_p
    apply = exports.bind("Cotrain.Kernels.UnaryExport", "Apply", ctypes.c_int32, pointer, pointer, ctypes.c_int64)
    function = int(_exports().Open(side, name))

    def call(inputs: Bits, results: Bits) -> None:
        apply(function, inputs.ctypes.data, results.ctypes.data, inputs.size)

    return call


def _exports() -> Any:
    clr.start()
    return assemblies.namespace("Cotrain.Kernels").UnaryExport


def _ufunc(name: str) -> np.ufunc | None:
    found = getattr(np, name, None)
    fits = isinstance(found, np.ufunc) and found.nin == found.nout == 1 and "f->f" in found.types
    return found if fits else None
