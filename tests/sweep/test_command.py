"""``python -m cotrain.sweep``: interrupted, resumed, refused."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lockstep.command import ROOT, environment, python, sentence


def test_bad_input(tmp_path: Path) -> None:
    done = python("-m", "cotrain.sweep", "expp", "--out", str(tmp_path))
    assert done.returncode == 2
    assert sentence(done).startswith(
        "NumPy and NumSharp have no common float32 function of one operand named 'expp'; near"
    )
    done = python("-m", "cotrain.sweep", "exp", "--out", __file__)
    assert done.returncode == 2
    assert sentence(done).startswith(f"cannot write --out {__file__}")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child")
def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cotrain.sweep", "sqrt", "--side", "bridge", "--out", str(tmp_path)]
    child = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    state = tmp_path / "sqrt.bridge.npz"
    deadline = time.monotonic() + 60
    while not state.exists() and time.monotonic() < deadline:  # the first state is saved after some seconds
        time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    assert err.startswith("cotrain: interrupted at ")
    assert err.endswith(" % of sqrt; the same command goes on\n")
    assert not list(tmp_path.glob(".*"))  # no half-written state


def test_a_finished_sweep_is_not_done_again(tmp_path: Path) -> None:
    code = "from cotrain.sweep import __main__ as m, progress; m.END = progress.END = 1 << 16; m.sweep.__defaults__"
    code += "; m.sweep.__kwdefaults__['end'] = 1 << 16; import sys; sys.exit(m.main(sys.argv[1:]))"
    arguments = ["-c", code, "sqrt", "--out", str(tmp_path)]
    first, second = python(*arguments), python(*arguments)
    assert first.returncode == second.returncode == 0, first.stderr
    assert first.stdout.splitlines() == [
        "sqrt, bridge: 0 of 65,536 differ",
        "sqrt, numsharp: 0 of 65,536 differ",
    ]
    assert second.stdout.splitlines()[0] == "sqrt, bridge: 0 of 65,536 differ (swept earlier)"
    assert (tmp_path / "sqrt.numsharp.txt").read_text().startswith("# float32 sqrt on bit patterns 0x00000000 to")
