"""How far a sweep has come and what it found: kept in memory, saved so that an interrupted one goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cotrain.errors import CotrainError
from cotrain.files import whole
from cotrain.sweep.functions import Bits

END = 1 << 32
LISTED = 100_000
"""Differing inputs that are listed; all are counted."""
_SCHEMA = 1
_QUIET = np.uint32(0x7F800000)
_SIGN = np.int64(1) << 31


@dataclass
class Progress:
    """A sweep from pattern 0 up to (excluding) ``position``."""

    position: int = 0
    differing: int = 0
    max_ulp: int = 0
    """The largest distance on the ordered integers, where neither result is NaN."""
    listed: list[npt.NDArray[np.uint32]] = field(default_factory=list)
    """Blocks of rows: input, reference, candidate; together the first :data:`LISTED` of them."""
    rows: int = 0

    def add(self, inputs: Bits, reference: Bits, candidate: Bits) -> None:
        """Takes in the next block."""
        self.position += inputs.size
        unequal = reference != candidate
        if not unequal.any():
            return
        found = np.stack([inputs[unequal], reference[unequal], candidate[unequal]], axis=1)
        self.differing += len(found)
        numbers = ((found[:, 1:] & ~np.uint32(1 << 31)) <= _QUIET).all(axis=1)
        if numbers.any():
            left, right = (_ordered(found[numbers, column]) for column in (1, 2))
            self.max_ulp = max(self.max_ulp, int(np.abs(left - right).max()))
        kept = found[: LISTED - self.rows]
        self.rows += len(kept)
        if len(kept):
            self.listed.append(kept)

    def table(self) -> npt.NDArray[np.uint32]:
        """The listed rows, in order of the inputs."""
        return np.concatenate(self.listed) if self.listed else np.empty((0, 3), np.uint32)

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Writes the state, whole or not at all."""
        header = {
            "schema": _SCHEMA,
            "about": about,
            "position": self.position,
            "differing": self.differing,
            "max_ulp": self.max_ulp,
        }
        text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8)
        with whole(path, "sweep's state") as file:
            np.savez(file, header=text, rows=self.table())

    @classmethod
    def load(cls, path: Path, about: Mapping[str, Any]) -> Progress:
        """The saved state, or a new one without such a file.

        CotrainError when it is damaged or was made under other pins: its results would not be this machine's.
        """
        if not path.exists():
            return cls()
        try:
            with np.load(path, allow_pickle=False) as archive:
                header, rows = json.loads(archive["header"].tobytes()), archive["rows"]
            position, differing, max_ulp = (int(header[key]) for key in ("position", "differing", "max_ulp"))
            if header["schema"] != _SCHEMA or rows.shape != (min(differing, LISTED), 3) or rows.dtype != np.uint32:
                raise ValueError("another schema or shape")
            if not 0 <= position <= END:
                raise ValueError("a position out of range")
        except Exception as error:
            raise CotrainError(f"{path} is no state of a sweep, or a damaged one; --fresh begins anew") from error
        changed = [key for key in about if header["about"].get(key) != about[key]]
        if changed:
            raise CotrainError(
                f"{path} is from a sweep with another {', '.join(changed)}; --fresh begins anew, --out chooses a folder"
            )
        return cls(position, differing, max_ulp, [rows] if len(rows) else [], len(rows))


def _ordered(bits: Bits) -> npt.NDArray[np.int64]:
    """Integers in the order of the floats; both zeros are 0."""
    wide = bits.astype(np.int64)
    return np.where(wide & _SIGN, -(wide & (_SIGN - 1)), wide)
