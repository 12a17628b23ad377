"""From two arrays to the divergence that the card shows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cotrain import bits
from cotrain.lockstep.names import SourceLine
from cotrain.lockstep.result import Divergence, Place
from cotrain.protocol import ArrayLike


def difference(
    name: str,
    reference: ArrayLike,
    candidate: ArrayLike,
    *,
    place: Place,
    op: str = "",
    inputs: Mapping[str, bool] | None = None,
    sources: tuple[SourceLine | None, SourceLine | None] = (None, None),
) -> Divergence | None:
    """What differs between two arrays of one dtype and shape; None when every byte is equal.

    CotrainError as :func:`cotrain.bits.compare` raises it.
    """
    found = bits.compare(reference, candidate)
    if found.equal:
        return None
    pair = [np.frombuffer(raw, reference.dtype, 1)[0] for raw in (found.reference_bits, found.candidate_bits)]
    inputs = inputs or {}
    return Divergence(
        place=place,
        tap=name,
        op=op,
        dtype=reference.dtype.name,
        shape=reference.shape,
        index=bits.unflatten(found.first_index, reference.shape),
        flat_index=found.first_index,
        reference_bits=bits.hex_bits(found.reference_bits),
        candidate_bits=bits.hex_bits(found.candidate_bits),
        reference=pair[0],
        candidate=pair[1],
        ulp=bits.ulp(*pair),
        max_ulp=found.max_ulp if found.ulp_defined else None,
        differing=found.differing,
        size=reference.size,
        origin=all(inputs.values()),
        inputs=dict(inputs),
        reference_source=sources[0],
        candidate_source=sources[1],
        reference_value=reference,
        candidate_value=candidate,
    )
