"""Which taps the candidate may hand in in another order than the reference: only what the reference declares."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from cotrain.errors import CotrainError
from cotrain.lockstep.names import TapInfo


class AnyOrder:
    """The any-order groups of a reference trainer (:attr:`cotrain.protocol.Trainer.any_order`)."""

    def __init__(self, groups: tuple[tuple[str, ...], ...]) -> None:
        self._groups = groups

    def number(self, infos: Sequence[TapInfo]) -> list[int]:
        """The group of each tap of a step, from 1; 0 for none.

        CotrainError when a group's taps do not come one after another, or one of them declares no inputs: "every
        earlier tap" says nothing where the order is open.
        """
        numbers = [self._find(info.name) if self._groups else 0 for info in infos]
        for position, number in enumerate(numbers):
            if number == 0:
                continue
            name = infos[position].name
            if infos[position].inputs is None:
                raise CotrainError(f"tap {name} may come in any order (any_order), so it has to declare its inputs")
            if position and numbers[position - 1] != number and number in numbers[:position]:
                before = infos[position - 1].name
                raise CotrainError(
                    f"the taps of the any_order group {self._text(number)} do not come one after another: "
                    f"{before} comes between them, before {name}"
                )
        return numbers

    def check(self, names: Sequence[str]) -> None:
        """CotrainError when a pattern of a group matches no tap."""
        for group in self._groups:
            for pattern in group:
                if not any(fnmatchcase(name, pattern) for name in names):
                    raise CotrainError(f"no tap of this run matches {pattern!r} of any_order")

    def _find(self, name: str) -> int:
        for number, patterns in enumerate(self._groups, 1):
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return number
        return 0

    def _text(self, number: int) -> str:
        return f"({', '.join(self._groups[number - 1])})"
