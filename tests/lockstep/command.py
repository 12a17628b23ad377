"""Runs the command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

Done = subprocess.CompletedProcess[str]


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """This process's environment without what chooses kernels, and with changes; None removes a variable."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "NPY_"))}
    merged: dict[str, str | None] = {**kept, "PYTHONPATH": str(ROOT), **(changes or {})}
    return {name: value for name, value in merged.items() if value is not None}


def lockstep(*arguments: str, env: Mapping[str, str | None] | None = None, cwd: Path = ROOT) -> Done:
    """``python -m cotrain.lockstep ARGUMENTS``, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "cotrain.lockstep", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=cwd,
        env=environment(env),
        check=False,
    )


def report(done: Done) -> dict[str, Any]:
    """The JSON on a command's stdout; non-finite numbers would be an error."""
    found = json.loads(done.stdout, parse_constant=lambda text: 1 / 0)
    assert isinstance(found, dict)
    return found


def sentence(done: Done) -> str:
    """The one sentence on stderr; fails when there is anything else on stderr or a traceback anywhere."""
    assert "Traceback" not in done.stdout + done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("cotrain: ")
    return line.removeprefix("cotrain: ")
