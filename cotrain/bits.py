"""Comparing arrays to the bit, in plain NumPy.

This is the oracle: the C# comparer that runs inside a step (``dotnet/NumSharpBridge/Lockstep``) finds the
same, only faster, and tests hold the two together. Elements are equal when their bytes are: −0 differs from
+0, and a NaN equals itself only with the same payload.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cotrain.errors import CotrainError

AnyArray = np.ndarray[Any, np.dtype[Any]]

_MAX_ITEMSIZE = 16
_MAX_WORD = 8
_INFINITY_BITS = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}


@dataclass(frozen=True)
class Finding:
    """What a comparison of two arrays found."""

    differing: int
    """Elements whose bytes differ."""
    first_index: int
    """Index of the first of them in flat C order; -1 when all are equal."""
    reference_bits: bytes
    """The reference's bytes of that element in little-endian order; empty when all are equal."""
    candidate_bits: bytes
    """The candidate's."""
    max_ulp: int
    """The largest :func:`ulp` over the differing elements for which it is defined; 0 if there is none."""
    ulp_defined: int
    """Differing elements for which it is defined."""

    @property
    def equal(self) -> bool:
        """Whether every byte is equal."""
        return self.differing == 0


EQUAL = Finding(0, -1, b"", b"", 0, 0)
"""The finding when nothing differs."""


def compare(reference: AnyArray, candidate: AnyArray) -> Finding:
    """Compares two arrays of one dtype and shape element by element, in C order; any layout, 0-d, empty.

    CotrainError when dtypes or shapes differ, or when the dtype is none whose bytes are its value (objects,
    strings, records, long double with its padding) or not in this machine's byte order.
    """
    _check(reference, candidate)
    if reference.size == 0:
        return EQUAL
    left = _raw(reference)
    right = _raw(candidate)
    differing = np.flatnonzero((left != right).any(axis=1))
    if differing.size == 0:
        return EQUAL
    first = int(differing[0])
    max_ulp = ulp_defined = 0
    if reference.dtype.kind == "f":
        distances = _ulps(left[differing, 0], right[differing, 0])
        ulp_defined = int(distances.size)
        max_ulp = int(distances.max(initial=0))
    return Finding(
        differing=int(differing.size),
        first_index=first,
        reference_bits=_little_endian(left[first]),
        candidate_bits=_little_endian(right[first]),
        max_ulp=max_ulp,
        ulp_defined=ulp_defined,
    )


def ulp(a: Any, b: Any) -> int | None:
    """How many neighbouring floats two NumPy scalars of one dtype are apart; +0 and -0 are 0 apart.

    The distance is taken on the integers that order as the floats do, across zero and up to infinity.
    ``None`` where there is no such thing: integers, bool, complex, and NaN on either side.
    """
    left, right = np.asarray(a), np.asarray(b)
    _check(left, right)
    if left.size != 1:
        raise CotrainError(f"ulp compares two scalars; these have shape {left.shape}")
    if left.dtype.kind != "f":
        return None
    distances = _ulps(_raw(left)[:, 0], _raw(right)[:, 0])
    return int(distances[0]) if distances.size else None


def element_bits(array: AnyArray, flat_index: int) -> bytes:
    """The bytes of the element with this flat C-order index, in little-endian order."""
    return _little_endian(_raw(array[unflatten(flat_index, array.shape)])[0])


def hex_bits(raw: bytes) -> str:
    """Little-endian bytes as one number: ``0x`` and two digits per byte, most significant first."""
    return "0x" + raw[::-1].hex().upper()


def differing_bits(reference: bytes, candidate: bytes) -> tuple[int, ...]:
    """Numbers of the bits in which two elements' bytes differ, ascending; bit 0 is the least significant."""
    if len(reference) != len(candidate):
        raise CotrainError(f"elements of {len(reference)} and {len(candidate)} bytes have no bits in common")
    difference = int.from_bytes(reference, "little") ^ int.from_bytes(candidate, "little")
    return tuple(bit for bit in range(8 * len(reference)) if difference >> bit & 1)


def unflatten(flat_index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index along each axis of the element with this flat C-order index; ``()`` for a scalar."""
    size = math.prod(shape)
    if not 0 <= flat_index < size:
        raise CotrainError(f"element {flat_index} does not exist: shape {shape} has {size}, counted from 0")
    index = []
    for extent in reversed(shape):
        flat_index, position = divmod(flat_index, extent)
        index.append(position)
    return tuple(reversed(index))


def _check(reference: AnyArray, candidate: AnyArray) -> None:
    if reference.dtype != candidate.dtype:
        raise CotrainError(f"dtypes differ: reference {reference.dtype}, candidate {candidate.dtype}")
    if reference.shape != candidate.shape:
        raise CotrainError(f"shapes differ: reference {reference.shape}, candidate {candidate.shape}")
    dtype = reference.dtype
    if dtype.kind not in "biufc" or dtype.itemsize > _MAX_ITEMSIZE or dtype.char == np.dtype(np.longdouble).char:
        raise CotrainError(f"arrays of dtype {dtype} cannot be compared bit for bit; numbers and bool can")
    if not dtype.isnative:
        raise CotrainError(f"dtype {dtype.str!r} is not in this machine's byte order; convert it first")


def _raw(array: AnyArray) -> AnyArray:
    """The bits of an array in C order, one row per element: unsigned words, shape (size, words)."""
    # Copies of the same dtype move bytes; no float operation touches NaN payloads.
    flat = np.ascontiguousarray(array).reshape(-1)
    word = min(flat.itemsize, _MAX_WORD)
    return flat.view(f"u{word}").reshape(flat.size, flat.itemsize // word)


def _little_endian(raw: AnyArray) -> bytes:
    data = raw.tobytes()
    return data if np.little_endian else data[::-1]


def _ulps(left: AnyArray, right: AnyArray) -> AnyArray:
    """Distances (uint64) of float bit patterns given as unsigned integers, without pairs that hold a NaN."""
    itemsize = left.dtype.itemsize
    infinity = _INFINITY_BITS[itemsize]
    sign = 1 << (8 * itemsize - 1)
    magnitudes = [(side & left.dtype.type(sign - 1)).astype(np.int64) for side in (left, right)]
    numbers = (magnitudes[0] <= infinity) & (magnitudes[1] <= infinity)
    # Sign and magnitude to two's complement: neighbouring floats become neighbouring integers.
    a, b = (
        np.where(side & left.dtype.type(sign), -magnitude, magnitude)[numbers].astype(np.int64)
        for side, magnitude in zip((left, right), magnitudes, strict=True)
    )
    # The true distance needs up to 64 bits: subtract as unsigned, modulo 2**64.
    distance: AnyArray = np.maximum(a, b).view(np.uint64) - np.minimum(a, b).view(np.uint64)
    return distance
