"""tests/corpus: its files are those of the manifest, and NumPy and NumSharp here give their bytes."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from corpus import numsharp as candidate
from corpus.generator import files, inputs, kernels, pins
from corpus.generator.__main__ import main
from corpus.generator.contents import contents

from cotrain import blas, gemm
from twin import scalars

NAMES = sorted(files.manifest()["files"])
ORACLE = Path(__file__).resolve().parents[2] / "shared" / "wheels-noblas"
"""A NumPy without BLAS, where somebody has put one."""


# ---- the files


@pytest.mark.parametrize("name", NAMES)
def test_file_is_the_one_of_the_manifest(name: str) -> None:
    content = (files.CORPUS / name).read_bytes()
    entry = files.manifest()["files"][name]
    assert (files.sha256(content), len(content)) == (entry["sha256"], entry["bytes"]), (
        f"tests/corpus/{name} was changed"
    )


def test_manifest_lists_the_files_that_are_there() -> None:
    assert files.present() == NAMES
    assert sorted(contents()) == NAMES


def test_manifest_says_what_each_file_holds_and_how_it_is_made() -> None:
    said = {name: entry["holds"] for name, entry in files.manifest()["files"].items()}
    assert said == {name: each.holds for name, each in contents().items()}
    assert (files.CORPUS.parents[1] / files.manifest()["command"]).is_file()


def test_corpus_is_small() -> None:
    assert sum((files.CORPUS / name).stat().st_size for name in NAMES) < 1_500_000


def test_exp_holds_every_input_in_which_numsharp_differs() -> None:
    assert np.isin(inputs.differing(), files.load("exp.npz")["x"].view(np.uint32)).all()
    assert len(inputs.differing()) > 0


# ---- NumPy


@pytest.mark.parametrize("name", NAMES)
def test_numpy_gives_the_bytes(name: str) -> None:
    reason = pins.reason_against(name, files.manifest()["made_under"])
    if reason is not None:
        pytest.skip(reason)
    made = contents()[name].make()
    if name.endswith(".npz"):
        assert_same(name, unpack(made))
    assert made == (files.CORPUS / name).read_bytes()


def test_generator_on_this_host_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    """Into an empty folder; the manifest too where the pins are those that it was made under."""
    made_under = files.manifest()["made_under"]
    here = pins.collect()
    if here != made_under or pins.changed_environment():
        pytest.skip(f"the corpus was made under {made_under}, here is {here}")
    monkeypatch.setattr(sys, "argv", ["make_corpus"])
    before = {name: (files.CORPUS / name).read_bytes() for name in [*NAMES, "manifest.json"]}
    monkeypatch.setattr(files, "CORPUS", tmp_path)
    monkeypatch.setattr(files, "MANIFEST", tmp_path / "manifest.json")
    (tmp_path / "operands.npy").write_bytes(before["operands.npy"])
    (tmp_path / "stray.npy").write_bytes(b"")
    assert main() == 0
    assert "removed    stray.npy" in capsys.readouterr().out
    assert {name: (tmp_path / name).read_bytes() for name in [*files.present(), "manifest.json"]} == before


def test_generator_refuses_a_host_whose_bits_are_chosen_otherwise(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["make_corpus"])
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert main() == 3
    assert capsys.readouterr().err == "make_corpus: unset OPENBLAS_CORETYPE first: bits depend on it\n"
    monkeypatch.setattr(kernels, "can_run", lambda kernel: kernel != "SkylakeX")
    assert main() == 3
    assert capsys.readouterr().err == "make_corpus: this processor cannot run OpenBLAS's SkylakeX\n"


WITHOUT_BLAS = """
import sys, numpy
from corpus.generator import cases, files
assert not numpy.show_config(mode="dicts")["Build Dependencies"]["blas"].get("found"), "this NumPy has a BLAS"
sys.stdout.buffer.write(files.npz(cases.multiply(files.load("operands.npy"))))
"""


def test_numpy_without_a_blas_gives_the_sequential_products(tmp_path: Path) -> None:
    wheels = sorted(ORACLE.glob("numpy-*.whl"))
    if not wheels or np.__version__ not in wheels[0].name:
        pytest.skip(f"no numpy {np.__version__} without BLAS in {ORACLE}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(tmp_path)
    tests = str(files.CORPUS.parent)
    environment = {"PYTHONPATH": f"{tmp_path}:{tests}", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", WITHOUT_BLAS], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert_same("products/sequential.npz", unpack(done.stdout))


# ---- NumSharp, through the bridge


def test_numsharp_draws_the_streams(runtime) -> None:
    assert_same("draws.npz", candidate.draws())


def test_numsharps_randint_differs_from_2_to_the_31_values_on(runtime) -> None:
    """Why the corpus stops one short of it."""
    for low, high, equal in ((-5, 2**31 - 6, True), (-5, 2**31 - 5, False), (-(2**31), 2**31, False)):
        wanted = np.random.RandomState(9).randint(low, high, 100, dtype=np.int32)
        assert (candidate.randint(9, low, high, 100).tobytes() == wanted.tobytes()) is equal


def test_numsharp_draws_the_data(runtime) -> None:
    for name, array in candidate.data().items():
        wanted = files.load("data.json")[name]
        assert (array.dtype.name, list(array.shape)) == (wanted["dtype"], wanted["shape"])
        assert files.sha256(array.tobytes()) == wanted["sha256"], name


@pytest.mark.parametrize("function", ["exp", "log", "sqrt"])
def test_numsharp_has_the_function(runtime, function: str) -> None:
    assert_same(f"{function}.npz", candidate.elementwise(function))


def test_numsharp_adds_up(runtime) -> None:
    assert_same("sums.npz", candidate.sums())


@pytest.mark.parametrize("kernel", kernels.NEEDS)
def test_numsharp_multiplies_under(runtime, kernel: str) -> None:
    name = kernels.file_of(kernel)
    reason = pins.reason_against(name, files.manifest()["made_under"])
    if reason is not None:
        pytest.skip(reason)
    if kernel == blas.find().architecture:
        assert_same(name, candidate.products("openblas"))
        return
    command = [sys.executable, "-m", "corpus.numsharp"]
    done = subprocess.run(command, env=kernels.environment(kernel), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert_same(name, unpack(done.stdout))


@pytest.mark.skipif("sequential" not in gemm.BACKENDS, reason="cotrain has no sequential products yet")
def test_numsharp_multiplies_in_sequence(runtime) -> None:
    assert_same("products/sequential.npz", candidate.products("sequential"))


def test_numsharp_has_the_scalars(runtime) -> None:
    keys = ("name", "dtype", "bits", "instead_of")
    found = [{key: getattr(row, key) for key in keys} for row in scalars.candidate_rows()]
    assert found == files.load("scalars.json")


# ---- NumSharp, in .NET alone


@pytest.fixture(scope="module")
def dotnet_tests(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs the C# tests, compiled."""
    project = files.CORPUS.parent / "dotnet" / "NumSharpBridge.Tests"
    output = ["-c", "Release", "--artifacts-path", str(tmp_path_factory.mktemp("dotnet")), "--disable-build-servers"]
    done = subprocess.run(["dotnet", "build", project, *output], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return ["dotnet", "test", str(project), "--no-build", *output]


@pytest.mark.full
@pytest.mark.parametrize("kernel", kernels.NEEDS)
def test_csharp_multiplies_under(dotnet_tests: list[str], kernel: str) -> None:
    """What `scripts/test` leaves out, since it names no OpenBLAS."""
    reason = pins.reason_against(kernels.file_of(kernel), files.manifest()["made_under"])
    if reason is not None:
        pytest.skip(reason)
    environment = kernels.environment(kernel) | {"COTRAIN_TEST_OPENBLAS": str(blas.find().path)}
    command = [*dotnet_tests, "--filter", "FullyQualifiedName~ProductsAreThoseOfTheOpenBlasKernel"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Passed:     1" in done.stdout


def unpack(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content), allow_pickle=False) as opened:
        return dict(opened)


def assert_same(name: str, found: Mapping[str, np.ndarray]) -> None:
    """The arrays of a corpus file, byte for byte; the first difference is named."""
    wanted = files.load(name)
    assert list(found) == list(wanted)
    for entry, array in wanted.items():
        other = found[entry]
        about = f"{entry} of {name}"
        assert (other.dtype, other.shape) == (array.dtype, array.shape), about
        if other.tobytes() == array.tobytes():
            continue
        one, two = (np.ascontiguousarray(each).reshape(-1).view(f"u{array.itemsize}") for each in (array, other))
        where = np.flatnonzero(one != two)
        at = where[0]
        pytest.fail(f"{about}: {len(where)} of {one.size} differ, at {at} {int(one[at]):#x}, found {int(two[at]):#x}")
