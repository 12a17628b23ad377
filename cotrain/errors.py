"""The one exception users meet, and the process exit codes."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every cotrain command."""

    IDENTICAL = 0
    """Everything compared is equal (or was accepted by ``--allow``)."""
    DIVERGED = 1
    """At least one selected tap differs, or the two sides' taps do not line up."""
    USAGE = 2
    """Bad arguments or bad input data."""
    UNSUPPORTED = 3
    """This machine or installation cannot run a meaningful comparison."""
    TRAINER_FAILED = 4
    """A trainer raised an exception of its own while it was stepped."""
    INTERRUPTED = 130
    """Ctrl-C (SIGINT); the report so far is complete."""
    TERMINATED = 143
    """SIGTERM; the report so far is complete."""


class CotrainError(Exception):
    """A failure that is explained by its message alone: what is wrong, where, and what to do.

    ``exit_code`` is what a command ends with when nothing catches it.
    """

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code
