"""Finds the .NET runtime without starting it: a few directory look-ups, a millisecond or so.

The order is that of clr_loader, which then loads hostfxr from the folder found here: ``DOTNET_ROOT``, the
installers' folder on Windows and macOS, then the ``dotnet`` on PATH.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from cotrain.errors import CotrainError, ExitCode

REQUIRED = (10, 0)
"""Major and minor version of the runtime that the assemblies are compiled for."""

_FRAMEWORK = "Microsoft.NETCore.App"
_HOW = (
    "install the .NET 10 runtime (https://dotnet.microsoft.com/download/dotnet/10.0, or your system's "
    "package "
    "dotnet-runtime-10.0) and put dotnet on PATH, or set DOTNET_ROOT to its folder"
)


@dataclass(frozen=True)
class DotnetInstallation:
    """A folder with hostfxr and a runtime that fits."""

    root: Path
    version: str
    """The newest runtime that fits, ``10.0.12``; the one that hostfxr chooses."""


def find() -> DotnetInstallation:
    """The installation to start; CotrainError (UNSUPPORTED) with what to do when none fits."""
    root = _root()
    if root is None:
        elsewhere = next((place for place in _usual_places() if _versions(place)), None)
        if elsewhere is not None:
            raise _unsupported(
                f"no dotnet on PATH and DOTNET_ROOT is not set; there is one in {elsewhere}: "
                f"set DOTNET_ROOT={elsewhere}"
            )
        raise _unsupported(f"no dotnet on PATH and DOTNET_ROOT is not set: {_HOW}")
    if not _has_hostfxr(root):
        raise _unsupported(f"{root} is not a .NET installation (it has no host/fxr/*/{_hostfxr_name()}): {_HOW}")
    versions = _versions(root)
    fitting = [version for version in versions if _numbers(version)[0] == REQUIRED[0]]
    if not fitting:
        have = ", ".join(versions) if versions else "none"
        raise _unsupported(f"cotrain needs the .NET 10 runtime, and {root} has {have}: {_HOW}")
    return DotnetInstallation(root, fitting[-1])


def _root() -> Path | None:
    variable = os.environ.get("DOTNET_ROOT")
    if variable:
        return Path(variable)
    if sys.platform == "win32":
        installed = Path(os.environ.get("ProgramFiles", r"C:\Program Files")) / "dotnet"
        if installed.is_dir():
            return installed
    elif sys.platform == "darwin":
        installed = Path("/usr/local/share/dotnet")
        if platform.machine() == "x86_64" and "ARM64" in os.uname().version:
            installed /= "x64"  # an Intel Python on Apple silicon needs the Intel runtime
        if installed.is_dir():
            return installed
    command = shutil.which("dotnet")
    return Path(command).resolve().parent if command else None


def _usual_places() -> list[Path]:
    """Where installers put .NET without telling PATH: only named in the error, never chosen silently."""
    if sys.platform == "win32":
        return [Path(os.environ.get("LOCALAPPDATA", "")) / "Microsoft" / "dotnet"]
    return [Path(place).expanduser() for place in ("/usr/share/dotnet", "/usr/lib/dotnet", "~/.dotnet")]


def _hostfxr_name() -> str:
    return {"win32": "hostfxr.dll", "darwin": "libhostfxr.dylib"}.get(sys.platform, "libhostfxr.so")


def _has_hostfxr(root: Path) -> bool:
    return any((root / "host" / "fxr").glob(f"*/{_hostfxr_name()}"))


def _versions(root: Path) -> list[str]:
    """All installed versions of the base framework, ascending."""
    try:
        names = [entry.name for entry in (root / "shared" / _FRAMEWORK).iterdir() if entry.name[:1].isdigit()]
    except OSError:
        return []
    return sorted(names, key=_numbers)


def _numbers(version: str) -> tuple[int, int, int, bool]:
    """Sort key; a preview (``10.0.0-rc.1``) comes before its release."""
    release, _, preview = version.partition("-")
    parts = [int(part) if part.isdigit() else 0 for part in release.split(".")[:3]]
    parts += [0] * (3 - len(parts))
    return parts[0], parts[1], parts[2], not preview


def _unsupported(message: str) -> CotrainError:
    return CotrainError(message, ExitCode.UNSUPPORTED)
