"""``--gemm sequential``: identical, and with one set of weights wherever it runs; injections; each trainer alone."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lockstep.command import environment, lockstep, python, report
from products import noblas

from cotrain.clr import assemblies
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair

STEPS = ("--steps", "12", "--json", "-")


def weights(found: dict[str, Any]) -> dict[str, Any]:
    assert (found["verdict"], found["taps_compared"]) == ("identical", 12 * 45)
    assert found["pins"]["gemm"] == "sequential"
    return found["weights_sha256"]


def test_one_set_of_weights_under_other_kernels_threads_and_vector_widths() -> None:
    usual = report(lockstep(*STEPS, "--gemm", "sequential", env={"OPENBLAS_NUM_THREADS": "1"}))
    other = {"OPENBLAS_CORETYPE": "Nehalem", "OPENBLAS_NUM_THREADS": "2", "DOTNET_EnableAVX2": "0"}
    found = report(lockstep(*STEPS, "--gemm", "sequential", "--mode", "sequence", env=other))
    assert weights(found) == weights(usual)
    # It really ran so: no thread was taken away, and nothing is warned of that changes nothing.
    assert (found["pins"]["blas"]["threads"], found["pins"]["blas"]["kernel"]) == (2, "Nehalem")
    assert [warning for warning in found["warnings"] if "OpenBLAS" in warning or "OPENBLAS" in warning] == []
    assert usual["warnings"] == []
    openblas = report(lockstep(*STEPS))
    assert openblas["weights_sha256"]["fc1.w"] != usual["weights_sha256"]["fc1.w"]


def test_with_a_numpy_that_has_no_openblas(tmp_path: Path) -> None:
    wheel = noblas.wheel()
    if wheel is None:
        pytest.skip(f"no numpy wheel without BLAS in ../shared/wheels-noblas, nor in ${noblas.VARIABLE}")
    path = f"{noblas.unpack(wheel, tmp_path)}:{environment()['PYTHONPATH']}"
    found = report(lockstep(*STEPS, "--gemm", "sequential", env={"PYTHONPATH": path}))
    assert weights(found) == weights(report(lockstep(*STEPS, "--gemm", "sequential")))
    assert found["pins"]["blas"] == {}
    done = lockstep(*STEPS, env={"PYTHONPATH": path})
    assert done.returncode == 3
    assert "was built without a BLAS" in done.stderr


@pytest.mark.parametrize("place", ["3:fc1.preact:77:0", "5:adam.fc2.w.p:1279:31", "7:fc1.grad.input:100351:12"])
def test_injections_are_found(flagship: Callable[..., Pair], place: str) -> None:
    result = flagship(10, gemm="sequential").run(inject=[Injection.parse(place)])
    [found] = result.divergences
    assert f"{found.place.step}:{found.tap}:{found.flat_index}" == place.rpartition(":")[0]
    assert found.origin
    assert found.differing == 1


def test_backends_take_turns_and_come_back() -> None:
    code = (
        "from cotrain import Pair, products\n"
        "from cotrain.clr import assemblies\n"
        "for gemm in ('sequential', 'openblas', 'sequential', 'native'):\n"
        "    with Pair.load(options={'steps': 2}, gemm=gemm) as pair:\n"
        "        result = pair.run()\n"
        "        print(result.verdict, result.weights_sha256.get('fc1.w', {}).get('candidate'))\n"
        "    assert assemblies.namespace('Cotrain.Blas').BlasBackends.Name == 'native'\n"
        "    assert products._dot is products.np.dot\n"
        "from cotrain import gemm\n"
        "backends = assemblies.namespace('Cotrain.Blas').BlasBackends\n"
        "with gemm.backend('sequential'):\n"
        "    with gemm.backend('openblas'):\n"
        "        assert (backends.Name, products._dot) == ('openblas', products.np.dot)\n"
        "    assert (backends.Name, products._dot) == ('sequential', products.sequential.dot)\n"
        "    assert 'ascending' in backends.Current\n"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third, fourth = done.stdout.splitlines()
    assert first == third
    assert first.startswith("identical ")
    assert second.startswith("identical ")
    assert first != second
    assert fourth == "diverged None"


def test_products_need_no_dotnet() -> None:
    done = python(
        "-c", "import sys, cotrain.products; print([m for m in sys.modules if 'clr' in m or 'pythonnet' in m])"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_each_trainer_alone_has_the_bits_of_the_lockstep() -> None:
    losses = report(lockstep("--steps", "3", "--gemm", "sequential", "--json", "-"))["losses"]["reference"]
    two_threads = environment({"OPENBLAS_NUM_THREADS": "2"})
    printed = []
    program = str(assemblies.require_built() / "MnistMlp.dll")
    for command in ([sys.executable, "-m", "twin.mnist_mlp"], ["dotnet", program]):
        options = ["--steps", "3", "--gemm", "sequential"]
        done = subprocess.run([*command, *options], env=two_threads, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    alone = re.findall(r"loss \S+ 0x(\w{8})", printed[0])
    assert alone == [f"{np.float32(loss).view(np.uint32):08X}" for loss in losses]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gemm", "openblas"], "--gemm openblas needs --openblas FILE"),
        (["--gemm", "mkl"], "--gemm takes openblas, sequential or native, not mkl"),
        (["--gemm", "sequential", "--openblas", "x"], "--openblas FILE is not for --gemm sequential"),
    ],
)
def test_the_csharp_program_refuses(options: list[str], said: str) -> None:
    program = str(assemblies.require_built() / "MnistMlp.dll")
    done = subprocess.run(["dotnet", program, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {said}\n")
