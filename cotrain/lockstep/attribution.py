"""Origin or inherited: were the inputs of a differing tap byte-equal? And if not, what explains them?"""

from __future__ import annotations

from collections.abc import Mapping

from cotrain.errors import CotrainError
from cotrain.lockstep.selection import near_names
from cotrain.lockstep.slots import Slot

PREVIOUS = "@-1"

Explanation = frozenset[str]
"""Names of the ledger's entries that explain a difference; empty when none does."""
UNEXPLAINED: Explanation = frozenset()


class History:
    """Which values that a step can read differ: its own earlier taps, the previous step's, the start's."""

    def __init__(self) -> None:
        self.resynced = False
        """Whether differing taps get the reference's bytes, so that whatever is read later is equal."""
        self._initial: dict[str, bool] = {}
        self._before: Mapping[str, Explanation] | None = None
        self._now: dict[str, Explanation] = {}

    def record_initial(self, slot: Slot) -> None:
        """Takes in the outcomes of the state before step 0."""
        differing = set() if self.resynced else set(slot.differing())
        for position in range(slot.count):
            for name in {slot.infos[position].name, slot.as_inputs[position]} - {""}:
                self._initial[name] = position not in differing

    def note(self, name: str, explanation: Explanation) -> None:
        """Takes in a differing tap of the step, in the order of the taps."""
        if not self.resynced:
            self._now[name] = explanation

    def end_step(self) -> None:
        """What was noted becomes the next step's ``@-1``."""
        self._before, self._now = self._now, {}

    def check_inputs(self, slot: Slot, initial: Slot) -> None:
        """CotrainError when a tap of the first step declares an input that no step can have."""
        own = [info.name for info in slot.infos]
        start = {info.name for info in initial.infos} | set(initial.as_inputs)
        for position, info in enumerate(slot.infos):
            for name in info.inputs or ():
                if name in own[:position] or name in start or before(name) in own:
                    continue
                known = [*own[:position], *sorted(start - {""})]
                raise CotrainError(
                    f"tap {info.name} declares the input {name}, which no earlier tap provides; "
                    f"{near_names(name, known)}"
                )

    def inputs(self, slot: Slot, position: int) -> dict[str, bool]:
        """Whether each input of a tap was byte-equal, by name in declared order."""
        declared = slot.infos[position].inputs
        names = self._everything(slot, position) if declared is None else declared
        return {name: self._difference(name, slot, position) is None for name in names}

    def handed_down(self, slot: Slot, position: int, inputs: Mapping[str, bool]) -> Explanation:
        """What explains an inherited difference: its differing inputs' explanations, if each has one."""
        found = [self._difference(name, slot, position) for name, equal in inputs.items() if not equal]
        return frozenset().union(*(names or () for names in found)) if all(found) else UNEXPLAINED

    def _everything(self, slot: Slot, position: int) -> list[str]:
        """What a tap without declared inputs may have read."""
        earlier = [info.name for info in slot.infos[:position]]
        if self._before is None:
            state = [name for name in self._initial if name.endswith(PREVIOUS)]
        else:
            state = [info.name + PREVIOUS for info in slot.infos]
        return [*earlier, *state, *(name for name in self._initial if not name.endswith(PREVIOUS))]

    def _difference(self, name: str, slot: Slot, position: int) -> Explanation | None:
        """What is known of a differing input; None when it was equal."""
        previous = before(name)
        if previous is not None and self._before is not None:
            return self._before.get(previous)
        if 0 <= slot.find(name) < position:
            return self._now.get(name)
        if name in self._initial:
            return None if self._initial[name] else UNEXPLAINED
        if previous is not None:
            return None  # state that starts alike on both sides and that no initial tap shows
        raise CotrainError(f"tap {slot.infos[position].name} declares the input {name}, which no earlier tap provides")


def before(name: str) -> str | None:
    """``x`` for ``x@-1``, None for a name of the step itself."""
    return name.removesuffix(PREVIOUS) if name.endswith(PREVIOUS) else None
