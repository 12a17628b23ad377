"""The lockstep loop: the reference leads, the candidate's worker follows and compares."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from time import perf_counter

from cotrain.errors import CotrainError
from cotrain.lockstep.attribution import Explanation, History
from cotrain.lockstep.checkpoint import Checkpoint
from cotrain.lockstep.excuses import Excuses
from cotrain.lockstep.gates import Gates
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.judge import Judge
from cotrain.lockstep.layout import StepReport, StepStatus
from cotrain.lockstep.metrics import MetricLog
from cotrain.lockstep.names import TapNames
from cotrain.lockstep.observer import Observer, Progress
from cotrain.lockstep.order import AnyOrder
from cotrain.lockstep.recorder import Recorder, ValueReader
from cotrain.lockstep.result import Result, Verdict
from cotrain.lockstep.selection import Selection
from cotrain.lockstep.session import INITIAL, CandidateSession
from cotrain.lockstep.slots import LEAD, SLOTS, Slot
from cotrain.lockstep.times import OperationTimes
from cotrain.lockstep.traits import Traits
from cotrain.protocol import Tap, Trainer

_PATIENCE_US = 500
"""Longer than the usual gap between two steps, shorter than what a person would see in `top`."""


class TrainerFailed(Exception):
    """A trainer raised; the message names the side, the step and the last tap."""


class Lockstep:
    """Steps a reference and a candidate together from step 0 on and fills a :class:`Result`."""

    def __init__(
        self,
        reference: Trainer,
        traits: Traits,
        session: CandidateSession,
        result: Result,
        *,
        selection: Selection,
        excuses: Excuses,
    ) -> None:
        self._reference = reference
        self._traits = traits
        self._session = session
        self._selection = selection
        self._injections: tuple[Injection, ...] = ()
        self._keeps_all = True
        self._recorder: Recorder | None = None
        self._reader: ValueReader | None = None
        self._ended = False
        self._times = OperationTimes()
        self._history = History()
        self._judgement = Judge(result, self._history, session, excuses, traits.steps_per_epoch)
        self._names = TapNames(session.define)
        self._metrics = MetricLog(traits.metrics, traits.steps_per_epoch, result)
        watched = self._metrics.watched
        stable = traits.stable_buffers
        self._any_order = AnyOrder(traits.any_order)
        self._reordered = False

        def slot(watched: frozenset[str], any_order: AnyOrder) -> Slot:
            return Slot(
                self._names, selection, watched, stable=stable, explicable=excuses.explicable, any_order=any_order
            )

        self._slots = [slot(watched, self._any_order) for _ in range(SLOTS)]
        self._initial = slot(frozenset(), AnyOrder(()))
        self.result = result
        last = None if traits.total_steps is None else traits.total_steps - 1
        self._gates = Gates(traits.stages, last, result)
        result.steps_per_epoch = traits.steps_per_epoch
        self.progress = Progress(total_steps=traits.total_steps, steps_per_epoch=traits.steps_per_epoch)
        self.first = 0
        """The first step that is compared."""
        self.position = 0
        """The next step to compare."""
        self._checkpoint: Checkpoint | None = None
        self._every: int | None = None
        self._save: Callable[[int], None] | None = None
        self.interrupted_by: int | None = None
        """Set (by a signal handler) to end the run after the steps in flight."""

    def select(
        self,
        selection: Selection,
        injections: Iterable[Injection],
        on_diff: str,
        allowed: Explanation,
        recorder: Recorder | None,
        reader: ValueReader | None,
    ) -> None:
        """What can stop the next :meth:`run`, which bits it flips, what happens at a difference and which ones are
        accepted, who reads along.
        """
        self._recorder = recorder
        self._reader = reader
        self._session.hash_taps(recorder is not None)
        self._judgement.select(on_diff=on_diff, allowed=allowed)
        # The worker knows no ledger: where some differences are accepted it goes on, and the driver ends the run.
        self._session.on_difference("continue" if allowed and on_diff == "stop" else on_diff)
        self._history.resynced = on_diff == "resync"
        self._selection = selection
        self._injections = tuple(injections)
        for slot in (*self._slots, self._initial):
            slot.select(selection)

    def go_on_from(self, checkpoint: Checkpoint) -> None:
        """Has the first :meth:`run` begin at the checkpoint's step instead of step 0."""
        if not callable(getattr(self._reference, "restore", None)):
            raise CotrainError(
                f"{type(self._reference).__qualname__} cannot go on from a checkpoint: it has no restore(step, state)"
            )
        self._checkpoint = checkpoint
        self._gates.skip_to(checkpoint.step)
        self.first = self.position = checkpoint.step
        self.progress.first_step = self.progress.step = checkpoint.step

    def checkpoint_every(self, steps: int, save: Callable[[int], None]) -> None:
        """Has ``save(step)`` called before each step that is a multiple of ``steps``, both sides standing there."""
        self._every = steps
        self._save = save

    def run(self, end: int, *, overlap: bool, observer: Observer) -> None:
        """Compares up to (excluding) step ``end``; stops early at a divergence or an interrupt.

        Raises TrainerFailed and CotrainError; the result is valid up to there.
        """
        begun = perf_counter()
        self._session.stay_awake(_PATIENCE_US if overlap else 0)
        try:
            if self.position == self.first:
                self._begin(end)
            else:
                self._check_selection(self.taps, end)
            self._steps(end, overlap=overlap, observer=observer)
            unused = self._session.unused_injections
            if unused and not self.stopped:
                raise CotrainError(f"injection {unused[0]}: that step has no such tap; nothing was flipped")
        finally:
            self.result.timing.wall += perf_counter() - begun
            self._gates.end()
            self.result.tap_times = self._times.totals()
            self._session.stay_awake(0)

    @property
    def stopped(self) -> bool:
        """Whether the run ended early, so that the two sides no longer stand at the same step."""
        return self._ended or self.result.verdict in (Verdict.INTERRUPTED, Verdict.ERROR)

    @property
    def aligned(self) -> bool:
        """Whether both sides stand at the same step, so that their states can be set side by side."""
        return not self._ended or self.result.verdict is Verdict.INTERRUPTED

    @property
    def taps(self) -> Slot:
        """The slot of the last compared step (the initial one before the first)."""
        return self._slots[(self.position - 1) % SLOTS] if self.position > self.first else self._initial

    # -- the loop ---------------------------------------------------------------------------------------

    def _begin(self, end: int) -> None:
        """The state before step 0, and the first step published so that names and inputs can be checked first."""
        self._publish(self._initial, INITIAL, self._reference.initial())
        if self._checkpoint is not None:
            self._reference.restore(self._checkpoint.step, self._checkpoint.state)  # type: ignore[attr-defined]
        if end > self.first:
            first = self._publish_step(self.first)
            self._history.check_inputs(first, self._initial)
            self._check_selection(first, end)
        self._session.submit(INITIAL, self._initial)
        report = self._collect(INITIAL)
        if report is None:
            return
        slot = self._initial
        self._history.record_initial(slot)
        self.result.timing.compare += report.compare_ns / 1e9
        self.result.initial.add(slot.selected_taps, slot.selected_bytes)
        self._judge(INITIAL, slot, report)
        if self._recorder and not report.structural:
            self._recorder.record(INITIAL, slot)
        if self._reader and not report.structural:
            self._reader.read(INITIAL, slot)
        self._gates.pass_step(INITIAL)
        if self._checkpoint is not None and not self.stopped:
            self._session.restore(self._checkpoint.state)
            self._history.end_step()  # both sides have the very same bytes

    def _steps(self, end: int, *, overlap: bool, observer: Observer) -> None:
        published = self.position  # the very first step is published already
        submitted = self.position
        while self.position < end and not self.stopped:
            ahead = LEAD if overlap and self.interrupted_by is None else 0
            boundary = end if self._every is None else (self.position // self._every + 1) * self._every
            while published < min(end, self.position + 1 + ahead, boundary):
                if published > self.first:
                    try:
                        self._publish_step(published)
                    except (TrainerFailed, CotrainError):
                        # The steps before it are sound; a divergence in one of them is what ends the run.
                        self._finish_submitted(submitted, observer)
                        if self.stopped:
                            return
                        raise
                self._session.submit(published, self._slots[published % SLOTS])
                submitted = published = published + 1
            self._finish_step(self.position, observer)
            if self.position == boundary and self._save is not None and not self.stopped:
                self._save(self.position)
            if self.interrupted_by is not None:
                self._interrupt(submitted, observer)
                return
        if self._ended:
            self._session.drain(10.0)  # steps that were under way; nobody asks what became of them

    def _interrupt(self, submitted: int, observer: Observer) -> None:
        self._finish_submitted(submitted, observer)
        if not self.stopped:
            self._ended = True
            self.result.signal = self.interrupted_by
            self.result.verdict = Verdict.INTERRUPTED

    def _finish_submitted(self, submitted: int, observer: Observer) -> None:
        while self.position < submitted and not self.stopped:
            self._finish_step(self.position, observer)

    def _finish_step(self, step: int, observer: Observer) -> None:
        report = self._collect(step)
        if report is None:
            return
        slot = self._slots[step % SLOTS]
        result, progress = self.result, self.progress
        result.timing.compare += report.compare_ns / 1e9
        result.timing.candidate += (report.total_ns - report.compare_ns) / 1e9
        result.timing.reference += sum(slot.reference_ns) / 1e9
        result.compared.add(slot.selected_taps, slot.selected_bytes)
        result.occasional.add(slot.occasional_taps, slot.occasional_bytes)
        self._judge(step, slot, report)
        if report.reordered and not report.structural and not self._reordered:
            self._reordered = True
            result.warnings.append(
                f"from step {step} on the candidate hands in taps of an any_order group in an order of its own, as the "
                "reference declares"
            )
        if not report.structural:
            self._metrics.record(step, slot, progress, equal=not report.differing)
            self._times.add(slot)
            if self._recorder:
                self._recorder.record(step, slot)
            if self._reader:
                self._reader.read(step, slot)
        if step >= self._gates.next_step:
            self._gates.pass_step(step)
        self._history.end_step()
        self.position = step + 1
        progress.step = self.position
        result.steps = self.position - self.first
        progress.taps = result.compared.taps + result.occasional.taps
        progress.bytes = result.compared.bytes + result.occasional.bytes
        observer.stepped(progress)

    def _judge(self, step: int, slot: Slot, report: StepReport) -> None:
        """Has a report with differences turned into findings."""
        if not (report.differing or report.structural):
            return
        previous = self._slots[(step - 1) % SLOTS] if step > self.first else None
        self._ended |= self._judgement.judge(step, slot, report, previous)
        if self._keeps_all and self.result.first_unaccepted is not None:
            # Reports show one whole tap; of the others only what the ledger may explain is copied out.
            self._keeps_all = False
            for each in (*self._slots, self._initial):
                each.keep_differing(every=False)

    def _check_selection(self, slot: Slot, end: int) -> None:
        """Refuses patterns and injections that the run has no place for; hands the injections over."""
        names = [*(info.name for info in slot.infos), *self._traits.occasional_taps]
        self._selection.check([*(info.name for info in self._initial.infos), *names])
        self._any_order.check(names)
        for injection in self._injections:
            if self._injections.count(injection) > 1:
                raise CotrainError(f"injection {injection} is given twice; the second would undo the first")
            injection.check_name(names, end)
            position = slot.find(injection.tap)
            if position >= 0:
                injection.check_place(slot.values[position])
            self._session.inject(injection.step, injection.tap, injection.index, injection.bit)

    # -- the two sides ----------------------------------------------------------------------------------

    def _publish_step(self, step: int) -> Slot:
        slot = self._slots[step % SLOTS]
        self._publish(slot, step, self._reference.step(step))
        return slot

    def _publish(self, slot: Slot, step: int, taps: Iterable[Tap]) -> None:
        wanted = self._reader.wants(step) if self._reader else ()
        if wanted != slot.also_watched:
            slot.watch(wanted)
        try:
            slot.publish(taps)
        except CotrainError:
            raise
        except Exception as error:
            raise TrainerFailed(
                f"the reference raised {type(error).__name__} in {_where(step, slot.last)}: {error}{_raised_at(error)}"
            ) from error
        if slot.count == 0 and step != INITIAL:
            raise CotrainError(f"the reference yields no taps in step {step}: there is nothing to compare")

    def _collect(self, step: int) -> StepReport | None:
        report = self._session.collect()
        if report.status == StepStatus.FAILED:
            raise TrainerFailed(
                f"the candidate threw in {_where(step, self._session.last_tap)}: {self._session.failure}"
            )
        return None if report.status == StepStatus.SKIPPED else report


def _where(step: int, last_tap: str) -> str:
    place = "the initial taps" if step == INITIAL else f"step {step}"
    return f"{place}, after tap {last_tap}" if last_tap else f"{place}, before the first tap"


def _raised_at(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"
