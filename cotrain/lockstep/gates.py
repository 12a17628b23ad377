"""Which of the trainer's stages hold: decided as the run passes the step of each."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from cotrain.lockstep.result import Place, Result, StageOutcome, StageState
from cotrain.protocol import Stage

_NEVER = 1 << 62


class Gates:
    """The stages of a run, and where the next one stands."""

    def __init__(self, stages: Sequence[Stage], last_step: int | None, result: Result) -> None:
        """``last_step`` is the run's; None when it has none, and then a stage at the end is never reached."""
        self._result = result
        steps = [last_step if stage.step is None else stage.step for stage in stages]
        self._steps = [_NEVER if step is None else step for step in steps]
        self._order = sorted(range(len(stages)), key=self._steps.__getitem__)
        result.stages = [StageOutcome(stage, step) for stage, step in zip(stages, steps, strict=True)]
        self.next_step = self._step_of_next()
        """The step after which :meth:`pass_step` has something to say."""

    def skip_to(self, step: int) -> None:
        """For a run that goes on from a checkpoint: the stages of the steps before it are not reached."""
        self._order = [index for index in self._order if not 0 <= self._steps[index] < step]
        self.next_step = self._step_of_next()

    def pass_step(self, step: int) -> None:
        """Decides the stages up to a step that has been compared, differing or not."""
        while self._order and self.next_step <= step:
            index = self._order.pop(0)
            self.next_step = self._step_of_next()
            if not self._fails(index):
                self._result.stages[index].state = StageState.HOLDS
            elif not (self._ends_at_a_difference and self._has_failed):
                self._result.stages[index].state = StageState.FAILED

    def end(self) -> None:
        """After a run that a difference ended between two gates: the next one fails, those after it are not reached."""
        if self._order and self._ends_at_a_difference and self._difference() and not self._has_failed:
            self._result.stages[self._order.pop(0)].state = StageState.FAILED
            self.next_step = self._step_of_next()

    @property
    def _ends_at_a_difference(self) -> bool:
        return self._result.on_diff == "stop" or self._result.structural is not None

    @property
    def _has_failed(self) -> bool:
        return any(outcome.state is StageState.FAILED for outcome in self._result.stages)

    def _step_of_next(self) -> int:
        return self._steps[self._order[0]] if self._order else _NEVER

    def _fails(self, index: int) -> bool:
        """A difference fails the stage that shows its tap, or the last of its step, and every later one."""
        found = self._difference()
        if found is None:
            return False
        place, tap = found
        step = self._steps[index]
        if place.step != step:
            return True  # it came before
        same_step = [i for i, other in enumerate(self._steps) if other == step]
        showing = [i for i in same_step if any(fnmatchcase(tap, text) for text in self._result.stages[i].stage.taps)]
        return index >= (showing or same_step[-1:])[0]

    def _difference(self) -> tuple[Place, str] | None:
        first, structural = self._result.first_unaccepted, self._result.structural
        if first is not None:
            return first.place, first.tap
        if structural is not None:
            return structural.place, (structural.reference or structural.candidate)[0].name
        return None
