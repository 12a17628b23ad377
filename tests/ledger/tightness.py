"""Is an entry true, and no wider than it has to be? One function, used on the entries and on spoilt copies of them."""

from __future__ import annotations

import numpy as np
from ledger.families import FAMILIES
from ledger.numsharp_calls import Compute, case, example_of, numsharp

from cotrain import bits
from cotrain.ledger.conditions import bits as patterns
from cotrain.ledger.entry import Case, Entry, Host


class Loose(AssertionError):
    """The entry does not say what NumSharp does."""


def check(entry: Entry, by: Compute = numsharp) -> None:
    """Raises Loose unless the entry describes ``by``, which stands for NumSharp, exactly."""
    family = FAMILIES[entry.name]
    _check_example(entry, by)
    reached = -1
    for op, *operands in family.inside():
        found = case(op, *operands, by=by)
        differing, inside = _differing(found), _inside(entry, found)
        if (differing & ~inside).any():
            raise Loose(
                f"{entry.name}: {_where(op, operands, differing & ~inside)} differs and is not in the condition"
            )
        if family.everywhere and not differing.all():
            raise Loose(f"{entry.name}: {_where(op, operands, ~differing)} is equal now")
        if (np.isnan(found.reference) != np.isnan(found.candidate)).any():
            raise Loose(f"{entry.name}: {op} is NaN on one side")
        if differing.any():
            reached = max(reached, bits.compare(found.reference, found.candidate).max_ulp)
    if entry.bound is not None and reached > entry.bound:
        raise Loose(f"{entry.name}: {reached} ulp, and the bound is {entry.bound}")
    if entry.bound is not None and reached < entry.bound:
        raise Loose(f"{entry.name}: no more than {reached} ulp, and the bound is {entry.bound}")
    if reached < 0:
        raise Loose(f"{entry.name}: nothing differs any more")
    for op, *operands in family.outside():
        found = case(op, *operands, by=by)
        if _inside(entry, found).any():
            raise Loose(f"{entry.name}: the condition holds for {_where(op, operands, _inside(entry, found))}")
        if _differing(found).any():
            raise Loose(f"{entry.name}: {_where(op, operands, _differing(found))} differs, outside the condition")


def why_not_here(entry: Entry) -> str | None:
    """Why this machine cannot show the difference; None when it can."""
    from numpy._core._multiarray_umath import __cpu_features__

    from cotrain import blas
    from cotrain.clr import assemblies

    if not __cpu_features__.get("X86_V3"):
        return "NumPy computes without AVX2 here"
    if not assemblies.namespace("System.Runtime.Intrinsics").Vector256.IsHardwareAccelerated:
        return ".NET computes without AVX2 here"
    if entry.host is Host.AVX512 and not __cpu_features__.get("X86_V4"):
        return "NumPy computes without AVX-512 here"
    if entry.host is Host.FMA_KERNEL and blas.find().architecture not in ("Haswell", "SkylakeX"):
        return f"OpenBLAS uses its kernel {blas.find().architecture} here"
    return None


def _check_example(entry: Entry, by: Compute) -> None:
    op, operands = example_of(entry)
    found = case(op, *operands, by=by)
    for side, wanted in (("reference", entry.example.reference), ("candidate", entry.example.candidate)):
        array = getattr(found, side)
        if array.shape != wanted.shape or array.tobytes() != wanted.array().tobytes():
            raise Loose(
                f"{entry.name}: the smallest input gives another {side}: {patterns(array).tolist()}, not {wanted}"
            )
    if not _inside(entry, found)[_differing(found)].all():
        raise Loose(f"{entry.name}: the smallest input is outside the condition")


def _differing(found: Case) -> np.ndarray:
    assert (found.reference.dtype, found.reference.shape) == (found.candidate.dtype, found.candidate.shape)
    return patterns(found.reference) != patterns(found.candidate)


def _inside(entry: Entry, found: Case) -> np.ndarray:
    with np.errstate(all="ignore"):
        return entry.holds(found)


def _where(op: str, operands: list[np.ndarray], which: np.ndarray) -> str:
    shapes = ", ".join(f"{each.dtype}{list(each.shape)}" for each in operands)
    return f"{op} of {shapes}, element {np.flatnonzero(which)[0]}"
