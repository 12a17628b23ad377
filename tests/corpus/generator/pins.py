"""What the bits of a corpus file depend on, and whether it holds here too."""

from __future__ import annotations

import os
import platform
from typing import Any

import numpy as np
from corpus.generator import kernels

from cotrain import blas, processor
from cotrain.pins import VARIABLES, sha256

# NumPy's exp and log of float32 have one algorithm with AVX2 and FMA, which AVX-512 gives the bits of too, and
# another without.
_VECTOR = ("exp.npz", "log.npz")


def collect() -> dict[str, Any]:
    """The pins of this host."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    from numpy.lib.introspect import opt_func_info

    exp = opt_func_info(func_name="^exp$", signature="float32").get("exp", {}).get("ff", {})
    library = blas.find()
    return {
        "numpy": np.__version__,
        "dispatch": exp.get("current", "unknown"),
        "features": " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name)),
        "blas": {"version": library.version, "sha256": sha256(library.path), "kernel": library.architecture},
        "processor": processor.model_name(),
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
    }


def changed_environment() -> list[str]:
    """Variables that choose other kernels than the processor's own."""
    return [name for name in VARIABLES if name in os.environ]


def reason_against(name: str, made_under: dict[str, Any]) -> str | None:
    """Why NumPy here need not give the bytes of a corpus file; None when it must."""
    from numpy._core._multiarray_umath import __cpu_features__

    if np.__version__ != made_under["numpy"]:
        return f"made by NumPy {made_under['numpy']}, here is {np.__version__}"
    if name in _VECTOR and not __cpu_features__.get("X86_V3"):
        return "NumPy's exp and log have other bits without AVX2 and FMA (X86_V3)"
    if name.startswith("products/openblas-"):
        kernel = name.removeprefix("products/openblas-").removesuffix(".npz")
        if sha256(blas.find().path) != made_under["blas"]["sha256"]:
            return f"made by another OpenBLAS ({made_under['blas']['version']})"
        if not kernels.can_run(kernel):
            return f"this processor cannot run the kernel {kernel}"
    return None
