"""Two trainers side by side: what the command line, pytest and a prompt all use."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from cotrain import adapter, clr, ledger, pins, preflight
from cotrain import gemm as gemm_backend
from cotrain.clr import project
from cotrain.errors import CotrainError
from cotrain.lockstep import checkpoint
from cotrain.lockstep.driver import Lockstep, TrainerFailed
from cotrain.lockstep.excuses import Excuses
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.observer import Observer, Silent
from cotrain.lockstep.processors import available_processors
from cotrain.lockstep.recorder import Recorder, ValueReader
from cotrain.lockstep.reference import Factory, find_factory, make
from cotrain.lockstep.reproduction import FLAGSHIP, Settings, command
from cotrain.lockstep.result import Result, Verdict
from cotrain.lockstep.selection import Selection
from cotrain.lockstep.session import CandidateSession
from cotrain.lockstep.slots import Slot
from cotrain.lockstep.traits import Traits
from cotrain.lockstep.weights import hash_parameters
from cotrain.protocol import Stage, Trainer

REFERENCE, CANDIDATE = FLAGSHIP
GEMMS = gemm_backend.BACKENDS
MATHS = ("parity", "numsharp")
POLICIES = ("stop", "resync", "continue")
MODES = ("auto", "overlap", "sequence")

_open: Pair | None = None
P = ParamSpec("P")
R = TypeVar("R")


def _one_thread(run: Callable[P, R]) -> Callable[P, R]:
    """Refuses a call while another one, of another thread or of an observer, is stepping the same pair."""

    @functools.wraps(run)
    def guarded(*arguments: P.args, **keywords: P.kwargs) -> R:
        pair = arguments[0]
        if not pair._stepping.acquire(blocking=False):  # type: ignore[attr-defined]
            raise CotrainError("this pair is being stepped at this moment; one thread at a time steps a pair")
        try:
            return run(*arguments, **keywords)
        finally:
            pair._stepping.release()  # type: ignore[attr-defined]

    return guarded


class Pair:
    """A reference and a candidate, stepped together. Make one with :meth:`load`, end it with :meth:`close`.

    One pair is open at a time: the GEMM backend is NumSharp's, process-wide. A closed pair's place can be
    taken by the next. A pair is a context manager.
    """

    def __init__(
        self,
        reference: Trainer,
        session: CandidateSession,
        settings: Settings,
        result: Result,
        cleanup: contextlib.ExitStack,
    ) -> None:
        """Used by :meth:`load`."""
        self.reference = reference
        self.result = result
        self.settings = settings
        self._session = session
        self._traits = Traits.of(reference)
        self._lockstep: Lockstep | None = None
        self._cleanup = cleanup
        self._interrupted_by: int | None = None
        self._closed = False
        self._stepping = threading.Lock()

    @classmethod
    def load(
        cls,
        reference: str | Factory = REFERENCE,
        candidate: str = CANDIDATE,
        *,
        options: Mapping[str, Any] | None = None,
        gemm: str = "openblas",
        math: str = "parity",
        numsharp: str | os.PathLike[str] | None = None,
    ) -> Pair:
        """Starts .NET if need be, checks the machine and makes both trainers from the same options.

        ``reference`` is ``MODULE:FACTORY``, ``FILE.py:FACTORY`` or the factory itself; ``candidate`` is ``DLL:TYPE``,
        ``PROJECT.csproj:TYPE`` to have it compiled first, or a mapping file (``.toml``) for an assembly without taps.
        Options: ``steps`` or ``epochs``, ``batch_size``, ``seed``, ``data``; others are handed to both trainers.
        Raises CotrainError when the machine, an argument or the data will not do.
        """
        global _open
        _choose("gemm", gemm, GEMMS)
        _choose("math", math, MATHS)
        if _open is not None:
            raise CotrainError("another pair is open in this process; close it first (pair.close())")
        options = dict(options or {})
        clock = _Stopwatch()
        preflight.before_start()
        factory = _find(reference)
        clock.lap("checks and imports")
        assembly = _compiled(candidate)
        clr.start(numsharp)
        clock.lap("CLR and assemblies")
        with contextlib.ExitStack() as cleanup:
            cleanup.enter_context(gemm_backend.backend(gemm))
            compiled, extra = assembly, {}
            if adapter.is_mapping(candidate):
                adapted = adapter.Adapted(candidate)
                cleanup.callback(adapted.close)
                compiled, extra, factory = adapted.trainer, adapted.options, adapted.reference(factory)
            session = CandidateSession(compiled, {**options, **extra}, math=math)
            cleanup.callback(session.close)
            session.create()  # on the worker, while the reference is made here
            trainer = make(factory, options)
            created = session.collect()
            if created.status:
                raise CotrainError(f"the candidate cannot be made: {session.failure}")
            clock.lap("trainers")
            name = reference if isinstance(reference, str) else f"{reference.__module__}:{reference.__qualname__}"
            settings = Settings(name, candidate, options, gemm, math, None if numsharp is None else os.fspath(numsharp))
            collected = pins.collect(gemm=gemm, math=math, worker_float_mode=session.float_mode)
            result = Result(pins=collected, warnings=preflight.warnings(collected))
            result.steps_per_epoch = Traits.of(trainer).steps_per_epoch
            clock.lap("pins")
            result.timing.startup = clock.laps
            pair = cls(trainer, session, settings, result, cleanup.pop_all())
        _open = pair
        return pair

    @_one_thread
    def run(
        self,
        steps: int | None = None,
        *,
        on_diff: str = "stop",
        taps: str = "all",
        inject: Iterable[Injection] = (),
        mode: str = "auto",
        observer: Observer | None = None,
        recorder: Recorder | None = None,
        reader: ValueReader | None = None,
        allow: str = "",
    ) -> Result:
        """Compares the next ``steps`` steps (None: up to the trainer's last) and returns the result so far.

        ``on_diff="stop"`` ends the run after the step in which a selected tap differs, and the pair cannot go
        on after that; ``"continue"`` goes on with the difference, ``"resync"`` after copying the reference's
        bytes into the candidate's tap. Taps that do not line up end any run. A trainer's exception ends it with
        the verdict ``error``; CotrainError is raised for arguments that do not fit the run.

        ``allow`` names entries of the ledger (``exp-float32,mean-float32``, or ``all``) whose differences are
        accepted: they end no run, and the verdict is ``excused`` when nothing else differs.
        """
        self._require_usable()
        _choose("on_diff", on_diff, POLICIES)
        _choose("mode", mode, MODES)
        inject = tuple(inject)
        allowed = ledger.select(allow) if allow else frozenset()
        overlap = mode == "overlap" or (mode == "auto" and available_processors() >= 2)
        selection = Selection(taps, self._traits.tap_groups)
        run = self._prepare(selection)
        run.interrupted_by = self._interrupted_by
        run.select(selection, inject, on_diff, allowed, recorder, reader)
        end = self._end(run.position, steps)
        self.result.mode = "overlap" if overlap else "sequence"
        self.result.on_diff = on_diff
        self.result.total_steps = self._traits.total_steps if steps is None else end
        run.progress.total_steps = self.result.total_steps
        observer = observer or Silent()
        observer.started(self.result, run.progress)
        try:
            run.run(end, overlap=overlap, observer=observer)
            if run.aligned:
                self.result.weights_sha256 = hash_parameters(
                    self._traits.parameters, self.reference.state(), self._session.state()
                )
        except TrainerFailed as error:
            self._session.drain(10.0)
            self.result.verdict = Verdict.ERROR
            self.result.error = str(error)
        except BaseException:
            self._session.drain(10.0)
            self.result.verdict = Verdict.INTERRUPTED
            self.result.signal = int(signal.SIGINT)
            raise
        births = self._session.births(self._traits.steps_per_epoch)
        # Where differences may be accepted, the candidate can be a step or two past the one that ended the run.
        self.result.births = [birth for birth in births if birth.place.step < run.position]
        if self.result.divergences or self.result.structural:
            self.result.command = command(self.settings, self.result, selection.text, inject, allow)
        observer.finished(self.result)
        return self.result

    def step(self, n: int = 1) -> Result:
        """Compares the next ``n`` steps, one after the other."""
        return self.run(n, mode="sequence")

    def interrupt(self, signum: int = signal.SIGINT) -> None:
        """Ends a running :meth:`run` after the steps in flight; may be called from a signal handler."""
        self._interrupted_by = signum
        if self._lockstep is not None:
            self._lockstep.interrupted_by = signum

    def go_on_from(self, directory: str | os.PathLike[str], step: int) -> None:
        """Has the first :meth:`run` begin at ``step``, from the checkpoint in a folder.

        CotrainError when it is missing, damaged, or was made under other pins or options.
        """
        self._require_usable()
        if self._lockstep is not None:
            raise CotrainError("this pair has begun already; a checkpoint is where a run begins")
        saved = checkpoint.load(Path(directory), step, self._about())
        self._prepare(Selection("all")).go_on_from(saved)
        self.result.first_step = step

    def checkpoint_every(self, steps: int, directory: str | os.PathLike[str]) -> None:
        """Has the state saved in a folder before each step that is a multiple of ``steps``.

        Only while the two sides' states are byte-equal; a warning in the result tells where they were not.
        """
        folder = Path(directory)

        def save(step: int) -> None:
            reference, candidate = self.reference.state(), self._session.state()
            unequal = [name for name in reference if reference[name].tobytes() != candidate[name].tobytes()]
            if unequal:
                self.result.warnings.append(
                    f"no checkpoint before step {step}: the two sides differ in {', '.join(unequal)}"
                )
                return
            checkpoint.save(checkpoint.Checkpoint(step, self._about(), reference), folder)

        self._prepare(Selection("all")).checkpoint_every(steps, save)

    def _about(self) -> dict[str, Any]:
        """What a checkpoint's bits depend on: pins, and the options but for the run's length."""
        options = {key: str(value) for key, value in self.settings.options.items() if key not in ("steps", "epochs")}
        return {**self.result.pins, "options": options, "trainer": self.settings.reference}

    def _prepare(self, selection: Selection) -> Lockstep:
        if self._lockstep is None:
            self._lockstep = Lockstep(
                self.reference,
                self._traits,
                self._session,
                self.result,
                selection=selection,
                excuses=Excuses(gemm=self.settings.gemm, math=self.settings.math),
            )
        return self._lockstep

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The gates that the reference declares."""
        return self._traits.stages

    @property
    def total_steps(self) -> int | None:
        """Steps of the whole run; None when it has no end."""
        return self._traits.total_steps

    @property
    def position(self) -> int:
        """The next step to compare."""
        return self._lockstep.position if self._lockstep else 0

    @property
    def taps(self) -> Slot | None:
        """The last compared step's taps; None before the first run."""
        return self._lockstep.taps if self._lockstep else None

    @property
    def candidate(self) -> Any:
        """The .NET session that holds the candidate trainer."""
        return self._session.trainer

    def close(self) -> None:
        """Ends the candidate and its worker and restores the GEMM backend. Safe to call twice."""
        global _open
        if not self._closed:
            self._closed = True
            _open = None if _open is self else _open
            self._cleanup.close()

    def __enter__(self) -> Pair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _require_usable(self) -> None:
        if self._closed:
            raise CotrainError("this pair is closed; load another")
        if self._lockstep is not None and self._lockstep.stopped:
            raise CotrainError(
                f"this pair ended in step {self._lockstep.position - 1} with the verdict {self.result.verdict}; "
                "its two sides no longer stand at the same step: load another"
            )

    def _end(self, position: int, steps: int | None) -> int:
        if steps is not None:
            if steps <= 0:
                raise CotrainError(f"the number of steps must be at least 1, not {steps}")
            return position + steps
        if self._traits.total_steps is None:
            raise CotrainError("this trainer has no last step (total_steps): say how many steps to run, --steps N")
        if position >= self._traits.total_steps:
            raise CotrainError(f"the run ends with step {self._traits.total_steps - 1}; there is no step {position}")
        return self._traits.total_steps


class _Stopwatch:
    """Seconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.laps[name] = now - self._last
        self._last = now


def _find(reference: str | Factory) -> Factory:
    # The flagship is cotrain's own, also where the working directory is another checkout.
    return find_factory(reference, here=reference != REFERENCE) if isinstance(reference, str) else reference


def _compiled(candidate: str) -> str:
    """``DLL:TYPE`` of a candidate that may be named by its project."""
    path, separator, name = candidate.rpartition(":")
    return f"{project.build(path)}:{name}" if separator and project.is_project(path) else candidate


def _choose(what: str, value: str, among: tuple[str, ...]) -> None:
    if value not in among:
        raise CotrainError(f"{what} {value!r} is none of {', '.join(among)}")
