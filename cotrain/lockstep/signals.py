"""Ctrl-C and SIGTERM: end between two parts of the start-up, and after the steps in flight during the run.

A handler never raises: an exception in the middle of starting .NET crashes the process.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType, TracebackType
    from typing import Any

    from cotrain.lockstep.observer import Observer, Progress
    from cotrain.lockstep.result import Result
else:
    # The module under `signal`. What that and typing add takes ten times longer to import than all of cotrain before
    # the handlers are there, and until then a Ctrl-C is a traceback.
    import _signal as signal

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))


class Interrupted(BaseException):
    """A signal came before the run; ``signum`` says which."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class Signals:
    """Installs handlers while it is entered.

    Before the run a signal is kept for the next :meth:`check`; in the run (:meth:`during`) it asks it to stop. A
    second signal ends the process at once, in case something hangs. With ``to_the_end`` the process ends after
    this: signals are ignored then, and what was there before does not come back for the last milliseconds.
    """

    def __init__(self, *, to_the_end: bool = False) -> None:
        self._previous: dict[int, Any] = {}
        self._to_the_end = to_the_end
        self._stop: Callable[[int], None] | None = None
        self._rescue: Callable[[int], None] | None = None
        self._pending: int | None = None
        self._done = False

    def during(self, stop: Callable[[int], None], rescue: Callable[[int], None] | None = None) -> None:
        """From now on a signal calls ``stop(signum)``; the second one ``rescue(signum)``, and the process ends."""
        self._stop, self._rescue = stop, rescue
        if self._pending is not None:
            stop(self._pending)

    def check(self) -> None:
        """Raises :class:`Interrupted` when a signal has come."""
        if self._pending is not None:
            self._done = True
            raise Interrupted(self._pending)

    def ignore(self) -> None:
        """From now on signals do nothing: the report is being written."""
        self._done = True

    def until_finished(self, observer: Observer) -> Observer:
        """The observer, with signals ignored from its ``finished`` on: a verdict that is printed stands."""
        return _UntilFinished(observer, self)

    def install(self) -> None:
        """Sets the handlers; called again after something else may have replaced them."""
        for signum in _SIGNALS:
            previous = signal.signal(signum, self._handle)
            self._previous.setdefault(signum, previous)

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        if self._done:
            return
        if self._pending is not None:
            self._end_now(signum)
        self._pending = signum
        if self._stop is not None:
            self._stop(signum)

    def _end_now(self, signum: int) -> None:
        rescue, self._rescue = self._rescue, None  # a third signal does not wait for it
        try:
            if rescue is not None:
                rescue(signum)
        finally:
            os._exit(128 + signum)

    def __enter__(self) -> Signals:
        self.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for signum, previous in self._previous.items():
            if self._to_the_end:
                _ignore(signum)
            elif previous is not None:
                signal.signal(signum, previous)


class _UntilFinished:
    def __init__(self, observer: Observer, signals: Signals) -> None:
        self._signals = signals
        self._observer = observer
        self.started: Callable[[Result, Progress], None] = observer.started
        self.stepped: Callable[[Progress], None] = observer.stepped

    def finished(self, result: Result) -> None:
        self._signals.ignore()
        self._observer.finished(result)


def _ignore(signum: int) -> None:
    """Ignores a signal for good, the one that arrives at this very moment too.

    First in C: a signal that came between Python's look for pending ones and the change of its handler would be
    reported as a race. Then in Python, which puts the default back as it ends where it thinks a handler is set.
    """
    if os.name == "posix":
        import ctypes

        set_handler = ctypes.CDLL(None).signal
        set_handler.argtypes, set_handler.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
        set_handler(signum, int(signal.SIG_IGN))
    signal.signal(signum, signal.SIG_IGN)
