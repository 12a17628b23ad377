"""``cotrain check``: also on somebody's own build of NumSharp, again after each change."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from lockstep.command import ROOT, environment, python, sentence

from cotrain.clr import assemblies

LOAD_FLOAT = b"\x22"
"""IL's ldc.r4: a float constant follows."""
P1 = np.float32(0.725766461)
"""A coefficient of NumSharp's exp."""


def own_build(file: Path, *, steps: int = 1) -> Path:
    """NumSharp with the coefficient of exp some floats further up: a kernel that somebody is working on."""
    original = (assemblies.require_built() / "NumSharp.dll").read_bytes()
    changed = (P1.view(np.uint32) + np.uint32(steps)).view(np.float32)
    built = original.replace(LOAD_FLOAT + P1.tobytes(), LOAD_FLOAT + changed.tobytes())
    assert built != original
    temporary = file.with_suffix(".tmp")
    temporary.write_bytes(built)
    os.replace(temporary, file)
    return file


def test_equal_and_different() -> None:
    done = python("-m", "cotrain", "check", "np.exp(a)", "--a", "random:f4:128x784")
    assert (done.returncode, done.stdout) == (0, "equal: np.exp(a), 100,352 elements of float32[128, 784]\n")
    done = python("-m", "cotrain", "check", "exp", "--x=bits:f4:0x3F851592")
    assert done.returncode == 1
    assert done.stdout.startswith("differs: np.exp(a)  float32[1]\n")


def test_operands_go_to_a_bare_function_in_their_order() -> None:
    done = python("-m", "cotrain", "check", "dot", "--x", "random:f4:3x4", "--y", "random:f4:4x5:1:F")
    assert done.stdout == "equal: np.dot(a, b), 15 elements of float32[3, 5]\n"


@pytest.mark.parametrize("expression", ["exp", "np.exp(a)"])
def test_a_changed_kernel_in_an_own_build(tmp_path: Path, expression: str) -> None:
    built = own_build(tmp_path / "NumSharp.dll")
    done = python("-m", "cotrain", "check", expression, "--a", "random:f4:128x784", "--numsharp", str(built))
    assert done.returncode == 1, done.stderr
    assert "differing" in done.stdout
    assert "known" not in done.stdout  # the ledger is about the released kernel
    done = python("-m", "cotrain", "check", "np.log(a)", "--a", "ones:f4:9", "--numsharp", str(built))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: expression (see --help)"),
        (["exp", "--a"], "--a needs an operand (see --help)"),
        (["exp", "a"], "unrecognized arguments: a (see --help)"),
        (["exp", "--a", "x.npy"], "there is no file x.npy"),
        (["exp", "--a", "zeros:f4:3", "--watch"], "--watch looks at your own build: give it with --numsharp PATH"),
        (["exp", "--a", "zeros:f4:3", "--numsharp", "nowhere.dll"], "the NumSharp to load, "),
        (["exp", "--gemm", "mkl"], "argument --gemm: invalid choice: 'mkl'"),
    ],
)
def test_bad_usage(arguments: list[str], said: str) -> None:
    done = python("-m", "cotrain", "check", *arguments)
    assert done.returncode == 2
    assert sentence(done).startswith(said)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child")
def test_watch_checks_again_after_each_build(tmp_path: Path) -> None:
    built = tmp_path / "NumSharp.dll"
    shutil.copy(assemblies.require_built() / "NumSharp.dll", built)
    command = [
        sys.executable,
        "-m",
        "cotrain",
        "check",
        "exp",
        "--a",
        "random:f4:1000",
        "--numsharp",
        str(built),
        "--watch",
    ]
    child = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
    guard = threading.Timer(120, child.kill)
    guard.start()
    try:
        assert child.stdout is not None
        assert child.stdout.readline().startswith("equal: ")
        own_build(built)
        assert child.stdout.readline().startswith("-- NumSharp.dll changed at ")
        assert child.stdout.readline().startswith("differs: ")
        child.send_signal(signal.SIGINT)
        child.stdout.read()
        assert child.wait(30) == 130
    finally:
        guard.cancel()
        child.kill()
        child.wait()
