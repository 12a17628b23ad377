"""The conditions of the entries: which elements of a result are known to differ, or may.

Each takes a :class:`~cotrain.ledger.entry.Case` and gives a boolean array of the result's shape. What does not
look as expected (another number of operands, other shapes) is inside no condition.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cotrain.ledger.entry import Case, Condition
from cotrain.ledger.operation import Array

DEFAULT_NAN = {4: 0x7FC00000, 8: 0x7FF8000000000000}
"""The quiet NaN that ``np.nan`` is, by itemsize."""


def bits(array: Array) -> Array:
    """The elements as unsigned integers of their size, in C order and of the same shape."""
    # A copy of the same dtype moves bytes; ascontiguousarray would turn 0-d into 1-d.
    flat = array.reshape(-1).copy()
    return flat.view(f"u{array.dtype.itemsize}").reshape(array.shape)


def nowhere(case: Case) -> Array:
    """False for every element."""
    return np.zeros(case.reference.shape, np.bool_)


def operands(case: Case, count: int) -> tuple[Array, ...] | None:
    """The operands when there are so many and all are known."""
    known = tuple(each for each in case.arguments if each is not None)
    return known if len(known) == len(case.arguments) == count else None


def elementwise(case: Case) -> Array | None:
    """The only operand, when it has the result's shape."""
    known = operands(case, 1)
    return known[0] if known is not None and known[0].shape == case.reference.shape else None


def lanes(case: Case) -> Array | None:
    """What a reduction folds into each element: the result's shape and one axis more. None if it does not fit."""
    known = operands(case, 1)
    if known is None:
        return None
    (x,) = known
    operation, shape = case.operation, case.reference.shape
    if operation.axis is None:
        kept = (1,) * x.ndim if operation.keepdims else ()
        return x.reshape(*shape, -1) if shape == kept and x.size else None
    if not -x.ndim <= operation.axis < x.ndim:
        return None
    axis = operation.axis % x.ndim
    folded = np.moveaxis(x, axis, -1)
    if operation.keepdims:
        folded = np.expand_dims(folded, axis)
    return folded if folded.shape[:-1] == shape else None


# ---- elementwise functions


def listed(differing: Mapping[int, tuple[int, int]]) -> Condition:
    """Exactly these inputs with exactly these bits: input -> (reference, candidate). Read when first asked."""

    def holds(case: Case) -> Array:
        x = elementwise(case)
        if x is None:
            return nowhere(case)
        known = np.array([(key, *value) for key, value in differing.items()], np.uint64).reshape(-1, 3)
        known = known[np.argsort(known[:, 0])]
        patterns, reference, candidate = (bits(each) for each in (x, case.reference, case.candidate))
        at = np.searchsorted(known[:, 0], patterns).clip(max=len(known) - 1)
        found: Array = known[at]
        inside: Array = found[..., 0] == patterns
        inside &= (found[..., 1] == reference) & (found[..., 2] == candidate)
        return inside

    return holds


def numbers(*, low: float = -np.inf, nan_sign: bool = False) -> Condition:
    """One finite operand over ``low``, two finite results. With ``nan_sign`` also NumPy's NaN and its negative."""

    def holds(case: Case) -> Array:
        x, reference, candidate = elementwise(case), case.reference, case.candidate
        if x is None:
            return nowhere(case)
        inside: Array = np.isfinite(x) & (x > low) & np.isfinite(reference) & np.isfinite(candidate)
        if nan_sign:
            sign = bits(reference) ^ bits(candidate) == 1 << (8 * reference.dtype.itemsize - 1)
            inside |= ~(x > low) & np.isnan(reference) & np.isnan(candidate) & sign
        return inside

    return holds


def power(case: Case) -> Array:
    """A finite positive base, a finite exponent, two finite results."""
    known = operands(case, 2)
    if known is None:
        return nowhere(case)
    try:
        x, y = (np.broadcast_to(each, case.reference.shape) for each in known)
    except ValueError:
        return nowhere(case)
    inside: Array = (x > 0) & np.isfinite(x) & np.isfinite(y)
    inside &= np.isfinite(case.reference) & np.isfinite(case.candidate)
    return inside


# ---- reductions


def whole_sum(least: int, most: int) -> Condition:
    """A whole C-contiguous array of ``least`` to ``most`` finite elements, none of the other sign than the rest."""

    def holds(case: Case) -> Array:
        known = operands(case, 1)
        if known is None or lanes(case) is None or case.operation.axis is not None:
            return nowhere(case)
        (x,) = known
        inside = x.flags.c_contiguous and least <= x.size <= most and bool(np.isfinite(x).all())
        inside = inside and bool((x >= 0).all() or (x <= 0).all())
        return nowhere(case) | inside

    return holds


