"""Ctrl-C and SIGTERM at any moment: the documented exit code, no traceback, no hang, a complete report."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lockstep.command import parse, python, start

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

SIGNALS = [signal.SIGINT, signal.SIGTERM]

# Sends a signal at an import, or some milliseconds after it; then runs the command as `python -m` does.
AT_AN_IMPORT = """
import os, runpy, sys, threading
signum, module, delay, sys.argv[1:] = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4:]
def watch(event, arguments):
    global module
    if event == "import" and arguments[0] == module:
        module = ""
        timer = threading.Timer(delay, os.kill, (os.getpid(), signum))
        timer.daemon = True
        timer.start() if delay else os.kill(os.getpid(), signum)
sys.addaudithook(watch)
runpy.run_module("cotrain.lockstep", run_name="__main__", alter_sys=True)
"""


def assert_interrupted(code: int, output: str, file: Path, signum: int) -> dict[str, Any]:
    """The report, once everything about it is right."""
    assert "Traceback" not in output
    assert "Exception ignored" not in output
    assert code == 128 + signum, output
    found = parse(file.read_text())
    assert (found["verdict"], found["exit_code"], found["signal"]) == ("interrupted", 128 + signum, signum)
    assert found["divergences"] == []
    assert found["taps_compared"] == 45 * found["steps"]
    assert len(found["losses"]["reference"]) == len(found["losses"]["candidate"]) == found["steps"]
    assert found["losses"]["reference"] == found["losses"]["candidate"]
    assert list(file.parent.iterdir()) == [file]
    return found


MOMENTS = [
    ("argparse", 0.0),  # the first import that finds handlers
    ("numpy", 0.0),
    ("numpy", 0.02),
    ("twin.mlp_trainer", 0.0),
    ("clr_loader", 0.0),
    ("clr_loader", 0.05),  # hostfxr, then CoreCLR, which has handlers of its own
    ("clr_loader", 0.15),
    ("numpy.lib.introspect", 0.0),  # the pins, after both trainers were made
    ("cotrain.report.terminal", 0.0),  # the pair is there, the run has not begun
    ("rich.progress", 0.1),  # the state before step 0
]


@pytest.mark.parametrize(
    ("module", "delay", "signum"),
    [
        # Every moment with both signals is for the long tier.
        pytest.param(*moment, signum, marks=[pytest.mark.full] * ((at + which) % 2))
        for at, moment in enumerate(MOMENTS)
        for which, signum in enumerate(SIGNALS)
    ],
)
def test_a_signal_during_the_start(tmp_path: Path, module: str, delay: float, signum: int) -> None:
    file = tmp_path / "out.json"
    done = python("-c", AT_AN_IMPORT, str(int(signum)), module, str(delay), "--quiet", "--json", str(file))
    found = assert_interrupted(done.returncode, done.stdout + done.stderr, file, signum)
    if found["steps"] == 0:
        assert done.stderr == "cotrain: interrupted before the first step\n"
    else:
        assert (done.stdout.split(" taps")[0], done.stderr) == (
            f"interrupted: {found['steps']} steps, {45 * found['steps']}",
            "",
        )


@pytest.mark.parametrize(("mode", "signum"), [("overlap", signal.SIGINT), ("sequence", signal.SIGTERM)])
def test_a_signal_during_the_run(tmp_path: Path, mode: str, signum: int) -> None:
    file = tmp_path / "out.json"
    with start("-m", "cotrain.lockstep", "--mode", mode, "--json", str(file)) as process:
        assert process.stdout is not None
        while "host" not in process.stdout.readline():
            pass  # the pins come last before the first step
        time.sleep(0.7)
        begun = time.monotonic()
        process.send_signal(signum)
        out, err = process.communicate(timeout=60)
    assert time.monotonic() - begun < 5  # not the run's end, half a minute away
    found = assert_interrupted(process.returncode, out + err, file, signum)
    assert found["steps"] > 0
    assert f"\ninterrupted: {found['steps']:,} steps, " in f"\n{out}"
    # Both sides stand at the same step, and their weights are in the report.
    assert found["weights_sha256"].keys() == {"fc1.w", "fc1.b", "fc2.w", "fc2.b"}
    assert all(each["reference"] == each["candidate"] for each in found["weights_sha256"].values())


@pytest.mark.parametrize("signum", SIGNALS)
def test_a_signal_at_the_end_changes_nothing(tmp_path: Path, signum: int) -> None:
    file = tmp_path / "out.json"
    with start("-m", "cotrain.lockstep", "--steps", "2", "--json", str(file)) as process:
        assert process.stdout is not None
        # From the first line that says how it ended on, thousands of them.
        next(line for line in process.stdout if line.startswith("identical"))
        while process.poll() is None:
            process.send_signal(signum)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert parse(file.read_text())["verdict"] == "identical"


@pytest.mark.full
@pytest.mark.parametrize("seed", range(8))
def test_signals_at_random_moments(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    file = tmp_path / "out.json"
    for _ in range(12):
        signum = draw.choice(SIGNALS)
        file.unlink(missing_ok=True)
        with start("-m", "cotrain.lockstep", "--steps", "150", "--json", str(file)) as process:
            time.sleep(draw.uniform(0.06, 2.5))
            process.send_signal(signum)
            out, err = process.communicate(timeout=60)
        if process.returncode == 0:
            assert (parse(file.read_text())["verdict"], err) == ("identical", "")
        else:
            assert_interrupted(process.returncode, out + err, file, signum)


# The tiny candidate hangs in step 2; --candidate is not an option yet.
TINY = Path(__file__).with_name("tiny.py")


@pytest.mark.parametrize(("first", "second"), [SIGNALS, SIGNALS[::-1]])
def test_a_second_signal_ends_a_hanging_trainer(
    tmp_path: Path, tiny_assembly: Path, first: signal.Signals, second: signal.Signals
) -> None:
    file = tmp_path / "out.json"
    own = [
        "--trainer",
        f"{TINY}:create",
        "--candidate",
        f"{tiny_assembly}:TinyTrainer.Trainer",
        "--option",
        "fault=hang",
    ]
    options = ["--steps", "6", "--mode", "sequence", "--json", str(file)]
    with start("-m", "cotrain.lockstep", *own, *options) as process:
        assert process.stdout is not None
        assert any("host" in line for line in iter(process.stdout.readline, ""))
        time.sleep(0.5)
        process.send_signal(first)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)  # the step in flight would be waited for
        process.send_signal(second)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (128 + second, "")
    found = parse(file.read_text())
    assert (found["verdict"], found["steps"], found["taps_compared"]) == ("interrupted", 2, 8)
    assert found["pins"]["numpy"]["version"] == "2.4.2"


def test_a_second_signal_during_the_start_does_not_wait() -> None:
    code = (
        "import os, signal, sys, time\n"
        "from cotrain.lockstep.signals import Signals\n"
        "with Signals():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(60)\n"
    )
    done = python("-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


def test_a_rescue_that_fails_or_hangs_does_not_keep_the_process() -> None:
    code = (
        "import os, signal, sys, time\n"
        "from cotrain.lockstep.signals import Signals\n"
        "def fail(signum): 1 / 0\n"
        "def hang(signum): os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)\n"
        "with Signals() as signals:\n"
        "    signals.during(lambda signum: None, rescue=globals()[sys.argv[1]])\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
    )
    assert [python("-c", code, rescue).returncode for rescue in ("fail", "hang")] == [130, 143]


def test_the_handlers_are_there_before_anything_that_takes_long() -> None:
    # Until then a Ctrl-C is KeyboardInterrupt with a traceback.
    code = (
        "import os, runpy, sys\n"
        "before = set(sys.modules)\n"
        "import cotrain.lockstep.__main__\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    # -S: an environment's .pth files may import much more, before cotrain's first line.
    found = set(python("-S", "-c", code).stdout.split())
    own = {"cotrain", "cotrain.lockstep", "cotrain.lockstep.__main__", "cotrain.lockstep.signals"}
    assert own <= found <= own | {"__future__", "importlib", "warnings"}


def test_afterwards_the_handlers_are_those_from_before() -> None:
    from cotrain.lockstep.signals import Signals

    before = [signal.getsignal(signum) for signum in SIGNALS]
    with Signals():
        assert [signal.getsignal(signum) for signum in SIGNALS] != before
    assert [signal.getsignal(signum) for signum in SIGNALS] == before
