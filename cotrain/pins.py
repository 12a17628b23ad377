"""The pins: everything that the bits of a run depend on besides the two programs and their options.

Two runs with equal pins have equal bits; where two machines disagree, the difference of their pins says why.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import threading
from pathlib import Path
from typing import Any

from cotrain.errors import CotrainError

VARIABLES = (
    "OPENBLAS_CORETYPE",
    "NPY_DISABLE_CPU_FEATURES",
    "NPY_ENABLE_CPU_FEATURES",
    "GLIBC_TUNABLES",
    "DOTNET_EnableHWIntrinsic",
    "DOTNET_EnableAVX",
    "DOTNET_EnableAVX2",
    "DOTNET_EnableFMA",
    "DOTNET_EnableAVX512",
    "DOTNET_EnableAVX512F",
    "DOTNET_EnableArm64AdvSimd",
    "DOTNET_PreferredVectorBitWidth",
    "DOTNET_MaxVectorTBitWidth",
    "NUMSHARP_MULTITHREADING",
    "NUMSHARP_NUM_THREADS",
)
"""Environment variables that choose between kernels, and so between bits, on either side."""


def collect(*, gemm: str, math: str, worker_float_mode: int = -1) -> dict[str, Any]:
    """All pins as a mapping that JSON can hold. .NET must be started; called on the reference's thread.

    ``worker_float_mode`` is what ``FloatMode.Probe`` said on the candidate's thread, -1 for not asked.
    """
    from cotrain import clr, floatmode, processor

    runtime = clr.start()
    for path in (runtime.numsharp.path, runtime.bridge.path):
        hash_later(path)
    return {
        "numpy": _numpy(),
        "blas": _blas(needed=gemm != "sequential"),
        "numsharp": {
            "version": runtime.numsharp.version,
            "source": "bundled" if runtime.numsharp.bundled else str(runtime.numsharp.path),
            "sha256": sha256(runtime.numsharp.path),
        },
        "bridge": {"sha256": sha256(runtime.bridge.path)},
        "dotnet": _dotnet(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": _system(),
        "processor": processor.model_name(),
        "float_modes": {
            "reference": floatmode.describe(floatmode.probe()),
            "candidate": floatmode.describe(worker_float_mode),
        },
        "gemm": gemm,
        "math": math,
        "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def hash_later(path: Path) -> None:
    """Begins to hash a file on another thread, so that a later :func:`sha256` of it need not wait."""
    with _hashes_lock:
        if path not in _hashes:
            _hashes[path] = _Hash(path)


def sha256(path: Path) -> str:
    """SHA-256 of a file, as lower-case hexadecimal digits. A file is read once per process."""
    hash_later(path)
    return _hashes[path].result()


class _Hash:
    """The hash of one file, computed on a thread of its own: hashlib does not hold Python's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = ""
        self._error: OSError | None = None
        # A daemon: a command that ends early must not wait for it.
        self._thread = threading.Thread(target=self._run, name=f"sha256 {path.name}", daemon=True)
        self._thread.start()

    def result(self) -> str:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._digest

    def _run(self) -> None:
        try:
            with self._path.open("rb") as file:
                self._digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            self._error = error


_hashes: dict[Path, _Hash] = {}
_hashes_lock = threading.Lock()


def _numpy() -> dict[str, Any]:
    """Version and CPU dispatch; ``dispatch`` is the target that float32 exp runs on, the decisive one."""
    import numpy as np
    from numpy.lib.introspect import opt_func_info

    # The feature flags alone would mislead: without X86_V3 those above it stay on, and no kernel uses them.
    exp = opt_func_info(func_name="^exp$", signature="float32").get("exp", {}).get("ff", {})
    umath = sys.modules["numpy._core._multiarray_umath"]
    features = umath.__cpu_features__
    return {
        "version": np.__version__,
        "dispatch": exp.get("current", "unknown"),
        "available": exp.get("available", "unknown"),
        "baseline": " ".join(umath.__cpu_baseline__),
        "found": " ".join(name for name in umath.__cpu_dispatch__ if features.get(name)),
    }


def _blas(*, needed: bool) -> dict[str, Any]:
    """NumPy's OpenBLAS; nothing when it has none and none is needed."""
    from cotrain import blas

    try:
        library = blas.find()
    except CotrainError:
        if needed:
            raise
        return {}
    return {
        "file": library.path.name,
        "version": library.version,
        "kernel": library.architecture,
        "threads": library.threads,
        "sha256": sha256(library.path),
    }


def _dotnet() -> dict[str, Any]:
    from cotrain.clr import exports

    facts = exports.bridge_class("RuntimeFacts")
    return {
        "version": str(facts.Runtime).removeprefix(".NET "),
        "architecture": str(facts.Architecture),
        "vector_bits": int(facts.VectorBits),
        "widest_vector_bits": int(facts.WidestVectorBits),
        "instruction_sets": str(facts.InstructionSets),
    }


def _system() -> str:
    """``Linux 6.1.0 x86_64, glibc 2.36``: the C library computes some of NumPy's functions."""
    name = f"{platform.system()} {platform.release()} {platform.machine()}"
    try:
        return f"{name}, {os.confstr('CS_GNU_LIBC_VERSION')}"
    except (AttributeError, ValueError, OSError):
        return name  # Windows, macOS, musl
