"""OpenBLAS's kernels: which this processor can run, and their products, each from a process of its own.

``python -m corpus.generator.kernels`` writes the products under the process's own kernel to standard output.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from corpus.generator import cases, files

from cotrain.errors import CotrainError, ExitCode

NEEDS = {
    "SkylakeX": ("AVX512F", "AVX512_SKX"),
    "Haswell": ("AVX2", "FMA3"),
    "Sandybridge": ("AVX",),
    "Nehalem": ("SSE42",),
    "Katmai": ("SSE2",),
}
"""The values of OPENBLAS_CORETYPE, with the features, by NumPy's names, without which a process would be killed."""


def file_of(kernel: str) -> str:
    return f"products/openblas-{kernel}.npz"


def can_run(kernel: str) -> bool:
    """Whether this processor can run a kernel."""
    from numpy._core._multiarray_umath import __cpu_features__ as features

    return all(features.get(feature) for feature in NEEDS[kernel])


def environment(kernel: str) -> dict[str, str]:
    """For a process that multiplies with this kernel, on one thread, and finds the packages of this checkout."""
    tests = Path(__file__).resolve().parents[2]
    return os.environ | {
        "OPENBLAS_CORETYPE": kernel,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(tests.parent), str(tests)]),
    }


def multiply(kernel: str) -> bytes:
    """The .npz of the products under a kernel. CotrainError when OpenBLAS chose another one, or failed."""
    command = [sys.executable, "-m", "corpus.generator.kernels", kernel]
    done = subprocess.run(command, env=environment(kernel), capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise CotrainError(f"no products by OpenBLAS's kernel {kernel}: {said}", ExitCode.UNSUPPORTED)
    return done.stdout


def _main() -> None:
    from cotrain import blas

    chosen = blas.find().architecture
    if chosen != sys.argv[1]:
        sys.exit(f"OpenBLAS chose {chosen}")
    sys.stdout.buffer.write(files.npz(cases.multiply(files.load("operands.npy"))))


if __name__ == "__main__":
    _main()
