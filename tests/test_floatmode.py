"""Both probes, on a thread whose modes are what the test made them."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import struct
import threading
from collections.abc import Callable
from typing import Any

import pytest

from cotrain import floatmode

FTZ = 1 << 15
DAZ = 1 << 6
ROUNDING_SHIFT = 13
NEAREST, DOWN, UP, ZERO = range(4)


def test_this_thread_has_the_default_modes() -> None:
    assert floatmode.probe() == 0
    assert floatmode.describe(0) == "round to nearest, denormals kept"


@pytest.fixture
def probe_dotnet(runtime: Any) -> Callable[[], int]:
    from cotrain.clr import exports

    probe: Callable[[], int] = exports.bind_raw("Cotrain.Interop.FloatMode", "ProbeThread", ctypes.c_int32)
    assert probe() == 0  # compiled before a test changes modes
    return probe


def set_control_register(library: ctypes.CDLL, flags: int) -> None:
    """Sets bits of MXCSR through the C library's fenv_t, whose last word it is."""
    environment = ctypes.create_string_buffer(32)
    assert library.fegetenv(environment) == 0
    struct.pack_into("<I", environment, 28, 0x1F80 | flags)
    assert library.fesetenv(environment) == 0


@pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc",
    reason="writes MXCSR through glibc's fenv_t",
)
@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (0, 0, "round to nearest, denormals kept"),
        (FTZ, 1, "round to nearest, denormal results flushed to zero (FTZ)"),
        (DAZ, 2, "round to nearest, denormal operands read as zero (DAZ)"),
        (FTZ | DAZ, 3, "round to nearest, denormals flushed to zero (FTZ and DAZ)"),
        (DOWN << ROUNDING_SHIFT, 4, "round down, denormals kept"),
        (UP << ROUNDING_SHIFT, 8, "round up, denormals kept"),
        (ZERO << ROUNDING_SHIFT, 12, "round to zero, denormals kept"),
        (ZERO << ROUNDING_SHIFT | FTZ | DAZ, 15, "round to zero, denormals flushed to zero (FTZ and DAZ)"),
    ],
)
def test_both_probes_see_what_was_set(flags: int, code: int, words: str, probe_dotnet: Any) -> None:
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    seen: list[tuple[int, int]] = []

    def work() -> None:
        set_control_register(library, flags)
        seen.append((floatmode.probe(), probe_dotnet()))

    # On a thread of its own, which takes its modes with it.
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(code, code)]
    assert floatmode.describe(code) == words
    assert floatmode.probe() == 0


def test_unknown_modes_are_said_to_be() -> None:
    assert floatmode.describe(-1) == "unknown"
