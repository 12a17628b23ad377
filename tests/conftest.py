"""Fixtures for all tests. The .NET runtime starts once per process, when the first test asks for it: the fixture
``numsharp`` is the plugin's (cotrain/pytest_plugin.py).
"""

from __future__ import annotations

import os

# Before any test module imports numpy: one BLAS thread, as every cotrain command sets it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cotrain.clr import Runtime

pytest_plugins = ["pairs", "pytester"]

ROOT = Path(__file__).resolve().parent.parent

RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def runtime(numsharp: Any) -> Runtime | None:
    """The started runtime, with NumSharp and the bridge loaded."""
    from cotrain import clr

    return clr.current()


@pytest.fixture
def run_python() -> RunPython:
    """Runs code in a fresh interpreter: ``run_python(code, *arguments, env={...})``.

    A variable that is None in ``env`` is removed.
    """

    def run(
        code: str, *arguments: str, env: Mapping[str, str | None] | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        merged: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=ROOT,
            env={name: value for name, value in merged.items() if value is not None},
        )

    return run
