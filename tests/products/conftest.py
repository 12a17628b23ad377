"""NumSharp's products on NumPy's OpenBLAS, called on NumPy arrays and held against NumPy's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


class Products:
    """NumSharp's product functions over NumPy arrays, without copying them."""

    def __init__(self, numsharp: Any) -> None:
        from cotrain.clr import arrays, assemblies

        self.numsharp = numsharp
        self.backends = assemblies.namespace("Cotrain.Blas").BlasBackends
        self.engine = numsharp.Backends.BackendFactory.GetEngine(numsharp.BackendType.Default)
        self.system = assemblies.namespace("System")
        self.nd = arrays.nd
        self.view = arrays.view

    def call(self, op: str, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """np.<op> of NumSharp, as a NumPy array."""
        return self.view(getattr(self.numsharp.np, op)(self.nd(left), self.nd(right)))

    def same(self, op: str, left: np.ndarray, right: np.ndarray) -> None:
        """Both sides give the same bytes, or both raise."""
        left, right = settled(left), settled(right)
        with np.errstate(all="ignore"):
            try:
                wanted = np.asarray(getattr(np, op)(left, right))
            except ValueError:
                with pytest.raises(self.system.Exception):
                    self.call(op, left, right)
                return
        found = self.call(op, left, right)
        about = f"{op} of {describe(left)} and {describe(right)}"
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), about
        if found.tobytes() != wanted.tobytes():
            raise AssertionError(f"{about}: {difference(wanted, found)}")


def settled(array: np.ndarray) -> np.ndarray:
    """The array with the strides that ``nd`` gives to axes of extent 1.

    NumPy looks at them too, where it chooses between a copy, BLAS and a plain loop: both sides must have the
    same ones.
    """
    strides = list(array.strides)
    after = array.itemsize
    for axis in reversed(range(array.ndim)):
        if array.shape[axis] == 1:
            strides[axis] = after
        after = abs(strides[axis]) * max(array.shape[axis], 1)
    return np.lib.stride_tricks.as_strided(array, strides=strides)


def describe(array: np.ndarray) -> str:
    return f"{array.dtype} {array.shape} strides {array.strides}"


def difference(wanted: np.ndarray, found: np.ndarray) -> str:
    unsigned = f"u{wanted.itemsize}"
    left, right = (np.ascontiguousarray(each).view(unsigned).reshape(-1) for each in (wanted, found))
    where = np.flatnonzero(left != right)
    first = where[0]
    return f"{len(where)} of {left.size} differ, at {first} NumPy {left[first]:#x}, NumSharp {right[first]:#x}"


@pytest.fixture(scope="module")
def products(numsharp: Any) -> Iterator[Products]:
    """The backend installed; taken out again afterwards."""
    from cotrain import blas

    sides = Products(numsharp)
    before = sides.backends.Library
    sides.backends.UseOpenBlas(str(blas.find().path))
    yield sides
    if before is None:
        sides.backends.UseNative()
    else:
        sides.backends.UseOpenBlas(before.Path)
