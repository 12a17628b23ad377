"""The random products once more in processes of their own: other kernels, other thread counts, new cases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# The processor features that a kernel needs, by NumPy's names. Without them the process would be killed.
KERNELS = {
    "SkylakeX": ("AVX512F", "AVX512_SKX"),
    "Haswell": ("AVX2", "FMA3"),
    "Sandybridge": ("AVX",),
    "Nehalem": ("SSE42",),
}


@pytest.mark.full
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
def test_products_under(kernel, threads):
    from numpy._core._multiarray_umath import __cpu_features__ as features

    if not all(features.get(feature) for feature in KERNELS[kernel]):
        pytest.skip(f"this processor has no {kernel}")
    environment = os.environ | {
        "OPENBLAS_CORETYPE": kernel,
        "OPENBLAS_NUM_THREADS": str(threads),
        "COTRAIN_TEST_RANDOM": "1",
    }
    files = [str(Path(__file__).with_name(f"test_{name}.py")) for name in ("random", "routes")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout
