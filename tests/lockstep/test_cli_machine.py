"""A machine that cannot run it, a trainer that throws, an output that is full: a sentence and the exit code."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from lockstep import tiny
from lockstep.command import ROOT, Done, environment, here, lockstep, parse, python, sentence

from cotrain.clr import Runtime
from cotrain.lockstep.pair import Pair

Capture = pytest.CaptureFixture[str]
OTHER_NUMPYS = sorted((ROOT.parent / "shared" / "wheels-other-numpy").glob("numpy-*-cp311-*.whl"))


def test_a_bridge_that_was_not_built(tmp_path: Path) -> None:
    done = lockstep("--steps", "1", env={"COTRAIN_ASSEMBLIES": str(tmp_path)})
    assert (done.returncode, done.stdout) == (3, "")
    assert sentence(done).startswith(f"{tmp_path} has no NumSharpBridge.dll: the .NET side was not built; run ")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere installers' folders are searched too")
@pytest.mark.parametrize("root", [None, ""])
def test_no_dotnet_on_path(tmp_path: Path, root: str | None) -> None:
    done = lockstep("--steps", "1", env={"PATH": str(tmp_path), "DOTNET_ROOT": root, "HOME": str(tmp_path)})
    assert (done.returncode, done.stdout) == (3, "")
    said = sentence(done)
    assert said.startswith("no dotnet on PATH and DOTNET_ROOT is not set")
    # What to do: one that is in a usual place, or where to get it.
    assert ": set DOTNET_ROOT=" in said or "install the .NET 10 runtime" in said


def test_a_dotnet_root_without_dotnet(tmp_path: Path) -> None:
    done = lockstep("--steps", "1", env={"DOTNET_ROOT": str(tmp_path)})
    assert (done.returncode, done.stdout) == (3, "")
    assert sentence(done).startswith(f"{tmp_path} is not a .NET installation (it has no host/fxr/")


def test_another_numpy_by_its_version_file(tmp_path: Path) -> None:
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise SystemError('this must not be imported')\n")
    (tmp_path / "numpy" / "version.py").write_text('version = "2.4.3"\n')
    done = lockstep("--steps", "1", env={"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])})
    assert (done.returncode, done.stdout) == (3, "")
    assert sentence(done) == (
        f"numpy is 2.4.3 in {tmp_path}, and bits are compared with exactly 2.4.2: pip install numpy==2.4.2"
    )


@pytest.mark.full
@pytest.mark.skipif(not OTHER_NUMPYS, reason="no folder ../shared/wheels-other-numpy beside the checkout")
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the wheels there are for Python 3.11")
@pytest.mark.parametrize("wheel", OTHER_NUMPYS, ids=lambda wheel: wheel.name.split("-")[1])
def test_another_numpy_for_real(tmp_path: Path, wheel: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    version = wheel.name.split("-")[1]
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    assert python("-c", "import numpy; print(numpy.__version__)", env=path).stdout.strip() == version
    done = lockstep("--steps", "1", env=path)
    assert (done.returncode, done.stdout) == (3, "")
    assert sentence(done).startswith(f"numpy is {version} in {tmp_path}, and bits are compared with exactly 2.4.2: ")


def test_a_numsharp_that_is_no_assembly(tmp_path: Path) -> None:
    (tmp_path / "NumSharp.dll").write_bytes(b"no assembly")
    done = lockstep("--steps", "1", "--numsharp", str(tmp_path / "NumSharp.dll"))
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence(done) == f"{tmp_path / 'NumSharp.dll'} is not a .NET assembly"


THREW = "the candidate threw in step 2, after tap count: InvalidOperationException: planted after count"
RAISED = "the reference raised ZeroDivisionError in step 2, after tap count: planted after count (tiny.py:"


@pytest.fixture
def tiny_command(
    runtime: Runtime, tiny_assembly: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> Callable[..., Done]:
    """The command with the tiny pair in place of the flagship; keywords are options of its trainers."""
    load = Pair.load

    def run(*arguments: str, **faults: str) -> Done:
        def load_tiny(*_: str, options: dict[str, object], **keywords: object) -> Pair:
            candidate = f"{tiny_assembly}:TinyTrainer.Trainer"
            return load(tiny.create, candidate, options=options | faults, **keywords)  # type: ignore[arg-type]

        monkeypatch.setattr(Pair, "load", load_tiny)
        return here(capsys, "--steps", "6", *arguments)

    return run


@pytest.mark.parametrize(
    ("mode", "fault", "said"),
    [
        ("sequence", {"fault": "throw"}, THREW),
        ("overlap", {"fault": "throw"}, THREW),
        ("sequence", {"reference_fault": "raise"}, RAISED),
        ("overlap", {"reference_fault": "raise"}, RAISED),
    ],
)
def test_an_exception_inside_a_step(
    tiny_command: Callable[..., Done], tmp_path: Path, mode: str, fault: dict[str, str], said: str
) -> None:
    file = tmp_path / "out.json"
    done = tiny_command("--mode", mode, "--quiet", "--json", str(file), **fault)
    assert done.returncode == 4
    assert sentence(done).startswith(said)
    assert done.stdout == "error: 2 steps, 8 taps, 168 B compared\n"
    found = parse(file.read_text())
    assert (found["verdict"], found["exit_code"], found["steps"]) == ("error", 4, 2)
    assert found["error"] == sentence(done)


def test_a_message_of_several_lines_is_one_sentence(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from cotrain.errors import CotrainError, ExitCode
    from cotrain.lockstep import cli

    def fail(*_: object) -> int:
        raise CotrainError("out of range (Parameter 'x')\r\nActual value was 5.", ExitCode.UNSUPPORTED)

    monkeypatch.setattr(cli, "_run", fail)
    done = here(capsys)
    assert (done.returncode, sentence(done)) == (3, "out of range (Parameter 'x') Actual value was 5.")


def test_a_reader_that_goes_away_is_no_failure() -> None:
    for options, start in ((["--steps", "3"], "  reference "), (["--steps", "300", "--quiet", "--json", "-"], "{")):
        with subprocess.Popen(
            [sys.executable, "-m", "cotrain.lockstep", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(),
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.read(len(start)) == start
            process.stdout.close()
            said = process.stderr.read()
            assert process.wait(60) == 0
        assert "rror" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("output", "options", "said"),
    [
        ("/dev/full", "", "cannot print how the run goes: No space left on device"),
        ("/dev/full", "--json -", "cannot write the report to the standard output: No space left on device"),
        (os.devnull, "--json /dev/full", "cannot write the report /dev/full: No space left on device"),
    ],
)
def test_an_output_that_is_full(output: str, options: str, said: str) -> None:
    command = [sys.executable, "-m", "cotrain.lockstep", "--steps", "1", "--quiet", *options.split()]
    with open(output, "w") as stdout:
        done = subprocess.run(
            command, stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment(), check=False
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == f"cotrain: {said}"


def test_several_sessions_in_one_process() -> None:
    code = (
        "from cotrain import Pair\n"
        "for gemm in ('openblas', 'native', 'openblas'):\n"
        "    with Pair.load(options={'steps': 2}, gemm=gemm) as pair:\n"
        "        result = pair.run()\n"
        "        print(result.verdict, result.weights_sha256.get('fc1.w', {}).get('candidate'))\n"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third = done.stdout.splitlines()
    assert first.startswith("identical ")
    assert second == "diverged None"
    assert third == first
