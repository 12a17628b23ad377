"""Where cotrain cannot work: in a sub-interpreter, and in a process that was forked from one that runs .NET."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

from cotrain.errors import CotrainError, ExitCode

_forked = False
_forget: list[Callable[[], None]] = []
"""What has the modules that hold .NET objects ask again whether .NET runs."""


def require_main() -> None:
    """CotrainError (UNSUPPORTED) in a sub-interpreter."""
    api = ctypes.pythonapi
    api.PyInterpreterState_Get.restype = api.PyInterpreterState_Main.restype = ctypes.c_void_p
    if api.PyInterpreterState_Get() != api.PyInterpreterState_Main():
        raise CotrainError(
            "cotrain works in the main interpreter only: NumPy and pythonnet keep one state for the whole process, "
            "which a sub-interpreter would share",
            ExitCode.UNSUPPORTED,
        )


def require_not_forked() -> None:
    """CotrainError (UNSUPPORTED) in a process that was forked from one that runs .NET."""
    if _forked:
        raise CotrainError(
            "this process was forked from one that runs .NET, whose threads a fork does not take along: start it "
            "anew (multiprocessing.get_context('spawn'), or a subprocess)",
            ExitCode.UNSUPPORTED,
        )


def in_forked_child(forget: Callable[[], None]) -> None:
    """Has ``forget`` called in a child that is forked from now on, where no .NET object may be used any more."""
    if not _forget and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)
    _forget.append(forget)


def _after_fork() -> None:
    global _forked
    _forked = True
    for forget in _forget:
        forget()
