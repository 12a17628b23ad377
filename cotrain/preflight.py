"""Checks before step 0: can this machine make a comparison that means something, and what changes its bits.

Neither this module nor :func:`before_start` imports NumPy or starts .NET, so both may be used first of all.
"""

from __future__ import annotations

import importlib
import importlib.util
import platform
import re
import sys
from pathlib import Path
from typing import Any

from cotrain import pins
from cotrain.errors import CotrainError, ExitCode

NUMPY_VERSION = "2.4.2"
"""The one version whose results the parity kernels reproduce."""

_X86 = ("x86_64", "amd64")
_INSTALL = "install cotrain with what it needs: scripts/lockstep does, or pip install cotrain"


def before_start() -> None:
    """What can be known without starting anything. CotrainError (UNSUPPORTED) with what to do."""
    _check_interpreter()
    package = _check_numpy()
    _check_packages()
    _check_dotnet()
    # The largest file to hash; while it is read, .NET starts.
    for library in _bundled_blas(package):
        pins.hash_later(library)


def warnings(collected: dict[str, Any]) -> list[str]:
    """What changes bits but leaves a comparison that means something, one sentence each.

    ``collected`` are the pins; .NET is started, both trainers exist and the GEMM backend is chosen. Raises
    CotrainError (UNSUPPORTED) when the comparison would mean nothing: two copies of NumSharp or of the
    bridge, or one OpenBLAS for NumPy and another for NumSharp.
    """
    from cotrain import clr

    clr.check_single_copies()
    _check_one_blas(collected)
    return [*_processor(collected), *_variables(collected), *_float_modes(collected), *_threads(collected)]


def _check_interpreter() -> None:
    if sys.byteorder != "little" or sys.maxsize < 2**32:
        raise _unsupported(
            f"this Python is {platform.architecture()[0]}, {sys.byteorder}-endian; cotrain needs a 64-bit, "
            "little-endian one"
        )


def _check_numpy() -> Path:
    """The folder of the numpy package, after checking its version without importing it."""
    spec = importlib.util.find_spec("numpy")
    if spec is None or not spec.submodule_search_locations:
        raise _unsupported(f"numpy is not installed: pip install numpy=={NUMPY_VERSION}")
    package = Path(spec.submodule_search_locations[0])
    version = _numpy_version(package)
    if version != NUMPY_VERSION:
        raise _unsupported(
            f"numpy is {version} in {package.parent}, and bits are compared with exactly {NUMPY_VERSION}: "
            f"pip install numpy=={NUMPY_VERSION}"
        )
    return package


def _numpy_version(package: Path) -> str:
    loaded = sys.modules.get("numpy")
    if loaded is not None:
        return str(getattr(loaded, "__version__", "unknown"))
    # Another numpy may not even import under this Python, so its version file is read.
    try:
        text = (package / "version.py").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"""^(?:short_)?version\s*=\s*["']([^"']+)["']""", text, re.MULTILINE)
    if found:
        return found.group(1)
    return str(importlib.import_module("numpy").__version__)


def _check_packages() -> None:
    for package in ("pythonnet", "clr_loader", "threadpoolctl"):
        if importlib.util.find_spec(package) is None:
            raise _unsupported(f"the Python package {package} is not installed; {_INSTALL}")


def _check_dotnet() -> None:
    from cotrain.clr import assemblies, dotnet, runtime

    if runtime.current() is None:
        assemblies.require_built()
        if not runtime.is_foreign():
            dotnet.find()


def _bundled_blas(package: Path) -> list[Path]:
    """The OpenBLAS files in a numpy wheel: beside the package on Linux and Windows, inside it on macOS."""
    folders = (package.parent / "numpy.libs", package / ".dylibs")
    return [file.resolve() for folder in folders for file in folder.glob("*openblas*")]


def _check_one_blas(collected: dict[str, Any]) -> None:
    if collected["gemm"] != "openblas":
        return
    from cotrain import blas
    from cotrain.clr import assemblies

    ours = blas.find().path
    library = assemblies.namespace("Cotrain.Blas").BlasBackends.Library
    theirs = Path(str(library.Path)) if library is not None else None
    if theirs is None or not assemblies.same_file(ours, theirs):
        raise _unsupported(
            f"NumPy multiplies with {ours} and NumSharp with {theirs or 'its own code'}; both must use one file"
        )


def _processor(collected: dict[str, Any]) -> list[str]:
    numpy = collected["numpy"]
    machine = platform.machine()
    if machine.lower() not in _X86:
        return [
            f"NumPy has other kernels on {machine} than on x86-64, whose exp --math parity reproduces: "
            "expect differences there"
        ]
    if not str(numpy["dispatch"]).startswith("baseline"):
        return []
    disabled = collected["environment"].get("NPY_DISABLE_CPU_FEATURES")
    why = f"NPY_DISABLE_CPU_FEATURES={disabled} is set" if disabled else "this processor lacks that"
    return [
        f"NumPy computes exp with its baseline kernel ({numpy['baseline']}), not with X86_V3 or better, "
        f"because {why}: other bits than those that --math parity reproduces"
    ]


def _variables(collected: dict[str, Any]) -> list[str]:
    """One sentence for each variable that is set; those that another sentence already tells are left out."""
    effects = {
        "OPENBLAS_CORETYPE": "chooses OpenBLAS's kernel on both sides: products",
        "GLIBC_TUNABLES": "may choose other functions of the C library: NumPy's results",
        "NPY_ENABLE_CPU_FEATURES": "chooses NumPy's kernels: its results",
        "NPY_DISABLE_CPU_FEATURES": "chooses NumPy's kernels: its results",
    }
    told = str(collected["numpy"]["dispatch"]).startswith("baseline")
    no_blas = collected["gemm"] == "sequential"
    found = []
    for name, value in collected["environment"].items():
        if (name == "NPY_DISABLE_CPU_FEATURES" and told) or (name == "OPENBLAS_CORETYPE" and no_blas):
            continue
        effect = effects.get(name, "changes how NumSharp computes: its results")
        found.append(f"{name}={value} {effect} may have other bits than without it")
    return found


def _float_modes(collected: dict[str, Any]) -> list[str]:
    from cotrain import floatmode

    usual = floatmode.describe(0)
    unknown = floatmode.describe(-1)
    return [
        f"the {side}'s thread does not compute as IEEE 754 has it by default ({mode}, not {usual}): "
        "some loaded library changed that"
        for side, mode in collected["float_modes"].items()
        if mode not in (usual, unknown)
    ]


def _threads(collected: dict[str, Any]) -> list[str]:
    threads = collected["blas"].get("threads", 1)
    if threads == 1 or collected["gemm"] == "sequential":
        return []
    return [f"OpenBLAS uses {threads} threads and could not be set to 1: the bits of products depend on it"]


def _unsupported(message: str) -> CotrainError:
    return CotrainError(message, ExitCode.UNSUPPORTED)
