"""Bad input: one sentence and the documented exit code, found as early as it can be."""

from __future__ import annotations

import gzip
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lockstep.command import here, lockstep, parse, sentence

from cotrain.clr import Runtime
from cotrain.lockstep.outputs import check_writable

Capture = pytest.CaptureFixture[str]
BOMB = "raise SystemError('this must not be imported')\n"


@pytest.mark.parametrize("option", ["epochs", "steps", "batch-size", "checkpoint-every", "from-step"])
@pytest.mark.parametrize("text", ["0", "-1", "-0", "many", "1.5", "1e3", "nan", "", " "])
def test_a_number_that_is_none_or_too_small(capsys: Capture, option: str, text: str) -> None:
    done = here(capsys, f"--{option}={text}")
    assert (done.returncode, done.stdout) == (2, "")
    said = f"argument --{option}: {option} must be a whole number of at least 1, not {text!r} (see --help)"
    assert sentence(done) == said


@pytest.mark.parametrize("text", ["-1", "4294967296", "x", "", "1.0"])
def test_a_seed_that_is_none(capsys: Capture, text: str) -> None:
    done = here(capsys, f"--seed={text}")
    assert (done.returncode, done.stdout) == (2, "")
    said = f"argument --seed: seed must be a whole number from 0 to 4294967295, not {text!r} (see --help)"
    assert sentence(done) == said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps", "2", "--epochs", "2"], "argument --epochs: not allowed with argument --steps (see --help)"),
        (["--epochs", "2", "--steps", "2"], "argument --steps: not allowed with argument --epochs (see --help)"),
        (["--steps", "9" * 20], f"argument --steps: {'9' * 20} is too large a number; the largest is 2147483647"),
        (["--steps"], "argument --steps: expected one argument (see --help)"),
        (["--mode", "both"], "argument --mode: invalid choice: 'both' (choose from "),
        (["--json", "a", "--trace", "./a"], "--json and --trace both write ./a; choose another file for one of them"),
        (["--checkpoint-every", "2", "--checkpoints", __file__], f"cannot write --checkpoints {__file__}"),
        (["--surplus"], "unrecognized arguments: --surplus (see --help)"),
        (["--step", "2"], "unrecognized arguments: --step 2 (see --help)"),
        (["2"], "unrecognized arguments: 2 (see --help)"),
    ],
)
def test_arguments_that_do_not_go_together(capsys: Capture, arguments: list[str], said: str) -> None:
    done = here(capsys, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence(done).startswith(said)


def bombs(folder: Path) -> str:
    """A PYTHONPATH where nothing that takes long can be imported: what is said was found before."""
    for name in ("numpy", "pythonnet", "clr_loader", "threadpoolctl", "rich"):
        (folder / f"{name}.py").write_text(BOMB)
    return os.pathsep.join([str(folder), *sys.path])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--epochs", "0"], "argument --epochs: epochs must be a whole number of at least 1, not '0' (see --help)"),
        (["--json", "nowhere/x.json"], "cannot write --json nowhere/x.json: No such file or directory; choose "),
        (["--json", os.sep], f"cannot write --json {os.sep}: Is a directory; choose another file, or - for the "),
        (["--json", ""], "cannot write --json .: Is a directory; choose another file, or - for the standard output"),
        (["--json", f"{os.devnull}/x"], f"cannot write --json {os.devnull}/x: Not a directory; choose another file"),
    ],
)
def test_what_is_found_before_anything_is_loaded(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = lockstep(*arguments, env={"PYTHONPATH": bombs(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence(done).startswith(said)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only(capsys: Capture, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    done = here(capsys, "--json", str(tmp_path / "x.json"))
    tmp_path.chmod(0o755)
    assert done.returncode == 2
    assert sentence(done).startswith(f"cannot write --json {tmp_path / 'x.json'}: Permission denied; choose ")


def test_trying_the_file_leaves_nothing_and_changes_nothing(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("old")
    for file in (old, tmp_path / "new.json"):
        check_writable(file, "--json", "")
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--taps", "loss.expz"], "no tap of this run matches 'loss.expz'; near names: loss.exps, "),
        (["--taps", "loss.exps,adam.*.q"], "no tap of this run matches 'adam.*.q'; near names: adam."),
        (["--taps", ","], "no tap pattern given; use 'all', a tap name or a glob such as 'adam.*'"),
        (
            ["--inject", "1:loss.exps:5"],
            "cannot read the injection '1:loss.exps:5'; write STEP:TAP:INDEX:BIT, for example 0:loss.exps:17:3",
        ),
        (["--inject", "0:loss.exps:x:1"], "cannot read the injection '0:loss.exps:x:1': step, index and bit are whole"),
        (["--inject", "0:loss.exps:-1:1"], "the injection '0:loss.exps:-1:1' has a negative number; step, index and"),
        (["--inject", "0:loss.expz:1:1"], "injection 0:loss.expz:1:1: no step has a tap 'loss.expz'; near names:"),
        (["--inject", "2:loss.exps:1:1"], "injection 2:loss.exps:1:1: the run ends with step 1, there is no step 2"),
        (
            ["--inject", "0:loss.exps:1280:1"],
            "injection 0:loss.exps:1280:1: loss.exps has shape (128, 10), its flat indices end at 1279",
        ),
        (["--inject", "0:loss.mean:1:1"], "injection 0:loss.mean:1:1: loss.mean has shape (), its flat indices end at"),
        (["--inject", "0:loss.exps:1:32"], "injection 0:loss.exps:1:32: loss.exps is float32, its bits end at 31"),
        (["--inject", "0:metrics.argmax:1:64"], "injection 0:metrics.argmax:1:64: metrics.argmax is int64, its"),
        (["--inject", "0:eval.output:1:1"], "injection 0:eval.output:1:1: that step has no such tap; nothing"),
        (
            ["--inject", "0:loss.exps:1:1", "--inject", "0:loss.exps:1:1"],
            "injection 0:loss.exps:1:1 is given twice; the second would undo the first",
        ),
        (["--batch-size", "6001"], "the training data has 6000 samples, fewer than one batch of 6001"),
        (["--data", "nowhere"], 'nowhere does not exist: --data takes "synthetic" or a directory with the four'),
        (["--data", __file__], f'{__file__} is not a directory: --data takes "synthetic" or a directory with the'),
        (["--numsharp", "nowhere.dll"], f"the NumSharp to load, {Path('nowhere.dll').absolute()}, does not exist"),
    ],
)
def test_what_the_run_has_no_place_for(
    runtime: Runtime, capsys: Capture, arguments: list[str], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "out.json"
    done = here(capsys, "--steps", "2", "--quiet", "--json", str(file), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence(done).startswith(said)
    found = parse(file.read_text())
    assert (found["verdict"], found["error"]) == ("error", sentence(done))


def test_an_unknown_tap_is_found_before_the_first_step(capsys: Capture, runtime: Runtime) -> None:
    # A hundred epochs otherwise.
    assert here(capsys, "--quiet", "--taps", "loss.expz").returncode == 2


def write_idx(folder: Path, images: int = 130, labels: int = 130, *, magic: int = 0x803, top: int = 9) -> None:
    pixels = np.arange(images * 784, dtype=np.uint8)
    for split in ("train", "t10k"):
        head = struct.pack(">4i", magic, images, 28, 28)
        (folder / f"{split}-images-idx3-ubyte").write_bytes(head + pixels.tobytes())
        marks = (np.arange(labels) % (top + 1)).astype(np.uint8)
        (folder / f"{split}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, labels) + marks.tobytes())


def cut(name: str, *, keep: int) -> Callable[[Path], None]:
    """Leaves so many bytes of a file; a negative number is taken off its end."""

    def spoil(folder: Path) -> None:
        file = folder / name
        file.write_bytes(file.read_bytes()[:keep])

    return spoil


def test_idx_files_plain_and_compressed(runtime: Runtime, capsys: Capture, tmp_path: Path) -> None:
    write_idx(tmp_path)
    file = tmp_path / "train-images-idx3-ubyte"
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    done = here(capsys, "--steps", "2", "--quiet", "--data", str(tmp_path))
    assert (done.returncode, done.stdout.startswith("identical: 2 steps"), done.stderr) == (0, True, "")


TRAIN = "train-images-idx3-ubyte"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: write_idx(folder, magic=0x802), f"{TRAIN} is not an IDX file of images: it starts with 0x00"),
        (lambda folder: write_idx(folder, labels=129), f"{TRAIN} holds 130 images but "),
        (lambda folder: write_idx(folder, top=10), "train-labels-idx1-ubyte: label 10 at index 10 is not a digit"),
        (lambda folder: write_idx(folder, 100, 100), "the training data has 100 samples, fewer than one batch of 128"),
        (lambda folder: (folder / TRAIN).unlink(), f" has no {TRAIN} (nor train-images.idx3-ubyte, nor either with"),
        (cut(TRAIN, keep=0), f"{TRAIN} is empty"),
        (cut(TRAIN, keep=10), f"{TRAIN} is truncated: the header takes 16 bytes, it has 10"),
        (cut(TRAIN, keep=-1), f"{TRAIN} is truncated: 130 images of 28x28 take 101936 bytes, it has 101935"),
        (cut("t10k-labels-idx1-ubyte", keep=0), "t10k-labels-idx1-ubyte is empty"),
        (cut("t10k-labels-idx1-ubyte", keep=-1), "t10k-labels-idx1-ubyte is truncated: 130 labels take 138 bytes"),
    ],
    ids=["magic", "counts", "label", "few", "missing", "empty", "header", "images", "no labels", "labels"],
)
def test_idx_files_that_will_not_do(
    runtime: Runtime, capsys: Capture, tmp_path: Path, spoil: Callable[[Path], None], said: str
) -> None:
    write_idx(tmp_path)
    spoil(tmp_path)
    done = here(capsys, "--steps", "2", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in sentence(done)


def test_help_tells_the_exit_codes() -> None:
    done = lockstep("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for text in ("0 all equal", "1 a divergence", "2 bad usage", "3 this machine", "4 a trainer", "130", "143"):
        assert text in " ".join(done.stdout.split())
