"""Child processes of the set-up: quiet, started with a clean environment, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any, Mapping, NamedTuple, Sequence

POSIX = os.name == "posix"


class SetupError(Exception):
    """The set-up cannot be finished; the message says why and what to do. Exit code 3."""


class Output(NamedTuple):
    """How a child process ended and what it printed (both streams together)."""

    code: int
    text: str


def say(message: str) -> None:
    """One line of progress, on stderr: stdout belongs to the command that runs afterwards."""
    print("cotrain set-up: " + message, file=sys.stderr, flush=True)


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    keep_open: int | None = None,
) -> Output:
    """Run a command to its end and return its exit code and output.

    Whatever ends the wait early (Ctrl-C, SIGTERM) ends the command and its children too. ``keep_open``
    is the descriptor of the set-up's lock: the child inherits it, so that a set-up that was killed
    hard still holds the lock until its last child is gone.
    """
    own_group: dict[str, Any] = {"start_new_session": True} if POSIX else {}
    if POSIX and keep_open is not None:
        own_group["pass_fds"] = (keep_open,)
    try:
        child = subprocess.Popen(
            command,
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **own_group,
        )
    except OSError as error:
        return Output(127, str(error))
    try:
        text = child.communicate()[0].decode("utf-8", "replace")
    except BaseException:
        _end(child)
        raise
    return Output(child.returncode, text)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ask the child's whole group to end, then insist."""
    for number in (signal.SIGTERM, signal.SIGKILL) if POSIX else (signal.SIGTERM,):
        try:
            if POSIX:
                os.killpg(child.pid, number)
            else:
                child.terminate()
            child.wait(timeout=10)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return
