from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cotrain.errors import CotrainError, ExitCode
from twin.mlp_trainer import MlpTrainer
from twin.mnist_mlp import create, main

ROOT = Path(__file__).resolve().parents[2]


def test_create_with_the_options_of_the_driver() -> None:
    options = {"steps": None, "epochs": 100, "batch_size": 128, "seed": 1337, "data": "synthetic"}
    trainer = create(options)
    assert isinstance(trainer, MlpTrainer)
    assert (trainer.total_steps, trainer.steps_per_epoch) == (4600, 46)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"steps": 0}, "the number of steps must be at least 1, not 0"),
        ({"epochs": -3}, "the number of epochs must be at least 1, not -3"),
        ({"batch_size": 0}, "the batch size must be at least 1, not 0"),
        ({"seed": -1}, "the seed must be from 0 to 4294967295, not -1"),
        ({"seed": 2**32}, "the seed must be from 0 to 4294967295, not 4294967296"),
        ({"steps": 1, "epochs": 1}, "give a number of steps or of epochs, not both"),
        (
            {"batch_size": 6001},
            "the training data has 6000 samples, fewer than one batch of 6001: choose a batch size of 6000 or less",
        ),
    ],
)
def test_create_with_bad_options(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(CotrainError) as caught:
        create(options)
    assert str(caught.value) == expected
    assert caught.value.exit_code is ExitCode.USAGE


def test_main_prints_each_loss_and_the_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--steps", "3"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert len(lines) == 4
    for step, line in enumerate(lines[:3]):
        match = re.fullmatch(rf"step {step} loss (\d+\.\d{{8}}) 0x([0-9A-F]{{8}})", line)
        assert match
        loss = np.uint32(int(match[2], 16)).view(np.float32)
        assert float(match[1]) == pytest.approx(float(loss), abs=1e-8)
    assert re.fullmatch(r"step 2 test accuracy 0\.\d{4}", lines[3])
    assert re.fullmatch(r"3 steps, \d+\.\d{3} ms per step\n", printed.err)


def test_main_dumps_every_tap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--steps", "2", "--dump-taps", str(tmp_path / "dump")]) == 0
    assert capsys.readouterr().out.count("loss") == 2
    trainer = create({"steps": 2})
    for folder, taps in (("initial", trainer.initial()), ("0", trainer.step(0)), ("1", trainer.step(1))):
        written = set()
        for tap in taps:
            array = np.load(tmp_path / "dump" / folder / f"{tap.name}.npy", allow_pickle=False)
            assert (array.dtype, array.shape) == (tap.value.dtype, tap.value.shape)
            assert array.tobytes() == tap.value.tobytes()
            written.add(f"{tap.name}.npy")
        assert {path.name for path in (tmp_path / "dump" / folder).iterdir()} == written


def test_main_says_what_is_wrong_with_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--steps", "1", "--data", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"error: {tmp_path} has no train-images-idx3-ubyte")
    (tmp_path / "file").touch()
    assert main(["--steps", "1", "--dump-taps", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twin.mnist_mlp", "--steps", "1"],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("step 0 loss ")
