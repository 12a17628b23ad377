"""From what the worker found in a step to the findings of the result: origin, inherited, excused, and when to end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from cotrain.lockstep.attribution import UNEXPLAINED, Explanation, History
from cotrain.lockstep.findings import divergence, structural_divergence
from cotrain.lockstep.layout import StepReport
from cotrain.lockstep.result import ExcuseCount, Place, Result, Verdict
from cotrain.lockstep.session import INITIAL, CandidateSession
from cotrain.lockstep.slots import Slot


class Ledger(Protocol):
    """Who knows differences; :class:`cotrain.lockstep.excuses.Excuses` is one."""

    def explain(self, slot: Slot, position: int, previous: Slot | None) -> Explanation:
        """What explains all differing elements of a tap whose inputs were equal."""
        ...


class Judge:
    """Takes in each compared step, in order."""

    def __init__(
        self, result: Result, history: History, session: CandidateSession, ledger: Ledger, steps_per_epoch: int | None
    ) -> None:
        self._result = result
        self._history = history
        self._session = session
        self._ledger = ledger
        self._steps_per_epoch = steps_per_epoch
        self._stops = True
        self._allowed: Explanation = frozenset()

    def select(self, *, on_diff: str, allowed: Explanation) -> None:
        """What ends the run, and which entries of the ledger are accepted."""
        self._stops = on_diff == "stop"
        self._allowed = allowed

    def judge(self, step: int, slot: Slot, report: StepReport, previous: Slot | None) -> bool:
        """Turns a report into findings; True when the run ends here. ``previous`` is the slot of the step before."""
        place = Place.of(step, self._steps_per_epoch)
        if report.structural:
            self._result.structural = structural_divergence(place, slot, self._session)
            self._result.verdict = Verdict.DIVERGED
        ends = bool(report.structural)
        for position in slot.differing() if report.differing else ():
            inputs, explanation = self._attribute(step, slot, position, previous)
            self._history.note(slot.infos[position].name, explanation)
            if not slot.selected(position):
                continue
            accepted = bool(explanation) and explanation <= self._allowed
            if not accepted:
                self._result.verdict = Verdict.DIVERGED
            elif self._result.verdict is Verdict.IDENTICAL:
                self._result.verdict = Verdict.EXCUSED
            self._record(place, slot, position, inputs, explanation, accepted=accepted)
            if self._stops and not accepted:
                return True
        return ends

    def _attribute(
        self, step: int, slot: Slot, position: int, previous: Slot | None
    ) -> tuple[dict[str, bool], Explanation]:
        """Whether the inputs of a differing tap were equal, and what explains the difference."""
        if step == INITIAL:
            return {}, UNEXPLAINED
        inputs = self._history.inputs(slot, position)
        if not all(inputs.values()):
            return inputs, self._history.handed_down(slot, position, inputs)
        return inputs, self._ledger.explain(slot, position, previous)

    def _record(
        self,
        place: Place,
        slot: Slot,
        position: int,
        inputs: Mapping[str, bool],
        explanation: Explanation,
        *,
        accepted: bool,
    ) -> None:
        result, info = self._result, slot.infos[position]
        found = slot.outcomes[position]["finding"]
        elements = int(found["differing"])
        max_ulp = int(found["max_ulp"]) if found["ulp_defined"] else None
        origin = all(inputs.values())
        for name in explanation:
            count = result.excuses.setdefault(name, ExcuseCount())
            count.add(elements, max_ulp, origin=origin, accepted=name in self._allowed)
        is_first_of_its_kind = result.differences.add(
            place.step,
            info.name,
            info.op,
            origin=origin,
            accepted=accepted,
            elements=elements,
            max_ulp=max_ulp,
        )
        if is_first_of_its_kind:
            result.divergences.append(
                divergence(
                    place,
                    slot,
                    position,
                    inputs,
                    self._session,
                    explanation=explanation,
                    accepted=accepted,
                    # Only the divergence that reports tell of keeps its whole tap.
                    with_values=not accepted and result.first_unaccepted is None,
                )
            )
