"""Each check before step 0: its sentence and its exit code."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest

from cotrain import pins, preflight
from cotrain.errors import CotrainError, ExitCode

CHECK = """
import sys
from cotrain import preflight
from cotrain.errors import CotrainError
try:
    preflight.before_start()
except CotrainError as error:
    print(error)
    sys.exit(int(error.exit_code))
assert 'numpy' not in sys.modules
assert 'clr_loader' not in sys.modules
"""

HOW_DOTNET = (
    "install the .NET 10 runtime (https://dotnet.microsoft.com/download/dotnet/10.0, or your system's "
    "package dotnet-runtime-10.0) and put dotnet on PATH, or set DOTNET_ROOT to its folder"
)


def test_passes_here_without_importing_numpy_or_starting_dotnet(run_python: Any) -> None:
    result = run_python(CHECK)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No dotnet on PATH, no DOTNET_ROOT, none in the usual places."""
    from cotrain.clr import dotnet

    monkeypatch.delenv("DOTNET_ROOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(dotnet, "_usual_places", list)
    return tmp_path


def find_dotnet() -> str:
    from cotrain.clr import dotnet

    with pytest.raises(CotrainError) as caught:
        dotnet.find()
    assert caught.value.exit_code is ExitCode.UNSUPPORTED
    return str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere installers' folders are searched too")
def test_no_dotnet_at_all(nowhere: Path) -> None:
    assert find_dotnet() == f"no dotnet on PATH and DOTNET_ROOT is not set: {HOW_DOTNET}"


def install(root: Path, *versions: str) -> Path:
    """A folder that looks like a .NET installation."""
    from cotrain.clr import dotnet

    host = root / "host" / "fxr" / "10.0.0"
    host.mkdir(parents=True)
    (host / dotnet._hostfxr_name()).touch()
    for version in versions:
        (root / "shared" / "Microsoft.NETCore.App" / version).mkdir(parents=True)
    return root


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere installers' folders are searched too")
def test_a_dotnet_that_is_not_on_path_is_named(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cotrain.clr import dotnet

    root = install(nowhere / "usual", "10.0.3")
    monkeypatch.setattr(dotnet, "_usual_places", lambda: [nowhere / "none", root])
    assert find_dotnet() == (
        f"no dotnet on PATH and DOTNET_ROOT is not set; there is one in {root}: set DOTNET_ROOT={root}"
    )


def test_dotnet_root_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cotrain.clr import dotnet

    monkeypatch.setenv("DOTNET_ROOT", str(tmp_path))
    assert find_dotnet() == (
        f"{tmp_path} is not a .NET installation (it has no host/fxr/*/{dotnet._hostfxr_name()}): {HOW_DOTNET}"
    )


@pytest.mark.parametrize(
    ("versions", "have"),
    [
        ((), "none"),
        (("8.0.11", "6.0.36"), "6.0.36, 8.0.11"),
        (("11.0.0",), "11.0.0"),
        (("9.0.9", "9.0.10"), "9.0.9, 9.0.10"),
    ],
)
def test_a_runtime_that_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, versions: tuple[str, ...], have: str
) -> None:
    monkeypatch.setenv("DOTNET_ROOT", str(install(tmp_path, *versions)))
    assert find_dotnet() == f"cotrain needs the .NET 10 runtime, and {tmp_path} has {have}: {HOW_DOTNET}"


def test_the_newest_runtime_that_fits_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cotrain.clr import dotnet

    monkeypatch.setenv("DOTNET_ROOT", str(install(tmp_path, "10.0.9", "10.0.12", "10.0.12-rc.1", "11.0.1", "9.0.1")))
    assert dotnet.find() == dotnet.DotnetInstallation(tmp_path, "10.0.12")


def test_the_command_on_path_leads_to_its_folder(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cotrain.clr import dotnet

    root = install(nowhere / "real", "10.0.1")
    command = root / ("dotnet.exe" if sys.platform == "win32" else "dotnet")
    command.touch(mode=0o755)
    linked = nowhere / command.name
    linked.symlink_to(command)
    assert dotnet.find().root == root


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere installers' folders are searched too")
def test_no_dotnet_is_exit_3(run_python: Any, tmp_path: Path) -> None:
    result = run_python(CHECK, env={"PATH": str(tmp_path), "DOTNET_ROOT": None, "HOME": str(tmp_path)})
    assert result.returncode == 3
    assert result.stdout.startswith("no dotnet on PATH and DOTNET_ROOT is not set")
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_a_missing_bridge(run_python: Any, tmp_path: Path) -> None:
    result = run_python(CHECK, env={"COTRAIN_ASSEMBLIES": str(tmp_path)})
    assert result.returncode == 3
    assert result.stdout == (
        f"{tmp_path} has no NumSharpBridge.dll: the .NET side was not built; run scripts/lockstep, or dotnet "
        "publish dotnet/MnistMlp/MnistMlp.csproj -c Release -o cotrain/clr/_assemblies\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        'version = "2.4.6"\n__version__ = version\nfull_version = version\n',
        '"""..."""\nshort_version = \'2.4.6\'\nversion = "2.4.6"\n',
    ],
)
def test_another_numpy_is_seen_before_it_is_imported(run_python: Any, tmp_path: Path, text: str) -> None:
    package = tmp_path / "numpy"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemError('imported')")
    (package / "version.py").write_text(text)
    result = run_python(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + CHECK)
    assert result.stderr == ""
    assert result.stdout == (
        f"numpy is 2.4.6 in {tmp_path}, and bits are compared with exactly 2.4.2: pip install numpy==2.4.2\n"
    )
    assert result.returncode == 3


def test_a_numpy_that_is_already_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(np, "__version__", "2.5.0")
    with pytest.raises(CotrainError, match=r"^numpy is 2\.5\.0 in .*: pip install numpy==2\.4\.2$"):
        preflight.before_start()


@pytest.mark.parametrize("package", ["numpy", "pythonnet", "threadpoolctl"])
def test_a_missing_package(package: str, run_python: Any) -> None:
    hide = (
        "import importlib.util as u; real = u.find_spec\n"
        f"u.find_spec = lambda name, *rest: None if name == {package!r} else real(name, *rest)\n"
    )
    result = run_python(hide + CHECK)
    assert result.returncode == 3
    assert result.stdout == {
        "numpy": "numpy is not installed: pip install numpy==2.4.2\n",
    }.get(
        package,
        f"the Python package {package} is not installed; install cotrain with what it needs: "
        f"scripts/lockstep does, or pip install cotrain\n",
    )


@pytest.fixture
def collected(runtime: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Pins of this process, as they would be on x86-64 with one BLAS thread and without variables."""
    monkeypatch.setattr(preflight.platform, "machine", lambda: "x86_64")
    found = copy.deepcopy(pins.collect(gemm="native", math="parity", worker_float_mode=0))
    found["numpy"]["dispatch"] = "X86_V4"
    found["blas"]["threads"] = 1
    found["environment"] = {}
    return found


def test_nothing_to_warn_of(collected: dict[str, Any]) -> None:
    assert preflight.warnings(collected) == []


def test_the_dispatch_of_numpy(collected: dict[str, Any]) -> None:
    collected["numpy"]["dispatch"] = "baseline(X86_V2)"
    collected["numpy"]["baseline"] = "X86_V2"
    text = (
        "NumPy computes exp with its baseline kernel (X86_V2), not with X86_V3 or better, because {}: other "
        "bits than those that --math parity reproduces"
    )
    assert preflight.warnings(collected) == [text.format("this processor lacks that")]
    collected["environment"] = {"NPY_DISABLE_CPU_FEATURES": "X86_V3"}
    assert preflight.warnings(collected) == [text.format("NPY_DISABLE_CPU_FEATURES=X86_V3 is set")]


def test_disabling_x86_v3_reaches_the_pins(run_python: Any) -> None:
    code = (
        "from cotrain import pins, preflight; found = pins.collect(gemm='native', math='parity');"
        "print(*preflight.warnings(found), sep='\\n')"
    )
    env = {"NPY_DISABLE_CPU_FEATURES": "X86_V3", "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"}
    result = run_python(code, env=env)
    assert result.stderr == ""
    first, second = result.stdout.splitlines()
    assert first.startswith("NumPy computes exp with its baseline kernel (")
    assert "because NPY_DISABLE_CPU_FEATURES=X86_V3 is set" in first
    assert second == (
        "OPENBLAS_CORETYPE=Haswell chooses OpenBLAS's kernel on both sides: products may have other bits "
        "than without it"
    )


def test_variables_threads_and_float_modes(collected: dict[str, Any]) -> None:
    collected["environment"] = {
        "NPY_DISABLE_CPU_FEATURES": "AVX512_SPR",
        "DOTNET_EnableAVX2": "0",
        "GLIBC_TUNABLES": "x",
    }
    collected["blas"]["threads"] = 4
    collected["float_modes"]["candidate"] = "round up, denormals kept"
    assert preflight.warnings(collected) == [
        "NPY_DISABLE_CPU_FEATURES=AVX512_SPR chooses NumPy's kernels: its results may have other bits than without it",
        "DOTNET_EnableAVX2=0 changes how NumSharp computes: its results may have other bits than without it",
        "GLIBC_TUNABLES=x may choose other functions of the C library: NumPy's results may have other bits "
        "than without it",
        "the candidate's thread does not compute as IEEE 754 has it by default (round up, denormals kept, "
        "not round to nearest, denormals kept): some loaded library changed that",
        "OpenBLAS uses 4 threads and could not be set to 1: the bits of products depend on it",
    ]


def test_what_cannot_change_sequential_products_is_not_warned_of(collected: dict[str, Any]) -> None:
    collected["environment"] = {"OPENBLAS_CORETYPE": "Haswell"}
    collected["blas"]["threads"] = 4
    assert len(preflight.warnings(collected)) == 2
    collected["gemm"] = "sequential"
    assert preflight.warnings(collected) == []
    collected["blas"] = {}
    assert preflight.warnings(collected) == []


def test_another_architecture(collected: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight.platform, "machine", lambda: "aarch64")
    assert preflight.warnings(collected) == [
        "NumPy has other kernels on aarch64 than on x86-64, whose exp --math parity reproduces: expect "
        "differences there"
    ]


def test_one_openblas_for_both(collected: dict[str, Any]) -> None:
    from cotrain import blas, gemm

    collected["gemm"] = "openblas"
    with gemm.backend("openblas"):
        assert preflight.warnings(collected) == []
    with pytest.raises(CotrainError) as caught:
        preflight.warnings(collected)
    assert str(caught.value) == (
        f"NumPy multiplies with {blas.find().path} and NumSharp with its own code; both must use one file"
    )
    assert caught.value.exit_code is ExitCode.UNSUPPORTED
