"""Ctrl-C and SIGTERM at any moment: the documented exit code, no traceback, a complete report."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lockstep.command import ROOT, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def interrupted(tmp_path: Path, after: float, signum: int) -> tuple[int, str, dict[str, object] | None]:
    file = tmp_path / "out.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "cotrain.lockstep", "--json", str(file), "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(),
    )
    time.sleep(after)
    process.send_signal(signum)
    out, err = process.communicate(timeout=60)
    return process.returncode, out + err, json.loads(file.read_text()) if file.exists() else None


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after", [0.15, 0.3, 0.5, 0.8, 1.2, 2.5, 4.0])
def test_a_signal_at_any_moment(tmp_path: Path, after: float, signum: int) -> None:
    code, output, found = interrupted(tmp_path, after, signum)
    if code == -signum or (code == 1 and "KeyboardInterrupt" in output and "cotrain" not in output):
        pytest.skip("the signal came before cotrain's first line")
    assert code == 128 + signum
    assert "Traceback" not in output
    if found is not None:
        assert (found["verdict"], found["exit_code"]) == ("interrupted", 128 + signum)
        losses = found["losses"]
        assert isinstance(losses, dict)
        assert len(losses["reference"]) == found["steps"]


HANGING = """
import signal, sys
from cotrain.lockstep.signals import Signals
from cotrain.lockstep.pair import Pair
from lockstep import tiny
with Signals() as signals:
    with Pair.load(tiny.create, sys.argv[1] + ":TinyTrainer.Trainer", options={"steps": 6, "fault": "hang"}) as pair:
        signals.install()
        signals.during(pair.interrupt)
        print("running", flush=True)
        pair.run()
"""


def test_a_second_signal_ends_a_hanging_trainer(tiny_assembly: Path) -> None:
    paths = f"{ROOT}:{ROOT / 'tests'}"
    process = subprocess.Popen(
        [sys.executable, "-c", HANGING, str(tiny_assembly)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({"PYTHONPATH": paths}),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None  # it waits for the step in flight
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "")
