"""Ctrl-C and SIGTERM: end at once before the run, after the steps in flight during it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))


class Interrupted(BaseException):
    """A signal came while no run could finish its step; ``signum`` says which."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class Signals:
    """Installs handlers while it is entered.

    Without a run a signal raises :class:`Interrupted`. With one (:meth:`during`), the first signal asks it
    to stop and the second ends the process at once, in case a trainer hangs.
    """

    def __init__(self) -> None:
        self._previous: dict[int, Any] = {}
        self._stop: Callable[[int], None] | None = None
        self._asked = False
        self._done = False

    def during(self, stop: Callable[[int], None]) -> None:
        """From now on a signal calls ``stop(signum)`` instead of raising."""
        self._stop = stop

    def ignore(self) -> None:
        """From now on signals do nothing: the report is being written."""
        self._done = True

    def install(self) -> None:
        """Sets the handlers; called again after something else may have replaced them."""
        for signum in _SIGNALS:
            previous = signal.signal(signum, self._handle)
            self._previous.setdefault(signum, previous)

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        if self._done:
            return
        if self._stop is None:
            self._done = True
            raise Interrupted(signum)
        if self._asked:
            os._exit(128 + signum)
        self._asked = True
        self._stop(signum)

    def __enter__(self) -> Signals:
        self.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for signum, previous in self._previous.items():
            if previous is not None:
                signal.signal(signum, previous)
