"""SHA-256 of the trained parameters of both sides."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from cotrain.errors import CotrainError, ExitCode
from cotrain.protocol import ArrayLike


def hash_parameters(
    names: Iterable[str], reference: Mapping[str, ArrayLike], candidate: Mapping[str, ArrayLike]
) -> dict[str, dict[str, str]]:
    """``{parameter: {"reference": hex, "candidate": hex}}`` over the bytes in C order.

    ``names`` selects keys of the reference's state; empty means all of them. CotrainError when a side lacks
    one.
    """
    chosen = tuple(names) or tuple(reference)
    for side, state in (("reference", reference), ("candidate", candidate)):
        missing = [name for name in chosen if name not in state]
        if missing:
            raise CotrainError(
                f"the {side}'s state lacks {', '.join(missing)}; it has {', '.join(state) or 'nothing'}",
                ExitCode.TRAINER_FAILED,
            )
    return {name: {"reference": _sha256(reference[name]), "candidate": _sha256(candidate[name])} for name in chosen}


def _sha256(array: ArrayLike) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()
