"""Keeps Python's handlers for Ctrl-C and SIGTERM while CoreCLR starts.

CoreCLR puts its own handlers in place of the process's, and Python is not told: a Ctrl-C would then end
the process without KeyboardInterrupt, and without a report.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# struct sigaction is 152 bytes on Linux and 16 on macOS; its inside does not matter here.
_SIGACTION_BYTES = 512


@contextmanager
def kept() -> Iterator[None]:
    """What SIGINT and SIGTERM do afterwards is what they did before.

    It copies the C library's own record instead of calling ``signal.signal``, which only the main thread
    may, and which cannot put back a handler that was not installed from Python.
    """
    if sys.platform == "win32":
        # .NET adds a console control handler to a list that Python's is also on: nothing is replaced.
        yield
        return
    sigaction = ctypes.CDLL(None).sigaction
    saved = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        record = ctypes.create_string_buffer(_SIGACTION_BYTES)
        if sigaction(int(number), None, record) == 0:
            saved[number] = record
    try:
        yield
    finally:
        for number, record in saved.items():
            sigaction(int(number), record, None)
