"""The candidate's side of a run: a .NET trainer on its worker thread, behind a few native calls."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import PurePath
from time import monotonic
from typing import Any

from cotrain import clr
from cotrain.clr import assemblies, exports
from cotrain.clr.arrays import view
from cotrain.clr.dtypes import code_name
from cotrain.clr.failures import translated
from cotrain.errors import CotrainError, ExitCode
from cotrain.lockstep.layout import SIZES, StepReport, StepStatus
from cotrain.lockstep.names import SourceLine, display_path
from cotrain.lockstep.result import Birth, Place, TapShape
from cotrain.lockstep.slots import Slot
from cotrain.protocol import ArrayLike

INITIAL = -1
_SLICE_MS = 50
"""How long a wait stays in .NET before Python gets to run its signal handlers."""


class CandidateSession:
    """Drives one ``Cotrain.Lockstep.CandidateSession``. Jobs run in order; each is waited for in turn."""

    def __init__(self, candidate: str, options: Mapping[str, Any], *, math: str) -> None:
        bridge = assemblies.namespace("Cotrain.Lockstep")
        sizes = tuple(bridge.LockstepExports.Sizes)
        if sizes != SIZES:
            raise CotrainError(
                f"the bridge's structures have sizes {sizes}, this cotrain expects {SIZES}: "
                "the assemblies were built from other sources; run scripts/lockstep to build them again",
                ExitCode.UNSUPPORTED,
            )
        self._type = clr.find_type(candidate)
        self._options = _trainer_options(options, math)
        self._session = bridge.CandidateSession()
        self._handle = int(self._session.Handle.ToInt64())
        owner = "Cotrain.Lockstep.LockstepExports"
        pointer, int32, int64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
        self._submit = exports.bind(owner, "Submit", pointer, int64, pointer, pointer, int32)
        self._wait = exports.bind(owner, "Wait", pointer, int32, pointer)
        self._report = StepReport()
        self._report_address = ctypes.addressof(self._report)
        self._pending = 0

    def define(self, name: str) -> int:
        """Gives a tap name its id on both sides."""
        return int(self._session.DefineName(name))

    def inject(self, step: int, tap: str, index: int, bit: int) -> None:
        """Asks for a bit flip right after the operation."""
        self._session.Inject(step, tap, index, bit)

    def on_difference(self, policy: str) -> None:
        """Sets what happens at a differing tap: ``stop``, ``continue`` or ``resync``."""
        policies = assemblies.namespace("Cotrain.Lockstep").DifferencePolicy
        self._session.OnDifference = getattr(policies, policy.capitalize())

    def stay_awake(self, microseconds: int) -> None:
        """How long a thread that waits for the other side spins before it sleeps."""
        self._session.Patience = microseconds

    def hash_taps(self, wanted: bool) -> None:
        """Sets whether each tap's bytes are hashed on both sides."""
        self._session.Hashes = wanted

    def create(self) -> None:
        """Queues the making of the trainer, on the worker."""
        with translated():
            self._session.SubmitCreate(self._type, self._options)
        self._pending += 1

    def submit(self, step: int, slot: Slot) -> None:
        """Queues a step (:data:`INITIAL`: the state before step 0) against a published slot."""
        self._submit(self._handle, step, slot.entries_address, slot.outcomes_address, slot.count)
        self._pending += 1

    def collect(self, *, timeout: float | None = None) -> StepReport:
        """Waits for the oldest job. The report is reused by the next call.

        Python's signal handlers run meanwhile. With a timeout (seconds), the status may be PENDING.
        """
        end = None if timeout is None else monotonic() + timeout
        while True:
            self._report.status = StepStatus.PENDING
            try:
                self._wait(self._handle, _SLICE_MS, self._report_address)
            except BaseException:
                # A Ctrl-C surfaces as the call returns, the report in hand: nobody must wait for that job again.
                self._pending -= self._report.status != StepStatus.PENDING
                raise
            if self._report.status != StepStatus.PENDING:
                self._pending -= 1
                return self._report
            if end is not None and monotonic() > end:
                return self._report

    def drain(self, timeout: float) -> bool:
        """Waits for all queued jobs, forgetting their reports; False when the time ran out."""
        end = monotonic() + timeout
        while self._pending and monotonic() < end:
            self.collect(timeout=max(0.0, end - monotonic()))
        return not self._pending

    @property
    def failure(self) -> str:
        """Type and message of the exception that ended the candidate."""
        return str(self._session.Failure)

    @property
    def failure_trace(self) -> str:
        """Its stack trace."""
        return str(self._session.FailureTrace)

    @property
    def last_tap(self) -> str:
        """The last tap the candidate handed in."""
        return str(self._session.LastTap)

    @property
    def float_mode(self) -> int:
        """The worker thread's floating-point modes, as ``cotrain.floatmode`` codes them."""
        return int(self._session.WorkerFloatMode)

    @property
    def unused_injections(self) -> list[str]:
        """Injections that have not happened, as ``STEP:TAP:INDEX:BIT``."""
        return [str(text) for text in self._session.UnusedInjections]

    def births(self, steps_per_epoch: int | None) -> list[Birth]:
        """Where each side first had a NaN, an infinity or a denormal; between steps only."""
        return [
            Birth(
                str(found.Side),
                str(found.Kind),
                Place.of(int(found.Step), steps_per_epoch),
                str(found.Tap),
                int(found.FlatIndex),
            )
            for found in self._session.Births
        ]

    @property
    def unaligned(self) -> tuple[int, tuple[TapShape, ...]]:
        """Where the last step's taps part (-1: nowhere), and the candidate's taps from there on."""
        taps = tuple(
            TapShape(str(tap.Name), code_name(int(tap.TypeCode)), tuple(int(n) for n in tap.Shape))
            for tap in self._session.Unaligned
        )
        return int(self._session.UnalignedFrom), taps

    def source(self, name_id: int) -> SourceLine | None:
        """Where the candidate taps a name; None while unknown."""
        line = int(self._session.SourceLine(name_id))
        return SourceLine(display_path(str(self._session.SourceFile(name_id))), line) if line else None

    def state(self) -> dict[str, ArrayLike]:
        """Views of what lives across steps; call it between steps only."""
        return {str(item.Key): view(item.Value) for item in self._session.State}

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """Copies a checkpoint into what lives across steps; between steps only."""
        for name, value in self.state().items():
            value[...] = state[name]

    @property
    def trainer(self) -> Any:
        """The .NET trainer's session object, for a prompt."""
        return self._session

    def close(self) -> None:
        """Ends the worker and the trainer."""
        self._session.Dispose()


def _trainer_options(options: Mapping[str, Any], math: str) -> Any:
    """``Cotrain.TrainerOptions`` from the options mapping, without its None values."""
    make = assemblies.namespace("Cotrain.Lockstep").TrainerOptionsBuilder()
    for key, value in options.items():
        if value is None:
            continue
        if key == "data" and isinstance(value, PurePath):
            value = str(value)
        make.Set(key, str(value))
    return make.Build(math)
