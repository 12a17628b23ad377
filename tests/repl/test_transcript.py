"""The sessions in docs/repl.md are what a terminal shows."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.full
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_the_recorded_sessions_are_current() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "record_repl", "--check"], timeout=600)
    assert done.returncode == 0
