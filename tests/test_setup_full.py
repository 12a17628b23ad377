"""The set-up from a fresh clone, for real: no inherited setting, empty caches, NuGet reachable."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(os.name != "posix", reason="paths and signals as on POSIX"),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone"),
    pytest.mark.skipif(shutil.which("dotnet") is None, reason="no .NET SDK"),
]


class Clone:
    """A clone of what is committed, with an environment of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a clone"
        self.folder = folder
        subprocess.run(["git", "clone", "-q", ROOT, self.root], check=True)
        (folder / "home").mkdir()
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        caches = {"HOME": str(folder / "home"), "NUGET_PACKAGES": str(folder / "nuget")}
        self.environment = {"PATH": path, **caches}

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *command: str | Path, code: int = 0) -> str:
        child = self.start(*command)
        said = child.communicate(timeout=600)[0]
        assert child.returncode == code, said
        return said

    def lockstep(self, *arguments: str) -> str:
        return self.run(self.root / "scripts" / "lockstep", *arguments)

    def files(self) -> dict[Path, tuple[int, int]]:
        """Every regular file that belongs to the clone, its home and its caches."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())
        return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    made = Clone(tmp_path_factory.mktemp("fresh"))
    said = made.lockstep("--steps", "2", "--quiet")
    assert "wheelhouse/" in said
    return made


def test_a_second_start_says_nothing_and_leaves_nothing(clone: Clone) -> None:
    before = clone.files()
    assert "cotrain set-up" not in clone.lockstep("--steps", "2")
    assert clone.files() == before


@pytest.mark.parametrize(
    ("number", "delay"),
    [
        (signal.SIGINT, 0.5),
        (signal.SIGINT, 5.5),
        (signal.SIGTERM, 2.5),
        (signal.SIGTERM, 8.5),
        (signal.SIGKILL, 1.5),
        (signal.SIGKILL, 6.5),
        (signal.SIGKILL, 8.5),
    ],
)
def test_an_interrupted_setup_heals(clone: Clone, number: signal.Signals, delay: float) -> None:
    for name in (".venv", "build", "cotrain/clr/_assemblies"):
        shutil.rmtree(clone.root / name)
    child = clone.start(clone.root / "scripts" / "lockstep", "--steps", "2", "--quiet")
    time.sleep(delay)
    child.send_signal(number)
    said = child.communicate(timeout=120)[0]
    assert "Traceback" not in said
    clone.lockstep("--steps", "2", "--quiet")


def test_two_at_once(clone: Clone) -> None:
    shutil.rmtree(clone.root / ".venv")
    shutil.rmtree(clone.root / "cotrain" / "clr" / "_assemblies")
    script = clone.root / "scripts" / "lockstep"
    children = [clone.start(script, "--steps", "2", "--quiet") for _ in range(3)]
    said = [child.communicate(timeout=600)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], said
    assert "".join(said).count("making .venv") == 1
    assert "".join(said).count("compiling") == 1


def test_the_wheel_runs_from_anywhere(clone: Clone) -> None:
    environment = clone.folder / "elsewhere"
    clone.run(sys.executable, "-m", "venv", "--without-pip", environment)
    (pip,) = (clone.root / "wheelhouse").glob("pip-*.whl")
    python = environment / "bin" / "python"
    offline = ["--no-index", "--find-links", clone.root / "wheelhouse"]
    clone.run(python, pip / "pip", "install", *offline, "pip")
    clone.run(python, "-m", "pip", "install", *offline, clone.root)
    clone.run(environment / "bin" / "cotrain-lockstep", "--steps", "2", "--quiet")
    assert subprocess.run(["git", "status", "--porcelain"], cwd=clone.root, capture_output=True).stdout == b""
