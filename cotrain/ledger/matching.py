"""Which entry explains a difference, and which entries ``--allow`` names."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cotrain import bits
from cotrain.errors import CotrainError
from cotrain.ledger import conditions, functions, products, reductions
from cotrain.ledger.entry import Case, Entry
from cotrain.ledger.operation import Array, parse

ALL = "all"
_ENTRIES = (*functions.ENTRIES, *reductions.ENTRIES, *products.ENTRIES)


class Occurrence(NamedTuple):
    """One differing tap, as the ledger is asked about it."""

    op: str
    """The tap's op text: ``exp(shifted)``, ``mean(per_sample)``, ``sum(gradient, axis=0)``, ``x @ w``."""
    inputs: tuple[Array | None, ...]
    """The taps it was computed from, in declared order, byte-equal on the two sides; None where unknown."""
    reference: Array
    """The whole tap."""
    candidate: Array
    gemm: str
    """What the candidate computed products with: ``openblas``, ``sequential`` or ``native``."""
    math: str
    """What the candidate took its functions from: ``parity`` or ``numsharp``."""


def entries() -> tuple[Entry, ...]:
    """All entries, in the order of the documentation."""
    return _ENTRIES


def match(occurrence: Occurrence) -> Entry | None:
    """The entry that explains every differing element, or None.

    An entry that applies but of which one element is outside the condition, or further away than its bound,
    explains nothing; two entries are never combined. None also when nothing differs, when an input is unknown
    that the condition has to see, and when the op text is more than a single operation.
    """
    operation = parse(occurrence.op)
    reference, candidate = occurrence.reference, occurrence.candidate
    if operation is None or (reference.dtype, reference.shape) != (candidate.dtype, candidate.shape):
        return None
    if any(value is not None and value.dtype != reference.dtype for value in occurrence.inputs):
        return None
    arguments = operation.arguments(occurrence.inputs, reference.dtype)
    if arguments is None:
        return None
    case = Case(operation, arguments, reference, candidate)
    for entry in _ENTRIES:
        about = entry.applies(operation.name, reference.dtype.name, gemm=occurrence.gemm, math=occurrence.math)
        if about and explains(entry, case):
            return entry
    return None


def explains(entry: Entry, case: Case) -> bool:
    """Whether every differing element, of which there is at least one, is inside the entry's condition and bound."""
    differing = conditions.bits(case.reference) != conditions.bits(case.candidate)
    if not differing.any():
        return False
    with np.errstate(all="ignore"):
        inside = entry.holds(case)
    if not inside[differing].all():
        return False
    # A NaN on one side only is no difference of some ulp, whatever the bound.
    if (np.isnan(case.reference) != np.isnan(case.candidate)).any():
        return False
    return entry.bound is None or bits.compare(case.reference, case.candidate).max_ulp <= entry.bound


@lru_cache(maxsize=4096)
def could_match(op: str, dtype: np.dtype[Any] | str, *, gemm: str, math: str) -> bool:
    """Whether :func:`match` could ever find an entry for a tap of this op text and dtype in such a run.

    Cheap, without values: the driver asks once per tap which ones' operands it has to keep.
    """
    operation = parse(op)
    name = np.dtype(dtype).name
    return operation is not None and any(
        entry.applies(operation.name, name, gemm=gemm, math=math) for entry in _ENTRIES
    )


def select(text: str) -> frozenset[str]:
    """The names of the entries that ``--allow`` accepts: ``all`` or ``NAME,NAME``.

    ``all`` leaves out entries without a bound; they have to be named. CotrainError for a name that no entry
    has, with near ones, and for a text without a name.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise CotrainError(f"no ledger entry given; use '{ALL}' or a name such as '{_ENTRIES[0].name}'")
    chosen: set[str] = set()
    for word in words:
        chosen |= {entry.name for entry in _ENTRIES if entry.in_all} if word == ALL else {find(word).name}
    return frozenset(chosen)


def find(name: str) -> Entry:
    """The entry of this name. CotrainError, with near names, when there is none."""
    for entry in _ENTRIES:
        if entry.name == name:
            return entry
    raise CotrainError(f"the ledger has no entry {name!r}; {_near(name)}")


def _near(word: str) -> str:
    from difflib import get_close_matches

    known = [*(entry.name for entry in _ENTRIES), ALL]
    near = get_close_matches(word, known, n=4, cutoff=0.5)
    return f"near names: {', '.join(near)}" if near else f"known names: {', '.join(known)}"
