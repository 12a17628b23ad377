"""The name of the processor, without starting a process to ask for it."""

from __future__ import annotations

import ctypes
import platform
import sys


def model_name() -> str:
    """``Intel(R) Xeon(R) Platinum 8481C``, or the architecture where the system does not tell the name."""
    if sys.platform == "linux":
        name = _linux()
    elif sys.platform == "darwin":
        name = _macos()
    elif sys.platform == "win32":
        name = _windows()
    else:
        name = ""
    return name or platform.machine()


def _linux() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                key, _, value = line.partition(":")
                if key.strip() == "model name":
                    return value.strip()
    except OSError:
        pass
    return ""  # Linux on Arm names the core's maker and part by number only


def _macos() -> str:
    buffer = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(len(buffer))
    call = ctypes.CDLL(None).sysctlbyname
    failed = call(b"machdep.cpu.brand_string", buffer, ctypes.byref(size), None, ctypes.c_size_t(0))
    return "" if failed else buffer.value.decode("utf-8", "replace").strip()


def _windows() -> str:
    if sys.platform != "win32":
        return ""
    import winreg

    path = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
            return str(winreg.QueryValueEx(key, "ProcessorNameString")[0]).strip()
    except OSError:
        return ""