def negative_zero_kept(*, whole: bool) -> Condition:
    """One element −0 is all there is to add; NumPy gives +0, NumSharp −0."""

    def holds(case: Case) -> Array:
        folded, known = lanes(case), operands(case, 1)
        if folded is None or known is None or folded.shape[-1] != 1 or (case.operation.axis is None) != whole:
            return nowhere(case)
        if whole and known[0].ndim > 1:
            return nowhere(case)
        sign = 1 << (8 * case.reference.dtype.itemsize - 1)
        inside: Array = bits(folded[..., 0]) == sign
        inside &= (bits(case.reference) == 0) & (bits(case.candidate) == sign)
        return inside

    return holds


def reversed_axis(case: Case) -> Array:
    """The axis has a negative stride and at least three elements; two finite results."""
    folded = lanes(case)
    if folded is None or case.operation.axis is None or folded.shape[-1] < 3 or folded.strides[-1] >= 0:
        return nowhere(case)
    inside: Array = np.isfinite(case.reference) & np.isfinite(case.candidate)
    return inside


def both_zeros(case: Case) -> Array:
    """Both results are zero, and both +0 and −0 are among what they are the largest or smallest of."""
    folded = lanes(case)
    if folded is None:
        return nowhere(case)
    zero, negative = folded == 0, np.signbit(folded)
    inside: Array = (zero & negative).any(axis=-1) & (zero & ~negative).any(axis=-1)
    inside &= (case.reference == 0) & (case.candidate == 0)
    return inside


def nan_payload(case: Case) -> Array:
    """Both results are NaN, and a NaN other than ``np.nan`` is folded; in sums also NaN beside +inf and −inf."""
    folded = lanes(case)
    if folded is None or case.operation.axis is None:
        return nowhere(case)
    nan = np.isnan(folded)
    inside: Array = (nan & (bits(folded) != DEFAULT_NAN[folded.dtype.itemsize])).any(axis=-1)
    if case.operation.name in ("sum", "mean"):
        inside |= nan.any(axis=-1) & (folded == np.inf).any(axis=-1) & (folded == -np.inf).any(axis=-1)
    inside &= np.isnan(case.reference) & np.isnan(case.candidate)
    return inside


def spread(least: int, most: int) -> Condition:
    """``least`` to ``most`` finite elements whose mean is at most four standard deviations from 0."""

    def holds(case: Case) -> Array:
        folded = lanes(case)
        if folded is None or not least <= folded.shape[-1] <= most:
            return nowhere(case)
        exact = folded.astype(np.float64)
        inside: Array = np.isfinite(folded).all(axis=-1) & np.isfinite(case.reference) & np.isfinite(case.candidate)
        inside &= np.abs(exact.mean(axis=-1)) <= 4 * exact.std(axis=-1)
        return inside

    return holds


def product(case: Case) -> Array:
    """At least four elements, three where an axis is reversed; two finite results other than 0."""
    folded, known = lanes(case), operands(case, 1)
    if folded is None or known is None:
        return nowhere(case)
    (x,) = known
    turned = any(stride < 0 for stride, extent in zip(x.strides, x.shape, strict=True) if extent > 1)
    if folded.shape[-1] < (3 if turned else 4):
        return nowhere(case)
    inside: Array = np.isfinite(case.reference) & np.isfinite(case.candidate)
    inside &= (case.reference != 0) & (case.candidate != 0)
    return inside


# ---- products of matrices


def inner_dimension(least: int) -> Condition:
    """Operands of one or two axes that share an inner dimension of at least this; two finite results.

    Unknown operands are taken to fit: a data set's batch, say, that no tap shows.
    """

    def holds(case: Case) -> Array:
        if len(case.arguments) != 2:
            return nowhere(case)
        left, right = case.arguments
        rest = 0
        for side, inner in ((left, -1), (right, 0)):
            if side is None:
                continue
            if not 1 <= side.ndim <= 2 or side.shape[inner] < least:
                return nowhere(case)
            rest += side.ndim - 1
        if left is not None and right is not None:
            fits = left.shape[-1] == right.shape[0] and left.shape[:-1] + right.shape[1:] == case.reference.shape
        else:
            fits = rest <= case.reference.ndim <= 2
        inside: Array = np.isfinite(case.reference) & np.isfinite(case.candidate) & fits
        return inside

    return holds
