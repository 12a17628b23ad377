"""Runs the command line: in a process of its own, or, where that is enough, in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

Done = subprocess.CompletedProcess[str]


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """This process's environment without what chooses kernels, and with changes; None removes a variable."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "NPY_"))}
    merged: dict[str, str | None] = {**kept, "PYTHONPATH": str(ROOT), **(changes or {})}
    return {name: value for name, value in merged.items() if value is not None}


def lockstep(*arguments: str, env: Mapping[str, str | None] | None = None, cwd: Path = ROOT) -> Done:
    """``python -m cotrain.lockstep ARGUMENTS``, to its end."""
    return python("-m", "cotrain.lockstep", *arguments, env=env, cwd=cwd)


def python(*arguments: str, env: Mapping[str, str | None] | None = None, cwd: Path = ROOT) -> Done:
    """This Python with other arguments, to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=cwd,
        env=environment(env),
        check=False,
    )


def here(capsys: pytest.CaptureFixture[str], *arguments: str) -> Done:
    """The command in this process: the same from its arguments to its exit code, without the start-up."""
    from cotrain.lockstep.__main__ import main

    capsys.readouterr()
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return Done(arguments, code, out, err)


def start(*arguments: str, env: Mapping[str, str | None] | None = None) -> subprocess.Popen[str]:
    """This Python with other arguments, started; both its streams are pipes."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(env),
    )


def parse(text: str) -> dict[str, Any]:
    """One JSON object, nothing before or after it; the constants that JSON lacks (NaN) are refused."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    found = json.loads(text, parse_constant=refuse)
    assert isinstance(found, dict)
    return found


def report(done: Done) -> dict[str, Any]:
    """The JSON on a command's stdout."""
    return parse(done.stdout)


def sentence(done: Done) -> str:
    """The one sentence on stderr; fails when there is anything else on stderr or a traceback anywhere."""
    assert "Traceback" not in done.stdout + done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("cotrain: ")
    return line.removeprefix("cotrain: ")
