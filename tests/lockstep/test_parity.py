"""What is equal and what is not, under pinned kernels: the facts that the README and the docs state."""

from __future__ import annotations

import pytest
from lockstep.command import lockstep, report
from numpy._core._multiarray_umath import __cpu_features__

HASWELL = {"OPENBLAS_CORETYPE": "Haswell"}
pytestmark = pytest.mark.skipif(not __cpu_features__.get("X86_V3"), reason="needs a processor with AVX2 and FMA")


def test_numsharps_own_exp_differs_at_step_351() -> None:
    done = lockstep("--math", "numsharp", "--taps", "loss.exps", "--json", "-", env=HASWELL)
    [found] = report(done)["divergences"]
    assert done.returncode == 1
    assert (found["step"], found["tap"], found["index"]) == (351, "loss.exps", [44, 3])
    assert (found["reference_bits"], found["candidate_bits"]) == ("0x323504EF", "0x323504F0")
    assert (found["origin"], found["ulp"], found["differing"]) == (True, 1, 1)


def test_numsharps_own_mean_differs_at_step_0() -> None:
    found = report(lockstep("--math", "numsharp", "--json", "-", env=HASWELL))["divergences"][0]
    assert (found["step"], found["tap"], found["origin"]) == (0, "loss.mean", True)


def test_numsharps_own_products_differ_at_once() -> None:
    found = report(lockstep("--gemm", "native", "--json", "-"))["divergences"][0]
    assert (found["step"], found["tap"], found["origin"]) == (0, "fc1.preact", True)


def test_numpy_without_avx2_has_another_exp() -> None:
    done = lockstep("--json", "-", env={"NPY_DISABLE_CPU_FEATURES": "X86_V3"})
    found = report(done)
    [first] = found["divergences"]
    assert done.returncode == 1
    assert (first["step"], first["tap"], first["origin"]) == (0, "loss.exps", True)
    assert any("X86_V3" in warning for warning in found["warnings"])


@pytest.mark.parametrize("kernel", ["Haswell", "Sandybridge", "Nehalem", "Katmai"])
def test_both_sides_agree_under_each_kernel(kernel: str) -> None:
    done = lockstep("--steps", "20", "--json", "-", env={"OPENBLAS_CORETYPE": kernel})
    found = report(done)
    assert (done.returncode, found["verdict"], found["taps_compared"]) == (0, "identical", 900)
    assert found["pins"]["blas"]["kernel"] != ""


@pytest.mark.full
@pytest.mark.parametrize("mode", ["overlap", "sequence"])
def test_all_100_epochs(mode: str) -> None:
    done = lockstep("--stop-on-diff", "--mode", mode, "--json", "-")
    found = report(done)
    assert (done.returncode, found["verdict"]) == (0, "identical")
    assert (found["steps"], found["taps_compared"], found["bytes_compared"]) == (4600, 207_000, 14_511_546_400)
    assert found["losses"]["reference"] == found["losses"]["candidate"]
    assert all(each["reference"] == each["candidate"] for each in found["weights_sha256"].values())


def test_under_resync_all_six_products_are_origins_in_every_step_and_nothing_else() -> None:
    arguments = ("--steps", "46", "--gemm", "native", "--on-diff", "resync", "--json", "-")
    kept = report(lockstep(*arguments, env=HASWELL))
    taps = {row["tap"]: row for row in kept["differences"]}
    products = {"fc1.preact", "fc2.preact", "fc2.grad.w", "fc2.grad.input", "fc1.grad.w", "fc1.grad.input"}
    assert products <= taps.keys() <= products | {"eval.output"}
    assert all(row["inherited"]["steps"] == 0 for row in taps.values())
    assert all(taps[name]["origin"]["steps"] == 46 for name in products)
