"""Products in one fixed order, the same on every machine: ascending k, each product rounded, then added.

``c[i, j] = (((+0 + a[i, 0]·b[0, j]) + a[i, 1]·b[1, j]) + …)``, every operation rounded to the dtype: what the plain
loop of a NumPy without BLAS computes. Neither a BLAS, its kernel or its threads, nor the processor has a say in it.
C#: ``dotnet/NumSharpBridge/Blas/SequentialBackend.cs``.

``np.einsum`` does the work. Its inner loop ``out[:] += scalar * row`` is compiled for the x86-64 baseline only, which
has no fused multiply-add (``einsum_sumprod.c.src`` is not among NumPy's dispatched sources), and rows in C order make
it go through k in ascending order, outside of that loop. Whether this NumPy was built so is tried out once, against
the same chain of ufuncs; where it was not (other processors, other builds), the ufuncs themselves are used, slowly.
"""

from __future__ import annotations

import math
import threading
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
# Measured, in elements copied: what the call of the inner loop costs.
_CALL = 12
# Elements of a batch of products whose NaNs are looked into.
_BATCH = 1 << 16


def dot(a: npt.ArrayLike, b: npt.ArrayLike, out: Array | None = None) -> Any:
    """``np.dot`` for float32 and float64 (and what promotes to them), of any number of dimensions and any layout.

    ``out`` as for ``np.dot``: C-ordered, of the very shape and dtype. Operands of other dtypes go to ``np.dot``
    itself: integers need no order, and float16, object and the like never see a BLAS; complex ones do.

    A sum begins at +0, so it is never −0. A NaN is the first that the chain meets, of two factors the left one's,
    made quiet. With a 0-d operand it is ``np.multiply``. ValueError, with NumPy's words, where shapes or ``out``
    do not fit.
    """
    left, right = np.asarray(a), np.asarray(b)
    dtype = left.dtype if left.dtype == right.dtype else np.result_type(left.dtype, right.dtype)
    if dtype not in _DTYPES:
        return np.dot(left, right, out=out)
    if left.ndim == 0 or right.ndim == 0:
        return np.multiply(left, right, out=out, dtype=dtype)
    k = left.shape[-1]
    axis = max(right.ndim - 2, 0)
    if right.shape[axis] != k:
        raise ValueError(
            f"shapes {_tuple(left)} and {_tuple(right)} not aligned: "
            f"{k} (dim {left.ndim - 1}) != {right.shape[axis]} (dim {axis})"
        )
    rows, columns = left.shape[:-1], right.shape[:axis] + right.shape[axis + 1 :]
    result = np.empty(rows + columns, dtype) if out is None else _acceptable(out, rows + columns, dtype)
    target = result
    if out is not None and (np.may_share_memory(out, left) or np.may_share_memory(out, right)):
        target = np.empty_like(out)
    m, n = math.prod(rows), math.prod(columns)
    _product(
        _plain(left, dtype).reshape(m, k),
        _plain(np.moveaxis(right, axis, 0) if axis else right, dtype).reshape(k, n),
        target.reshape(m, n),
    )
    if target is not result:
        np.copyto(result, target)
    return result if out is not None or result.ndim else result[()]


def _plain(array: Array, dtype: np.dtype[Any]) -> Array:
    """The operand in the product's dtype and aligned; itself where it is."""
    return array if array.dtype == dtype and array.dtype.isnative and array.flags.aligned else array.astype(dtype)


def _acceptable(out: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    if out.dtype != dtype or out.ndim != len(shape) or not (out.flags.carray and out.dtype.isnative):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )
    if out.shape != shape:
        raise ValueError("output array has wrong dimensions")
    return out


def _tuple(array: Array) -> str:
    """A shape as NumPy's messages have it, without blanks."""
    return str(array.shape).replace(" ", "")


def _product(a: Array, b: Array, c: Array) -> None:
    """(m, k) times (k, n) into (m, n), in C order and apart from both."""
    (m, k), n = a.shape, b.shape[1]
    if k == 0 or c.size == 0:
        c[...] = 0
        return
    if m == n == 1:
        _single(a[0], b[:, 0], c)
    elif m == 1 or (n > 1 and _cost(a, b) <= _cost(b.T, a.T) + c.size):
        _chain(_rows(a, "a"), _rows(b, "b"), c)
    else:
        # Longer runs of the inner loop are worth a transposed copy.
        transposed = _room("c", (n, m), c.dtype)
        _chain(_rows(b.T, "b"), _rows(a.T, "a"), transposed)
        np.copyto(c, transposed.T)
    _restore_nans(a, b, c)


