"""Finds the OpenBLAS that NumPy itself multiplies with, and sets its threads.

Importing this module does not import NumPy: OpenBLAS reads its environment once, when NumPy loads it, and
:func:`set_single_thread` can only use that way before.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cotrain.errors import CotrainError, ExitCode

THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"

# How builds decorate the symbol; the first is NumPy's wheels.
_SGEMM = (
    "scipy_cblas_sgemm64_",
    "scipy_cblas_sgemm",
    "cblas_sgemm64_",
    "cblas_sgemm_64",
    "cblas_sgemm",
)


@dataclass(frozen=True)
class BlasLibrary:
    """The OpenBLAS of this process that NumPy calls."""

    path: Path
    """The file; .NET loads it by this path and gets the very same copy."""
    version: str
    """``0.3.31.dev``"""
    architecture: str
    """The kernel it chose for this processor (or was told to by OPENBLAS_CORETYPE): ``SkylakeX``."""
    threads: int
    """Threads that a product may use, when :func:`find` was called."""

    @cached_property
    def sha256(self) -> str:
        """Hash of the file, computed at the first access: bits of products depend on the very binary."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def find() -> BlasLibrary:
    """The OpenBLAS that NumPy is linked to; imports NumPy.

    Other copies in the process, SciPy's for instance, are passed over. Raises CotrainError (UNSUPPORTED) when
    NumPy has none: built without BLAS, or with another one.
    """
    controller = _controller()
    return BlasLibrary(
        path=Path(controller.filepath),
        version=str(controller.version),
        architecture=str(controller.architecture),
        threads=int(controller.num_threads),
    )


def set_single_thread() -> int | None:
    """Has NumPy's products computed by one thread, since their bits depend on the number of threads.

    Before NumPy is imported it sets the environment variable OPENBLAS_NUM_THREADS, afterwards the loaded
    library. Returns the number of threads that held before: the variable's, or the library's; None when the
    variable was not set (or was no number). Raises CotrainError (UNSUPPORTED) as :func:`find` does.
    """
    if "numpy" not in sys.modules:
        before = os.environ.get(THREADS_VARIABLE, "").strip()
        os.environ[THREADS_VARIABLE] = "1"
        return int(before) if before.isdecimal() else None
    controller = _controller()
    threads = int(controller.num_threads)
    if threads != 1:
        controller.set_num_threads(1)
    return threads


def _controller() -> Any:
    """The controller that threadpoolctl has for NumPy's OpenBLAS."""
    numpy = importlib.import_module("numpy")
    threadpoolctl = importlib.import_module("threadpoolctl")
    loaded = threadpoolctl.ThreadpoolController().lib_controllers
    candidates = [one for one in loaded if one.internal_api == "openblas"]
    # GetProcAddress finds what a module exports, not what it imports: there only the place can tell.
    if sys.platform != "win32":
        umath = importlib.import_module("numpy._core._multiarray_umath")
        wanted = _address_of_sgemm(str(umath.__file__))
        for candidate in candidates:
            if wanted is not None and wanted == _address_of_sgemm(candidate.filepath):
                return candidate
    else:
        package = Path(numpy.__file__).resolve().parent
        homes = (package.parent / "numpy.libs", package / ".libs")
        for candidate in candidates:
            if Path(candidate.filepath).resolve().parent in homes:
                return candidate
    raise CotrainError(_missing(numpy), ExitCode.UNSUPPORTED)


def _address_of_sgemm(path: str) -> int | None:
    """Where sgemm is, as seen from a loaded library: its own, or that of a library it is linked to."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    for name in _SGEMM:
        function = getattr(library, name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _missing(numpy: Any) -> str:
    dependencies = numpy.show_config(mode="dicts").get("Build Dependencies", {})
    blas = dependencies.get("blas", {})
    name = str(blas.get("name") or "none")
    how = "without a BLAS" if name == "none" or not blas.get("found", True) else f"with the BLAS {name!r}"
    return (
        f"numpy {numpy.__version__} in {Path(numpy.__file__).parent} was built {how}, and no OpenBLAS that "
        "it calls is loaded: NumSharp has nothing to multiply with as this NumPy does. Install NumPy's own "
        f"wheel: pip install --force-reinstall --only-binary=numpy numpy=={numpy.__version__}"
    )
