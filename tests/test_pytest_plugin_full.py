"""A project outside this repository, with the wheel installed: a layer, a changed one, two workers, no .NET."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT.parent / "shared" / "wheels"

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(os.name != "posix", reason="paths as on POSIX"),
    pytest.mark.skipif(shutil.which("dotnet") is None, reason="no .NET SDK"),
]

PROJECT = """
import numpy as np
import pytest
from twin.fully_connected import FullyConnected

DENSE = "MnistMlp.dll:MnistMlp.FullyConnectedFused"
random = np.random.default_rng(0)
w, b, x, gradient = (random.standard_normal(shape, np.float32) for shape in ((784, 128), 128, (32, 784), (32, 128)))


class Dense:
    def __init__(self, name, batch, w, b, relu):
        self.w, self.b = w, b
        self.layer = FullyConnected(name, (batch, *w.shape), relu=relu, x="x", gradient="gradient")

    def forward(self, x):
        return self.layer.forward(x, self.w, self.b)

    def backward(self, x, gradient):
        return self.layer.backward(x, self.w, gradient)


class Mutated(Dense):
    def backward(self, x, gradient):
        for tap in super().backward(x, gradient):
            if tap.name == "fc.grad.b":
                tap.value[7] = np.add.reduce(gradient[::-1, 7])  # another order of adding
                tap.value[9] += np.spacing(tap.value[9])
            yield tap


@pytest.mark.parametrize("batch", [8, 32])
def test_dense(layer_pair, batch):
    layer = layer_pair(Dense, DENSE, name="fc", batch=batch, w=w, b=b, relu=False)
    layer.forward(x[:batch])
    layer.backward(x[:batch], gradient[:batch])


def test_mutated(layer_pair):
    layer = layer_pair(Mutated, DENSE, name="fc", batch=32, w=w, b=b, relu=False)
    layer.forward(x)
    layer.backward(x, np.ones_like(gradient))


def test_process(numsharp):
    print("started .NET in process", __import__("os").getpid())


def test_steps(lockstep):
    print("started .NET in process", __import__("os").getpid())
    lockstep(3)
"""


class Project:
    """A folder with a test file and an environment of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a project"
        self.folder.mkdir()
        (self.folder / "test_layer.py").write_text(PROJECT)
        self.python = folder / "environment" / "bin" / "python"
        kept = ("PATH", "HOME", "DOTNET_ROOT", "NUGET_PACKAGES", "LANG")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.offline = ["--no-index", "--find-links", str(ROOT / "wheelhouse"), "--find-links", str(WHEELS)]

    def run(self, *command: str | Path, code: int = 0) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def pip(self, *arguments: str | Path) -> str:
        return self.run(self.python, "-m", "pip", *arguments)

    def pytest(self, *arguments: str, code: int) -> list[str]:
        said = self.run(self.python, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *arguments, code=code)
        return said.splitlines()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("outside")
    made = Project(folder)
    made.run(sys.executable, "-m", "venv", "--without-pip", folder / "environment")
    (pip,) = (ROOT / "wheelhouse").glob("pip-*.whl")
    made.run(made.python, pip / "pip", "install", *made.offline, "pip")
    made.pip("wheel", "--quiet", "--no-deps", *made.offline, "--wheel-dir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("cotrain-*.whl")
    made.pip("install", "--quiet", *made.offline, wheel, "pytest")
    return made


CARD = [
    "E       cotrain.testing.Diverged: divergence in backward, fc.grad.b (origin)",
    "E         where      backward, call 1, of Mutated and MnistMlp.FullyConnectedFused",
    "E         tap        fc.grad.b  float32[128]  = sum(gradient, axis=0)",
    "E         element    [9]  (flat 9)",
    "E         distance   1 ulp, 1 bit",
]

TAPS = 3 * 5 + (18 + 3 * 45 + 2)
"""Three layers; three steps with what is before and after them."""


def compared(said: list[str]) -> tuple[int, ...]:
    """Taps, tests and differing ones, as the summary counts them."""
    (found,) = filter(None, (re.match(r"compared (\d+) taps, .*in (\d+) tests: (\d+) differ$", line) for line in said))
    return tuple(map(int, found.groups()))


def test_a_layer_is_equal_and_a_changed_one_is_not(project: Project) -> None:
    said = project.pytest(code=1)
    assert [line for line in said if line in CARD] == CARD
    assert not any("site-packages" in line for line in said)
    assert compared(said) == (TAPS, 4, 1)
    assert " 1 failed, 4 passed " in said[-1]


def test_two_workers_have_a_runtime_each_and_count_together(project: Project) -> None:
    if not list(WHEELS.glob("pytest_xdist-*.whl")):
        pytest.skip(f"no pytest-xdist in {WHEELS}")
    project.pip("install", "--quiet", *project.offline, "pytest-xdist")
    said = project.pytest("-n", "2", "--dist", "each", code=1)
    assert len({line for line in said if line.startswith("started .NET in process")}) == 2
    assert compared(said) == (2 * TAPS, 8, 2)
    assert [line for line in said if line in CARD] == 2 * CARD
    said = project.pytest("-n", "2", "--cotrain-report", "out", code=1)
    assert compared(said) == (TAPS, 4, 1)
    assert len(list(project.folder.glob("out/*/report.html"))) == 4


def test_without_dotnet_all_is_skipped_for_one_reason(project: Project) -> None:
    bare = {"PATH": str(project.python.parent), "HOME": str(project.folder)}
    project.environment, before = bare, project.environment
    try:
        said = project.pytest(code=0)
        assert len([line for line in said if line.startswith("SKIPPED")]) == 1
        assert any(line.startswith("skipped 5 tests: no dotnet on PATH and DOTNET_ROOT is not set") for line in said)
        said = project.pytest("--cotrain-require", code=1)
        assert " 5 errors " in said[-1]
    finally:
        project.environment = before
