"""The bits of sequential products do not depend on the machine: vector widths, kernels, threads, CPU features."""

from __future__ import annotations

import pytest
from lockstep.command import python

# Both sides' products of many shapes and layouts, those that end in a NaN among them, as one hash each.
PROGRAM = """
import hashlib
import numpy as np
from cotrain import blas, clr, sequential
clr.start()
from cotrain.clr import arrays, assemblies, exports
assemblies.namespace("Cotrain.Blas").BlasBackends.UseSequential()
dot = assemblies.namespace("NumSharp").np.dot
random = np.random.RandomState(3)
python, numsharp = hashlib.sha256(), hashlib.sha256()
for dtype in "f4", "f8":
    for m, k, n in (128, 784, 128), (9, 300, 33), (40, 17, 10), (1, 300, 70), (70, 300, 1), (5, 1, 7), (1, 999, 1):
        a, b = random.normal(size=(m, k)).astype(dtype), random.normal(size=(k, n)).astype(dtype)
        for left, right in (a, b), (np.asfortranarray(a), b[::-1]), (b.T, a.T):
            for spiced in False, True:
                if spiced:
                    left, right = left.copy(), right.copy()
                    left[0, 0], left[-1, -1], right[0, -1], right[-1, 0] = np.inf, -np.nan, 0, np.nan
                with np.errstate(all="ignore"):
                    python.update(sequential.dot(left, right).tobytes())
                numsharp.update(arrays.view(dot(arrays.nd(left), arrays.nd(right))).tobytes())
facts = exports.bridge_class("RuntimeFacts")
print(python.hexdigest(), numsharp.hexdigest(), int(facts.WidestVectorBits), blas.find().threads)
"""
MACHINES = {
    "as it is": {},
    "512-bit vectors off": {"DOTNET_EnableAVX512": "0", "DOTNET_EnableAVX512F": "0"},
    "AVX2 off": {"DOTNET_EnableAVX2": "0"},
    "no hardware intrinsics": {"DOTNET_EnableHWIntrinsic": "0"},
    "another kernel, two threads": {"OPENBLAS_CORETYPE": "Nehalem", "OPENBLAS_NUM_THREADS": "2"},
    "NumPy's baseline": {"NPY_DISABLE_CPU_FEATURES": "X86_V3"},
}


@pytest.fixture(scope="module")
def usual() -> list[str]:
    done = python("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_both_sides_have_one_hash(usual: list[str]) -> None:
    assert usual[0] == usual[1]


@pytest.mark.parametrize("machine", list(MACHINES)[1:])
def test_the_same_hash_on(usual: list[str], machine: str) -> None:
    done = python("-c", PROGRAM, env=MACHINES[machine])
    assert done.returncode == 0, done.stderr
    found = done.stdout.split()
    assert found[:2] == usual[:2]
    # And the setting had its effect.
    widest = {"512-bit vectors off": 256, "AVX2 off": 128, "no hardware intrinsics": 0}.get(machine, 512)
    assert int(found[2]) == min(widest, int(usual[2]))
    assert int(found[3]) == 2 or machine != "another kernel, two threads"
