"""Checks again whenever a file changes, in a fresh process each time: an assembly cannot be loaded twice."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from cotrain.errors import CotrainError, ExitCode

_POLL_SECONDS = 0.2


def watch(file: Path, arguments: Sequence[str]) -> int:
    """Runs ``cotrain check ARGUMENTS`` now and after each change, until Ctrl-C (exit code 130).

    A build may write the file in several goes: it has to stay as it is for one poll.
    """
    if not file.is_file():
        raise CotrainError(f"there is no file {file} to watch")
    command = [sys.executable, "-m", "cotrain", "check", *arguments]
    checked: tuple[int, int] | None = None
    try:
        while True:
            state = _state(file)
            time.sleep(_POLL_SECONDS)
            if state is None or state == checked or state != _state(file):
                continue
            if checked is not None:
                print(f"-- {file.name} changed at {time.strftime('%H:%M:%S')}", flush=True)
            checked = state
            subprocess.run(command, check=False)
    except KeyboardInterrupt:
        return int(ExitCode.INTERRUPTED)


def _state(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None  # between deleting and writing
    return found.st_size, found.st_mtime_ns
