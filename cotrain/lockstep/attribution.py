"""Origin or inherited: were the inputs of a differing tap byte-equal?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cotrain.errors import CotrainError
from cotrain.lockstep.names import TapInfo
from cotrain.lockstep.selection import near_names
from cotrain.lockstep.slots import Slot

PREVIOUS = "@-1"


class History:
    """Which values that a step can read were equal: its own earlier taps, the previous step's, the start's."""

    def __init__(self) -> None:
        self.resynced = False
        """Whether differing taps get the reference's bytes, so that whatever is read later is equal."""
        self._initial: dict[str, bool] = {}
        self._unequal_before: frozenset[str] | None = None

    def record_initial(self, slot: Slot) -> None:
        """Takes in the outcomes of the state before step 0."""
        differing = set() if self.resynced else set(slot.differing())
        for position in range(slot.count):
            for name in {slot.infos[position].name, slot.as_inputs[position]} - {""}:
                self._initial[name] = position not in differing

    def record_step(self, slot: Slot, differing: Iterable[int]) -> None:
        """Takes in a step's outcomes, which become the next step's ``@-1``."""
        unequal = () if self.resynced else differing
        self._unequal_before = frozenset(slot.infos[position].name for position in unequal)

    def check_inputs(self, slot: Slot, initial: Slot) -> None:
        """CotrainError when a tap of the first step declares an input that no step can have."""
        own = [info.name for info in slot.infos]
        start = {info.name for info in initial.infos} | set(initial.as_inputs)
        for position, info in enumerate(slot.infos):
            for name in info.inputs or ():
                if name in own[:position] or name in start or _before(name) in own:
                    continue
                known = [*own[:position], *sorted(start - {""})]
                raise CotrainError(
                    f"tap {info.name} declares the input {name}, which no earlier tap provides; "
                    f"{near_names(name, known)}"
                )

    def inputs(self, slot: Slot, position: int) -> dict[str, bool]:
        """Whether each input of a tap was byte-equal, by name in declared order."""
        info = slot.infos[position]
        unequal = set() if self.resynced else {slot.infos[i].name for i in slot.differing()}
        earlier = {other.name: other.name not in unequal for other in slot.infos[:position]}
        if info.inputs is not None:
            return {name: self._equal(name, earlier, info) for name in info.inputs}
        start = {name: equal for name, equal in self._initial.items() if not name.endswith(PREVIOUS)}
        before = {name: equal for name, equal in self._initial.items() if name.endswith(PREVIOUS)}
        if self._unequal_before is not None:
            before = {other.name + PREVIOUS: other.name not in self._unequal_before for other in slot.infos}
        return {**earlier, **before, **start}

    def _equal(self, name: str, earlier: Mapping[str, bool], info: TapInfo) -> bool:
        before = _before(name)
        if before is not None and self._unequal_before is not None:
            return before not in self._unequal_before
        if name in earlier:
            return earlier[name]
        if name in self._initial:
            return self._initial[name]
        if before is not None:
            return True  # state that starts alike on both sides and that no initial tap shows
        raise CotrainError(f"tap {info.name} declares the input {name}, which no earlier tap provides")


def _before(name: str) -> str | None:
    """``x`` for ``x@-1``, None for a name of the step itself."""
    return name.removesuffix(PREVIOUS) if name.endswith(PREVIOUS) else None