def _cost(a: Array, b: Array) -> int:
    """What a way costs beyond the multiplying itself, in elements copied."""
    copied = (0 if _in_rows(a) else a.size) + (0 if _in_rows(b) else b.size)
    return copied + _CALL * a.size


def _in_rows(array: Array) -> bool:
    """Whether each row is contiguous, and rows follow one another: the layout in which k ascends."""
    rows, columns = array.shape
    return bool(
        (columns == 1 or array.strides[1] == array.itemsize)
        and (rows == 1 or array.strides[0] >= columns * array.itemsize)
    )


def _rows(array: Array, name: str) -> Array:
    """The matrix, copied where its rows are not in order."""
    if _in_rows(array):
        return array
    copy = _room(name, array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


def _single(x: Array, y: Array, c: Array) -> None:
    """One sum: accumulate adds in order."""
    with np.errstate(all="ignore"):
        products = np.multiply(x, y)
        products[0] += 0  # -0 would stay -0
        c[...] = np.add.accumulate(products)[-1]


def _chain(a: Array, b: Array, c: Array) -> None:
    """The chain for operands in rows; n is over 1: with one column einsum would sum along k in vectors."""
    if _einsum_is_the_chain():
        np.einsum("ik,kj->ij", a, b, out=c)
    else:
        _chain_of_ufuncs(a, b, c)


def _chain_of_ufuncs(a: Array, b: Array, c: Array) -> None:
    """The same by one outer product per k."""
    c[...] = 0
    products = np.empty_like(c)
    with np.errstate(all="ignore"):
        for k in range(len(b)):
            np.multiply(a[:, k : k + 1], b[k], out=products)
            np.add(c, products, out=c)


@cache
def _einsum_is_the_chain() -> bool:
    """Whether einsum gives the bits of the ufuncs: shapes for its vectors, their rests, and each single axis."""
    random = np.random.RandomState(5)
    for dtype in _DTYPES:
        for m, k, n in ((3, 40, 37), (1, 40, 64), (9, 33, 2), (4, 1, 5)):
            a: Array = random.normal(size=(m, k)).astype(dtype)
            b: Array = random.normal(size=(k, n)).astype(dtype)
            found, wanted = np.empty((2, m, n), dtype)
            np.einsum("ik,kj->ij", a, b, out=found)
            _chain_of_ufuncs(a, b, wanted)
            if found.tobytes() != wanted.tobytes():
                return False
    return True


def _restore_nans(a: Array, b: Array, c: Array) -> None:
    """Writes the NaN that each chain ends in: which of two a vector instruction keeps is the compiler's choice.

    From the first NaN on a sum stays what it is. It comes from a, or else from b, or else from the operation.
    """
    nans = np.isnan(c)
    if not nans.any():
        return
    i, j = np.nonzero(nans)
    batch = max(1, _BATCH // a.shape[1])
    for start in range(0, len(i), batch):
        rows, columns = i[start : start + batch], j[start : start + batch]
        x, y = a[rows], b.T[columns]
        with np.errstate(all="ignore"):
            sums = np.add.accumulate(np.multiply(x, y), axis=1)
            at = np.arange(len(rows)), np.isnan(sums).argmax(axis=1)
            left, right = x[at] + 0, y[at] + 0  # quiet
        c[rows, columns] = np.where(np.isnan(left), left, np.where(np.isnan(right), right, sums[at]))


class _Scratch(threading.local):
    """Memory for copies, kept from product to product: fresh pages would cost more than the copy."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[str, np.dtype[Any]], Array] = {}


_scratch = _Scratch()


def _room(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Uninitialised memory of this name, as a C-ordered array; valid until the next call."""
    size = math.prod(shape)
    block = _scratch.blocks.get((name, dtype))
    if block is None or block.size < size:
        block = _scratch.blocks[name, dtype] = np.empty(size, dtype)
    return block[:size].reshape(shape)
