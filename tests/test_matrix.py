"""The same run in other settings: a row each, in a process of its own."""

from __future__ import annotations

import pytest
from numpy._core._multiarray_umath import __cpu_features__ as features

from cotrain import matrix
from cotrain.errors import CotrainError
from cotrain.matrix import Setting

needs_avx2 = pytest.mark.skipif(not features.get("X86_V3"), reason="this processor has no AVX2")


def test_each_gemm_begins_as_it_is_and_asks_only_for_kernels_that_can_run() -> None:
    found = list(matrix.settings(["openblas", "native"]))
    assert [one.gemm for one in found if not one.variables] == ["openblas", "native"]
    asked = {one.variables["OPENBLAS_CORETYPE"] for one in found if "OPENBLAS_CORETYPE" in one.variables}
    assert ("SkylakeX" in asked) == bool(features.get("AVX512F"))


@pytest.mark.full
@needs_avx2
def test_another_kernel_gives_other_weights_equal_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Katmai")  # the caller's own is no part of a setting
    rows = [
        matrix.row(setting, matrix.run(setting, ["--steps", "2"]))
        for setting in (
            Setting("openblas", {"OPENBLAS_CORETYPE": "Haswell"}),
            Setting("openblas", {"OPENBLAS_CORETYPE": "Nehalem"}),
        )
    ]
    assert [row[2] for row in rows] == ["Haswell", "Nehalem"]
    assert [row[6] for row in rows] == ["identical, 2 steps"] * 2
    haswell, nehalem = (row[7] for row in rows)
    assert haswell != nehalem
    assert len(haswell) == len(nehalem) == 12


@needs_avx2
def test_a_divergence_is_located() -> None:
    setting = Setting("openblas", {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"})
    row = matrix.row(setting, matrix.run(setting, ["--steps", "2"]))
    assert row[1] == "NPY_DISABLE_CPU_FEATURES='X86_V3 X86_V4'"
    assert row[6] == "diverged, 1 steps"
    assert row[8] == "step 0, loss.exps (origin)"


def test_a_setting_that_cannot_run_says_why() -> None:
    with pytest.raises(CotrainError, match="steps must be a whole number of at least 1"):
        matrix.run(Setting("openblas"), ["--steps", "0"])


def test_the_table_and_the_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(matrix, "settings", lambda gemms: [Setting(name) for name in gemms])
    assert matrix.main(["--gemm", "openblas,native", "--markdown", "--steps", "1"]) == 1
    head, _, first, second = capsys.readouterr().out.splitlines()
    assert head.startswith("| gemm | setting | kernel | threads |")
    assert "| identical, 1 steps |" in first
    assert "| diverged, 1 steps |" in second
    assert "step 0, fc1.preact (origin)" in second
