"""The set-up itself: stamps, the lock file, what is said when something is missing, interruptions."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import _dotnet  # noqa: E402
import _install  # noqa: E402
import _process  # noqa: E402
import _setup  # noqa: E402

posix_only = pytest.mark.skipif(os.name != "posix", reason="uses a shell script, or signals")


@pytest.fixture
def checkout(tmp_path: Path) -> _setup.Checkout:
    """A small checkout that is completely prepared, as far as its stamps tell."""
    root = tmp_path / "checkout"
    for name, text in {
        "pyproject.toml": "[project]",
        "wheelhouse/requirements.lock": "a==1 --hash=sha256:00\n",
        "cotrain/module.py": "x = 1",
        "dotnet/A.csproj": "<Project/>",
        "dotnet/Sub/B.cs": "class B;",
        "cotrain/clr/_assemblies/B.dll": "MZ",
        ".venv/bin/python": "",
        ".venv/Scripts/python.exe": "",
        ".venv/site/a/__init__.py": "",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = _setup.Checkout(str(root))
    stamp = {
        "root": made.root,
        "packages": made.packages_key(),
        "site": "site",
        "present": ["a"],
        "editable": made.editable_key(),
        "bytecode": made.bytecode_key(),
    }
    _install.write_stamp(made.venv_stamp, stamp)
    files = _setup.file_states(made.assemblies)
    _install.write_stamp(made.assemblies_stamp, {"sources": made.sources_key(), "files": files})
    assert made.is_ready()
    return made


@pytest.mark.parametrize(
    "name",
    [
        "pyproject.toml",
        "wheelhouse/requirements.lock",
        "cotrain/module.py",
        "cotrain/clr/other.py",
        "dotnet/Sub/B.cs",
        "dotnet/New.cs",
        "dotnet/Directory.Build.props",
        "global.json",
        "cotrain/clr/_assemblies/B.dll",
        ".venv/cotrain-setup.json",
        "cotrain/clr/_assemblies/cotrain-setup.json",
    ],
)
def test_a_change_makes_the_checkout_stale(checkout: _setup.Checkout, name: str) -> None:
    Path(checkout.root, name).write_text("something else")
    assert not checkout.is_ready()


@pytest.mark.parametrize("name", [".venv", ".venv/site/a", ".venv/bin", "cotrain/clr/_assemblies/B.dll"])
@posix_only
def test_a_loss_makes_the_checkout_stale(checkout: _setup.Checkout, name: str) -> None:
    _install.remove(str(Path(checkout.root, name)))
    assert not checkout.is_ready()


@pytest.mark.parametrize("name", ["dotnet/obj/x.cs", "dotnet/Sub/bin/x.dll", "README.md", ".venv/site/b.py"])
def test_what_is_not_an_input_changes_nothing(checkout: _setup.Checkout, name: str) -> None:
    path = Path(checkout.root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("something")
    assert checkout.is_ready()


def test_a_moved_checkout_is_stale(checkout: _setup.Checkout) -> None:
    moved = checkout.root + " moved"
    os.rename(checkout.root, moved)
    assert not _setup.Checkout(moved).is_ready()


def test_nothing_to_do_is_found_out_fast() -> None:
    checkout = _setup.Checkout(str(ROOT))
    start = time.perf_counter()
    checkout.is_ready()
    assert time.perf_counter() - start < 0.5


def test_the_lock_names_exactly_the_files_of_the_wheelhouse() -> None:
    relock: dict[str, object] = {"__name__": "relock"}
    exec((ROOT / "scripts" / "relock").read_text(), relock)
    lock = ROOT / "wheelhouse" / "requirements.lock"
    assert lock.read_text() == relock["lock_text"](str(lock.parent))  # type: ignore[operator]


def test_the_lock_has_all_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    asked += project["project"]["optional-dependencies"]["test"]
    locked = dict(name.split("==") for name, _ in _install.locked(_setup.Checkout(str(ROOT))))
    assert {re.split(r"[<>=~!]", requirement)[0] for requirement in asked} <= locked.keys()
    assert f"numpy=={locked['numpy']}" in asked


def test_the_wheelhouse_is_for_the_python_that_is_preferred() -> None:
    tag = "cp{}{}".format(*_install.WHEELHOUSE)
    assert list((ROOT / "wheelhouse").glob(f"numpy-*-{tag}-{tag}-*.whl"))


@pytest.mark.parametrize("content", [b"not pip", None])
def test_a_wheelhouse_that_was_tampered_with_is_refused(tmp_path: Path, content: bytes | None) -> None:
    shutil.copytree(
        ROOT / "wheelhouse",
        tmp_path / "wheelhouse",
        ignore=lambda _, names: {name for name in names if not name.startswith(("pip-", "requirements"))},
    )
    (wheel,) = (tmp_path / "wheelhouse").glob("pip-*.whl")
    checkout = _setup.Checkout(str(tmp_path))
    assert _install.pip_wheel(checkout) == str(wheel)
    wheel.write_bytes(content) if content else wheel.unlink()
    with pytest.raises(_process.SetupError, match="git checkout -- wheelhouse"):
        _install.pip_wheel(checkout)


# ---- what is said


def bare_scripts(folder: Path) -> Path:
    """A checkout with nothing but the scripts in it; returns ``scripts/lockstep``."""
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "wheelhouse").mkdir()
    (folder / "wheelhouse" / "requirements.lock").touch()
    (folder / "pyproject.toml").touch()
    return folder / "scripts" / "lockstep"


def started(script: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A command of the set-up, run to its end."""
    command = [sys.executable, script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def one_sentence(run: subprocess.CompletedProcess[str]) -> str:
    """The single line on stderr of a set-up that ended with code 3."""
    assert run.returncode == 3, run
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("cotrain set-up: ")
    return run.stderr


def fake_dotnet(folder: Path, sdks: str) -> str:
    """A folder for PATH with a ``dotnet`` that lists these SDKs."""
    folder.mkdir(exist_ok=True)
    (folder / "dotnet").write_text(f"#!/bin/sh\nprintf '{sdks}'\n")
    (folder / "dotnet").chmod(0o755)
    return str(folder)


@pytest.mark.parametrize("command", ["lockstep", "test"])
def test_without_dotnet(tmp_path: Path, command: str) -> None:
    script = bare_scripts(tmp_path).with_name(command)
    environment = {"PATH": str(tmp_path), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    said = one_sentence(started(script, environment))
    assert "no dotnet on PATH" in said
    assert "https://dotnet.microsoft.com/download" in said
    assert not (tmp_path / ".venv").exists(), "said before the slow part"


@posix_only
@pytest.mark.parametrize(
    ("sdks", "said"),
    [
        (r"8.0.404 [/somewhere]\n9.0.100 [/somewhere]\n", "only 8.0.404, 9.0.100"),
        ("", "no SDK at all"),
        (r"A fatal error occurred.\n", "no SDK at all"),
    ],
)
def test_an_sdk_that_is_not_enough(tmp_path: Path, sdks: str, said: str) -> None:
    script = bare_scripts(tmp_path)
    environment = {"PATH": fake_dotnet(tmp_path / "path", sdks)}
    assert said in one_sentence(started(script, environment))


@posix_only
def test_an_sdk_that_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fake_dotnet(tmp_path, r"8.0.404 [/somewhere]\n11.0.100-rc.1 [/somewhere]\n")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.setenv("DOTNET_ROOT", folder)
    assert _dotnet.find_sdk() == os.path.join(folder, "dotnet")


@posix_only
def test_compiler_errors_are_shown_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = r"  A.cs(1,2): error CS1: bad\n"
    folder = fake_dotnet(tmp_path, rf"10.0.100 [/x]\n{error}{error}rest\n")
    with (tmp_path / "dotnet").open("a") as file:
        file.write('[ "$1" = --list-sdks ]\n')
    monkeypatch.setenv("PATH", folder)
    with pytest.raises(_process.SetupError) as failure:
        _dotnet.publish(str(tmp_path), str(tmp_path / "out"), str(tmp_path / "artifacts"))
    assert str(failure.value).splitlines()[1:] == ["  A.cs(1,2): error CS1: bad"]


def test_no_python_that_fits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COTRAIN_PYTHON", str(tmp_path / "python3"))
    with pytest.raises(_process.SetupError, match=r"needs CPython 3\.11 or newer .* COTRAIN_PYTHON"):
        _install.find_python()


def test_a_python_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COTRAIN_PYTHON", sys.executable)
    assert os.path.samefile(_install.find_python(), sys.executable)


def test_pip_hears_only_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("PIP_CONFIG_FILE", "somewhere")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    environment = _install.offline_pip()
    assert environment["PIP_CONFIG_FILE"] == os.devnull
    assert not environment.keys() & {"PIP_INDEX_URL", "PYTHONPATH"}


# ---- interruptions, two at once


@posix_only
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_setup_leaves_no_child_behind(tmp_path: Path, number: int, code: int) -> None:
    script = bare_scripts(tmp_path)
    folder = fake_dotnet(tmp_path / "path", "")
    sleeps = f"#!/bin/sh\n/bin/sleep 60 & echo $! > '{tmp_path}/pid'; wait\n"
    (tmp_path / "path" / "dotnet").write_text(sleeps)
    command = [sys.executable, script]
    setup = subprocess.Popen(command, env={"PATH": folder}, stderr=subprocess.PIPE, text=True)
    pid = tmp_path / "pid"
    deadline = time.monotonic() + 30
    while not (pid.exists() and pid.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    setup.send_signal(number)
    said = setup.communicate(timeout=30)[1]
    assert setup.returncode == code
    assert "Traceback" not in said
    while is_running(int(pid.read_text())):
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether a process is there and not a zombie that its new parent has yet to collect."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or ") Z " not in state.read_text()


def test_the_lock_is_held_once(tmp_path: Path) -> None:
    with open(tmp_path / "lock", "a+b") as one, open(tmp_path / "lock", "a+b") as other:
        assert _install.try_lock(one.fileno())
        assert not _install.try_lock(other.fileno())
        one.close()
        assert _install.try_lock(other.fileno())


def test_a_half_written_stamp_is_no_stamp(tmp_path: Path) -> None:
    for text in ("", '{"root": ', "[1]"):
        (tmp_path / "stamp").write_text(text)
        assert _setup.read_stamp(str(tmp_path / "stamp")) == {}
    _install.write_stamp(str(tmp_path / "stamp"), {"a": [1]})
    assert json.loads((tmp_path / "stamp").read_text()) == {"a": [1]}
    assert os.listdir(tmp_path) == ["stamp"]


def test_paths_of_tests_are_meant_from_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_a.py").touch()
    monkeypatch.chdir(tmp_path)
    assert _setup.absolute("test_a.py::test_b") == str(tmp_path / "test_a.py") + "::test_b"
    assert [_setup.absolute(argument) for argument in ("-q", "-k", "some name")] == ["-q", "-k", "some name"]


def test_foreground_commands_hand_on_their_exit_code() -> None:
    assert _setup.wait([sys.executable, "-c", "raise SystemExit(7)"]) == 7
