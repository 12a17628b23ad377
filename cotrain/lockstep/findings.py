"""From the worker's raw findings to the divergences of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cotrain import bits
from cotrain.lockstep.attribution import Explanation
from cotrain.lockstep.result import Divergence, Place, StructuralDivergence, TapShape
from cotrain.lockstep.session import CandidateSession
from cotrain.lockstep.slots import Slot


def divergence(
    place: Place,
    slot: Slot,
    position: int,
    inputs: Mapping[str, bool],
    session: CandidateSession,
    *,
    explanation: Explanation,
    accepted: bool,
    with_values: bool,
) -> Divergence:
    """The divergence at a position of a compared slot; reads slot and session before either goes on.

    ``with_values`` keeps copies of both sides' whole tap.
    """
    info = slot.infos[position]
    reference_tap = slot.values[position]
    found = slot.outcomes[position]["finding"]
    flat = int(found["first_index"])
    dtype = reference_tap.dtype
    reference = _element(found["reference_bits"], dtype)
    candidate = _element(found["candidate_bits"], dtype)
    candidate_tap = slot.candidate(position) if with_values else None
    return Divergence(
        place=place,
        tap=info.name,
        op=info.op,
        dtype=dtype.name,
        shape=reference_tap.shape,
        index=bits.unflatten(flat, reference_tap.shape),
        flat_index=flat,
        reference_bits=bits.hex_bits(reference.tobytes()),
        candidate_bits=bits.hex_bits(candidate.tobytes()),
        reference=reference,
        candidate=candidate,
        ulp=bits.ulp(reference, candidate),
        max_ulp=int(found["max_ulp"]) if found["ulp_defined"] else None,
        differing=int(found["differing"]),
        size=reference_tap.size,
        origin=all(inputs.values()),
        excuse=", ".join(sorted(explanation)) or None,
        accepted=accepted,
        inputs=dict(inputs),
        also_differing=tuple(slot.infos[i].name for i in slot.differing() if i > position),
        reference_source=info.source,
        candidate_source=session.source(info.id),
        reference_value=reference_tap.copy() if with_values else None,
        candidate_value=None if candidate_tap is None else candidate_tap.copy(),
    )


def structural_divergence(place: Place, slot: Slot, session: CandidateSession) -> StructuralDivergence:
    """Where the two sides' taps of a step stop lining up."""
    position, candidate = session.unaligned
    reference = tuple(
        TapShape(info.name, value.dtype.name, value.shape)
        for info, value in zip(slot.infos[position:], slot.values[position:], strict=True)
    )
    return StructuralDivergence(place, position, reference, candidate)


def _element(raw: Any, dtype: np.dtype[Any]) -> Any:
    """One element from its bytes, as a NumPy scalar."""
    return np.frombuffer(raw.tobytes(), dtype, 1)[0]
