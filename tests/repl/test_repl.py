"""``python -m cotrain.repl``: the names at its prompt, and how they look."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cotrain import CotrainError, interop, nd
from cotrain.lockstep.pair import Pair
from cotrain.repl import cli, console
from cotrain.repl.difference import diff
from cotrain.repl.names import make
from cotrain.repl.pair import PromptPair

ROOT = Path(__file__).resolve().parents[2]

Repl = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def repl() -> Repl:
    """Runs the prompt in a fresh process: ``repl(*options, typed=lines)``."""

    def run(*options: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cotrain.repl", *options],
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=ROOT,
        )

    return run


@pytest.fixture
def names() -> Iterator[dict[str, Any]]:
    """The names of a prompt, in this process."""
    made = make(interop(), cli.parser().parse_args(["--steps", "5"]))
    yield made
    made["pair"].close()


# -- diff ---------------------------------------------------------------------------------------------------


def test_diff_shows_the_card(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    one = np.array([1.0, 2.0, 3.0], np.float32)
    other = nd(np.array([1.0, np.nextafter(np.float32(2), np.float32(3)), 3.0], np.float32))
    diff(one, other)
    assert capsys.readouterr().out == (
        "1 of 3 elements differ\n"
        "  array      float32[3]\n"
        "  element    [1]  (flat 1)\n"
        "  reference        2.0  0x40000000  0 10000000 00000000000000000000000\n"
        "  candidate  2.0000002  0x40000001  0 10000000 00000000000000000000001\n"
        "                                                                     ^\n"
        "  distance   1 ulp, 1 bit\n"
        "  differing  1 of 3 elements\n"
    )
    diff(other, other)
    diff(nd(one), one.astype(np.float64))
    diff(one, one[:2])
    diff([1, 2], np.array([1, 2]))
    assert capsys.readouterr().out == (
        "same bits: float32[3], 3 elements\n"
        "dtypes differ: float32 and float64\n"
        "shapes differ: (3,) and (2,)\n"
        "same bits: int64[2], 2 elements\n"
    )
    for refused in (np.array(["x"]), np.zeros(2, object), [[1], [1, 2]]):
        with pytest.raises(CotrainError):
            diff(refused, refused)


def test_signed_zeros_and_nans_differ(capsys: pytest.CaptureFixture[str]) -> None:
    diff(np.float64(0.0), np.float64(-0.0))
    assert "1 of 1 elements differ" in capsys.readouterr().out


# -- pair ---------------------------------------------------------------------------------------------------


def test_the_pair_is_loaded_when_it_is_used(names: dict[str, Any]) -> None:
    pair: PromptPair = names["pair"]
    assert repr(pair) == "<pair: not loaded yet; pair.step() loads it and compares step 0>"
    assert repr(pair.taps) == "no step has been compared yet: pair.step()"
    assert {"step", "taps", "reference", "candidate"} <= set(dir(pair))
    assert not hasattr(pair, "_ipython_display_")
    assert repr(pair).startswith("<pair: not loaded")
    assert repr(pair.step()) == "identical: 1 steps, 45 taps, 3.2 MB compared"
    assert repr(pair) == (
        "<pair: twin.mnist_mlp:create and MnistMlp.dll:MnistMlp.MlpTrainer, before step 1, identical; "
        "gemm openblas, math parity>"
    )
    assert pair.total_steps == 5
    assert isinstance(pair.loaded, Pair)


def test_the_taps_of_a_step(names: dict[str, Any]) -> None:
    pair: PromptPair = names["pair"]
    outcome = pair.step()
    assert outcome.verdict == "identical"
    first = pair.taps
    lines = repr(first).splitlines()
    assert lines[0] == "45 taps of step 0, all equal"
    assert lines[1].split() == ["tap", "dtype[shape]", "element", "reference", "candidate"]
    assert lines[2].split() == ["fc1.preact", "float32[128,", "128]", "[0,", "0]", *lines[2].split()[-3:-1], "="]
    tap = first["loss.exps"]
    assert tap.equal
    assert tap.op == "exp(shifted)"
    assert tap.inputs == ("loss.shifted",)
    assert tap.reference.shape == (128, 10)
    assert tap.candidate is not None
    assert tap.candidate.tobytes() == tap.reference.tobytes()
    assert repr(tap).startswith("loss.exps  float32[128, 10]  = exp(shifted)\nequal on both sides:\n[[")
    before = tap.reference.copy()
    pair.step(3)
    assert (tap.reference == before).all()
    assert pair.taps.step == 3
    assert first.step == 0
    assert list(pair.taps) == list(first)


def test_both_sides(names: dict[str, Any]) -> None:
    pair: PromptPair = names["pair"]
    pair.step(2)
    reference, candidate = pair.reference, pair.candidate
    assert list(reference) == list(candidate)
    assert len(reference) == 14
    for name, value in reference.items():
        assert np.asarray(candidate[name]).tobytes() == value.tobytes()
    assert repr(candidate["fc2.b"]).startswith("NDArray float32 (10,), strides (4,), memory: NumSharp's")
    lines = repr(reference).splitlines()
    assert lines[0] == "reference twin.mnist_mlp:create, before step 2"
    assert lines[1].split()[:3] == ["fc1.w", "float32[784,", "128]"]
    assert repr(candidate).splitlines()[0] == "candidate MnistMlp.dll:MnistMlp.MlpTrainer, before step 2"
    assert repr(candidate).splitlines()[1:] == lines[1:]
    assert callable(reference.state)


def test_a_divergence_at_the_prompt(names: dict[str, Any]) -> None:
    from cotrain import Injection

    pair: PromptPair = names["pair"]
    outcome = pair.step(3, inject=[Injection.parse("1:loss.exps:443:0")])
    assert repr(outcome).startswith("divergence at step 1, loss.exps (origin)\n")
    assert repr(outcome).endswith("diverged: 2 steps, 90 taps, 6.3 MB compared")
    assert "loss.exps" in pair.taps.differing
    assert repr(pair.taps).splitlines()[0].startswith("45 taps of step 1, ")
    row = next(line for line in repr(pair.taps).splitlines() if line.startswith("loss.exps"))
    assert "[44, 3]" in row
    assert row.endswith("differs")
    tap = pair.taps["loss.exps"]
    assert not tap.equal
    assert "element    [44, 3]  (flat 443)" in repr(tap)
    with pytest.raises(CotrainError, match=r"^this pair ended in step 1 "):
        pair.step()
    pair.restart()
    assert repr(pair.step()) == "identical: 1 steps, 45 taps, 3.2 MB compared"


# -- the commands -------------------------------------------------------------------------------------------


def test_code_is_run_and_the_last_value_is_shown(repl: Repl) -> None:
    done = repl("-c", "a = np.float32([1, 2]); n = nd(a)\nns.add(n, 1.0)")
    expected = "NDArray float32 (2,), strides (4,), memory: NumSharp's\n[2. 3.]\n"
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)


@pytest.mark.parametrize(
    ("code", "error", "exit_code"),
    [
        ("nd(3)", "cotrain: nd() takes a numpy.ndarray, not int; np.asarray(x) makes one\n", 2),
        (
            "1 / 0",
            'Traceback (most recent call last):\n  File "<-c>", line 1, in <module>\n'
            "ZeroDivisionError: division by zero\n",
            1,
        ),
        ("import sys; sys.exit(5)", "", 5),
    ],
)
def test_code_that_fails(repl: Repl, code: str, error: str, exit_code: int) -> None:
    done = repl("-c", code)
    assert (done.stdout, done.stderr, done.returncode) == ("", error, exit_code)


def test_at_a_step(repl: Repl) -> None:
    done = repl("--at", "7", "--gemm", "sequential", "-c", "print(pair.position, pair.settings.gemm); pair.step()")
    assert (done.stdout, done.stderr) == ("7 sequential\nidentical: 8 steps, 360 taps, 25.2 MB compared\n", "")


def test_at_a_step_behind_a_divergence(repl: Repl) -> None:
    done = repl("--at", "5", "--gemm", "native", "-c", "pair.position")
    assert done.stdout.startswith("divergence at step 0, fc1.preact (origin)\n")
    assert done.stdout.endswith("\n1\n")


def test_lines_typed_at_the_plain_prompt(repl: Repl) -> None:
    done = repl("--plain", typed="n = nd(np.arange(3.0))\nn[1:]\nnd(3)\nfoo\npair.step()\nn.resh")
    assert done.returncode == 0
    shown = done.stdout.replace(">>> ", "")
    assert "NDArray float64 (2,), strides (8,), memory: NumPy's\n[1. 2.]\n" in shown
    assert "identical: 1 steps, 45 taps, 3.2 MB compared\n" in shown
    assert "cotrain: nd() takes a numpy.ndarray, not int; np.asarray(x) makes one\n" in done.stderr
    assert "NameError: name 'foo' is not defined" in done.stderr
    assert "CotrainError" not in done.stderr
    assert "names at the prompt:" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--at", "0"), "--at takes a step of at least 1, not 0; without it the run is at step 0"),
        (("--at", "x"), "argument --at: invalid int value: 'x' (see --help)"),
        (("--gemm", "mkl"), "argument --gemm: invalid choice: 'mkl'"),
        (("--numsharp", "nowhere.dll"), "the NumSharp to load, "),
        (("--steps", "3", "--at", "9"), "the run ends with step 2"),
    ],
)
def test_bad_options_are_one_sentence(repl: Repl, options: tuple[str, ...], message: str) -> None:
    done = repl(*options, "-c", "0")
    assert done.returncode == 2
    assert done.stderr.startswith(f"cotrain: {message}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_in_a_run_and_then_exit(repl: Repl) -> None:
    child = subprocess.Popen(
        [sys.executable, "-u", "-m", "cotrain.repl", "--plain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(
        "from cotrain.lockstep.observer import Silent\n"
        "class Told(Silent):\n    stepped = lambda self, progress: progress.step == 5 and print('going')\n\n"
        "pair.run(observer=Told())\nprint('after', pair.result.verdict)\n"
    )
    child.stdin.flush()
    while "going" not in child.stdout.readline():
        pass
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate("exit(4)\n", timeout=60)
    assert "interrupted: " in output
    assert "after interrupted" in output
    assert "Traceback" not in errors
    assert child.returncode == 4


# -- completion, IPython ------------------------------------------------------------------------------------


def completions(names: dict[str, Any], text: str) -> list[str]:
    completer = console.Completer(names)
    found: list[str] = []
    while (match := completer.complete(text, len(found))) is not None:
        found.append(match)
    return found


def test_tab_completion_of_the_plain_prompt(names: dict[str, Any]) -> None:
    names["n"] = nd(np.zeros(3))
    assert completions(names, "ns.ad") == ["ns.add"]
    assert completions(names, "ns.random.see") == ["ns.random.seed"]
    assert completions(names, "ns.linalg.matm") == ["ns.linalg.matmul"]
    assert "n.reshape" in completions(names, "n.resh")
    assert {"n.T", "n.shape", "n.tolist"} <= set(completions(names, "n."))
    assert completions(names, "pair.ta") == ["pair.taps"]
    assert completions(names, "nothing.") == []
    assert "pair" in completions(names, "pai")[0]
    assert repr(names["pair"]).startswith("<pair: not loaded")


def test_ipython(repl: Repl) -> None:
    pytest.importorskip("IPython")
    lines = ["n = nd(np.arange(3.0))", "n[1:]", "nd(3)", "pair.step()", "get_ipython().complete('n.resh')[1]"]
    done = repl(typed="\n".join(lines) + "\n")
    assert "NDArray float64 (2,), strides (8,), memory: NumPy's\n[1. 2.]" in done.stdout
    assert "cotrain: nd() takes a numpy.ndarray, not int" in done.stdout
    assert "identical: 1 steps, 45 taps" in done.stdout
    assert "'n.reshape'" in done.stdout or "'.reshape'" in done.stdout
    assert done.returncode == 0
