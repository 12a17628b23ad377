"""NumPy dtypes and NumSharp's ``NPTypeCode`` numbers for the same element types."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cotrain.errors import CotrainError

_CODES = {
    "bool": 3,
    "int8": 5,
    "uint8": 6,
    "int16": 7,
    "uint16": 8,
    "int32": 9,
    "uint32": 10,
    "int64": 11,
    "uint64": 12,
    "float32": 13,
    "float64": 14,
    "float16": 16,
    "complex128": 128,
}
_NAMES = {code: name for name, code in _CODES.items()}


@cache
def type_code(dtype: np.dtype[Any]) -> int:
    """The ``NPTypeCode`` of a native-endian dtype; CotrainError when NumSharp has no such type."""
    if not dtype.isnative:
        raise CotrainError(
            f"dtype {dtype.str!r} is not in this machine's byte order; convert it first: "
            "array.astype(array.dtype.newbyteorder('='))"
        )
    code = _CODES.get(dtype.name)
    if code is None:
        raise CotrainError(f"NumSharp has no dtype for {dtype.name}; it has {', '.join(_CODES)}")
    return code


@cache
def dtype_of(code: int) -> np.dtype[Any]:
    """The NumPy dtype of an ``NPTypeCode``; CotrainError for char, decimal and string."""
    name = _NAMES.get(code)
    if name is None:
        raise CotrainError(f"NumPy has no dtype for NumSharp's NPTypeCode {code} (char, decimal or string)")
    return np.dtype(name)


def code_name(code: int) -> str:
    """A type code as a person reads it."""
    return _NAMES.get(code, f"NPTypeCode {code}")
