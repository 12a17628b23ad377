"""The lockstep and each side's program, a process of its own, write the same files."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lockstep.command import ROOT, environment, lockstep, python

from cotrain import blas
from cotrain.clr import assemblies
from cotrain.errors import CotrainError
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.parity_dump import ParityDump
from cotrain.parity_dump.comparison import compare

STEPS = ["--steps", "50"]


@pytest.fixture(scope="module", params=["openblas", "sequential"])
def gemm(request: pytest.FixtureRequest) -> str:
    """How all three programs multiply."""
    return str(request.param)


@pytest.fixture(scope="module")
def together(gemm: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the lockstep wrote."""
    folder = tmp_path_factory.mktemp("lockstep")
    done = lockstep(*STEPS, "--gemm", gemm, "--quiet", "--parity-dump", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def numpy_alone(gemm: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What the twin wrote and printed."""
    folder = tmp_path_factory.mktemp("numpy")
    done = python("-m", "twin.mnist_mlp", *STEPS, "--gemm", gemm, "--parity-dump", str(folder))
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def numsharp(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The C# program by ``dotnet``."""
    program = str(assemblies.require_built() / "MnistMlp.dll")
    return subprocess.run(
        ["dotnet", program, *STEPS, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=ROOT,
        env=environment(),
    )


def test_every_stage_is_there(together: Path) -> None:
    files = {stage.name: len(list(stage.iterdir())) for stage in together.iterdir()}
    assert files == {"S0": 14, "S1": 4, "S2": 4, "S3": 12, "S4": 7, "S5": 22, "S6": 22, "S7": 24}


def test_the_twin_alone_writes_the_same_bytes(together: Path, numpy_alone: tuple[Path, str]) -> None:
    found = compare(together, numpy_alone[0])
    assert (found.files, found.differences) == (109, ())


def test_the_csharp_program_alone_writes_and_prints_the_same_bytes(
    gemm: str, together: Path, numpy_alone: tuple[Path, str], tmp_path: Path
) -> None:
    products = ["--openblas", str(blas.find().path)] if gemm == "openblas" else ["--gemm", gemm]
    done = numsharp(*products, "--parity-dump", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert compare(together, tmp_path).differences == ()
    assert done.stdout == numpy_alone[1]


def test_products_of_its_own_are_noticed(together: Path, tmp_path: Path) -> None:
    assert numsharp("--parity-dump", str(tmp_path)).returncode == 0
    assert compare(together, tmp_path).differences[0].file == "S2/fc1.output.npy"


def test_a_folder_that_holds_something_is_left_alone(together: Path) -> None:
    said = f"{together / 'S0'} is not empty: files of two runs would mix; remove it, or choose another folder"
    for done in (
        lockstep(*STEPS, "--parity-dump", str(together)),
        python("-m", "twin.mnist_mlp", *STEPS, "--parity-dump", str(together)),
        numsharp("--parity-dump", str(together)),
    ):
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert done.stderr.endswith(f"{said}\n")


def test_where_the_candidate_differs_both_are_written(flagship: Callable[..., Pair], tmp_path: Path) -> None:
    pair = flagship(1)
    dump = ParityDump(tmp_path, pair.stages, pair.total_steps)
    pair.run(on_diff="resync", inject=[Injection.parse("0:loss.exps:3:1")], reader=dump)
    assert [path.name for path in tmp_path.glob("*/*.candidate.npy")] == ["loss.exps.candidate.npy"]


def test_a_trainer_without_stages(tiny_pair: Callable[..., Pair], tmp_path: Path) -> None:
    with pytest.raises(CotrainError, match="this trainer declares no stages, so there is nothing to write at"):
        ParityDump(tmp_path, tiny_pair().stages, 6)
