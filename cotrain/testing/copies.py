"""Copies of an array that leave nothing to chance: same bytes, same layout."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from cotrain.protocol import ArrayLike


def same_layout(array: ArrayLike) -> ArrayLike:
    """A writable copy with the same shape, strides and bytes: how an array lies in memory decides which kernel
    multiplies it, and so the bits of the product.

    Also for transposed, sliced, reversed and broadcast arrays; what lies between the elements is copied along.
    """
    if array.size == 0 or not array.flags.aligned:
        return array.copy(order="K")
    low, high = np.lib.array_utils.byte_bounds(array)
    room = np.frombuffer(ctypes.string_at(low, high - low), np.uint8).copy()
    start = array.__array_interface__["data"][0] - low
    return np.ndarray(array.shape, array.dtype, room, start, array.strides)


def mapped(value: Any, change: Callable[[ArrayLike], Any]) -> Any:
    """A value with each array in it changed: the arrays of dicts, lists and tuples, nested as you like, too."""
    if isinstance(value, np.ndarray):
        return change(value)
    if type(value) is dict:
        return {key: mapped(each, change) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(mapped(each, change) for each in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(each, change) for each in value))
    return value
