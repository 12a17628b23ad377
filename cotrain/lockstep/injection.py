"""A planted difference: one bit flipped in the candidate's memory right after an operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cotrain.errors import CotrainError
from cotrain.lockstep.selection import near_names
from cotrain.protocol import ArrayLike


@dataclass(frozen=True, slots=True)
class Injection:
    """``STEP:TAP:INDEX:BIT`` of ``--inject``: step from 0, flat C-order index, bit 0 the least significant."""

    step: int
    tap: str
    index: int
    bit: int

    @classmethod
    def parse(cls, text: str) -> Injection:
        """From the command line's spelling."""
        parts = text.split(":")
        if len(parts) != 4:
            raise CotrainError(
                f"cannot read the injection {text!r}; write STEP:TAP:INDEX:BIT, for example 0:loss.exps:17:3"
            )
        step, tap, index, bit = parts
        try:
            numbers = (int(step), int(index), int(bit))
        except ValueError:
            raise CotrainError(
                f"cannot read the injection {text!r}: step, index and bit are whole numbers (STEP:TAP:INDEX:BIT)"
            ) from None
        if min(numbers) < 0:
            raise CotrainError(f"the injection {text!r} has a negative number; step, index and bit count from 0")
        return cls(numbers[0], tap, numbers[1], numbers[2])

    def __str__(self) -> str:
        return f"{self.step}:{self.tap}:{self.index}:{self.bit}"

    def check_name(self, names: Iterable[str], total_steps: int) -> None:
        """CotrainError when the run has no such step or tap."""
        known = list(names)
        if self.tap not in known:
            raise CotrainError(f"injection {self}: no step has a tap {self.tap!r}; {near_names(self.tap, known)}")
        if self.step >= total_steps:
            raise CotrainError(
                f"injection {self}: the run ends with step {total_steps - 1}, there is no step {self.step}"
            )

    def check_place(self, value: ArrayLike) -> None:
        """CotrainError when the tap's value has no such element or bit."""
        if self.index >= value.size:
            raise CotrainError(
                f"injection {self}: {self.tap} has shape {value.shape}, its flat indices end at {value.size - 1}"
            )
        bits = 8 * value.dtype.itemsize
        if self.bit >= bits:
            raise CotrainError(f"injection {self}: {self.tap} is {value.dtype}, its bits end at {bits - 1}")
