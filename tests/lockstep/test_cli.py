"""The command line: bad input gets one sentence and the documented exit code, the JSON says everything."""

from __future__ import annotations

import gzip
import json
import os
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from lockstep.command import lockstep, report, sentence


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--epochs", "0"], "argument --epochs: epochs must be a whole number of at least 1, not '0' (see --help)"),
        (["--steps", "-3"], "argument --steps: steps must be a whole number of at least 1, not '-3' (see --help)"),
        (["--steps", "many"], "argument --steps: steps must be a whole number of at least 1, not 'many' (see --help)"),
        (
            ["--batch-size", "1.5"],
            "argument --batch-size: batch-size must be a whole number of at least 1, not '1.5' (see --help)",
        ),
        (
            ["--seed", "-1"],
            "argument --seed: seed must be a whole number from 0 to 4294967295, not '-1' (see --help)",
        ),
        (
            ["--seed", "4294967296"],
            "argument --seed: seed must be a whole number from 0 to 4294967295, not '4294967296' (see --help)",
        ),
        (["--steps", "2", "--epochs", "2"], "argument --epochs: not allowed with argument --steps (see --help)"),
        (
            ["--inject", "1:loss.exps:5"],
            "cannot read the injection '1:loss.exps:5'; write STEP:TAP:INDEX:BIT, for example 0:loss.exps:17:3",
        ),
        (["--json", "/nowhere/x.json"], "cannot write --json /nowhere/x.json: No such file or directory"),
        (["--json", os.sep], f"cannot write --json {os.sep}: Is a directory"),
        (["--steps", "9" * 20], f"argument --steps: {'9' * 20} is too large a number; the largest is 2147483647"),
        (["--json", "a", "--trace", "./a"], "--json and --trace both write ./a; choose another file for one of them"),
        (["--checkpoint-every", "2", "--checkpoints", __file__], f"cannot write --checkpoints {__file__}"),
        (["--surplus"], "unrecognized arguments: --surplus (see --help)"),
    ],
)
def test_bad_arguments_are_said_at_once(arguments: list[str], said: str) -> None:
    done = lockstep(*arguments)
    assert done.returncode == 2
    assert sentence(done).startswith(said)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--taps", "loss.expz"], "no tap of this run matches 'loss.expz'; near names: loss.exps"),
        (["--inject", "0:loss.expz:1:1"], "injection 0:loss.expz:1:1: no step has a tap 'loss.expz'; near names:"),
        (["--inject", "2:loss.exps:1:1"], "injection 2:loss.exps:1:1: the run ends with step 1, there is no step 2"),
        (["--inject", "0:loss.exps:1:32"], "injection 0:loss.exps:1:32: loss.exps is float32, its bits end at 31"),
        (
            ["--inject", "0:loss.exps:1:1", "--inject", "0:loss.exps:1:1"],
            "injection 0:loss.exps:1:1 is given twice; the second would undo the first",
        ),
        (["--batch-size", "6001"], "the training data has 6000 samples, fewer than one batch of 6001"),
        (["--data", "/nowhere"], "/nowhere does not exist"),
    ],
)
def test_what_the_run_has_no_place_for(arguments: list[str], said: str, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    done = lockstep("--steps", "2", "--quiet", "--json", str(file), *arguments)
    assert done.returncode == 2
    assert sentence(done).startswith(said)
    assert '"verdict": "error"' in file.read_text()


def write_idx(folder: Path, images: int = 130, labels: int = 130, *, magic: int = 0x803, top: int = 9) -> None:
    pixels = np.arange(images * 784, dtype=np.uint8)
    for split in ("train", "t10k"):
        head = struct.pack(">4i", magic, images, 28, 28)
        (folder / f"{split}-images-idx3-ubyte").write_bytes(head + pixels.tobytes())
        marks = (np.arange(labels) % (top + 1)).astype(np.uint8)
        (folder / f"{split}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, labels) + marks.tobytes())


def test_idx_files_plain_and_compressed(tmp_path: Path) -> None:
    write_idx(tmp_path)
    file = tmp_path / "train-images-idx3-ubyte"
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    done = lockstep("--steps", "2", "--quiet", "--data", str(tmp_path))
    assert (done.returncode, done.stdout.startswith("identical: 2 steps")) == (0, True)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: write_idx(folder, magic=0x802), "starts with 0x00000802 instead of 0x00000803"),
        (lambda folder: write_idx(folder, labels=129), "130 images but"),
        (lambda folder: write_idx(folder, top=10), "label"),
        (lambda folder: write_idx(folder, images=100, labels=100), "fewer than one batch of 128"),
        (lambda folder: (folder / "train-images-idx3-ubyte").write_bytes(b""), "train-images-idx3-ubyte"),
        (
            lambda folder: (folder / "train-images-idx3-ubyte").write_bytes(
                (folder / "train-images-idx3-ubyte").read_bytes()[:-1]
            ),
            "train-images-idx3-ubyte",
        ),
    ],
    ids=["magic", "counts", "label over 9", "few samples", "empty", "truncated"],
)
def test_idx_files_that_will_not_do(tmp_path: Path, spoil: object, said: str) -> None:
    write_idx(tmp_path)
    spoil(tmp_path)  # type: ignore[operator]
    done = lockstep("--steps", "2", "--data", str(tmp_path))
    assert done.returncode == 2
    assert said in sentence(done)


def test_a_bridge_that_was_not_built(tmp_path: Path) -> None:
    done = lockstep("--steps", "1", env={"COTRAIN_ASSEMBLIES": str(tmp_path)})
    assert done.returncode == 3
    assert sentence(done).startswith(f"{tmp_path} has no NumSharpBridge.dll: the .NET side was not built; run ")


@pytest.mark.skipif(sys.platform == "win32", reason="PATH without dotnet is made for POSIX")
def test_no_dotnet_on_path(tmp_path: Path) -> None:
    done = lockstep("--steps", "1", env={"PATH": str(tmp_path), "DOTNET_ROOT": str(tmp_path)})
    assert done.returncode == 3
    assert ".NET" in sentence(done)


def test_another_numsharp_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "NumSharp.dll").write_bytes(b"no assembly")
    done = lockstep("--steps", "1", "--numsharp", str(tmp_path / "NumSharp.dll"))
    assert done.returncode == 2
    assert "is not a .NET assembly" in sentence(done)


def test_the_json_of_an_identical_run() -> None:
    done = lockstep("--steps", "3", "--json", "-")
    found = report(done)
    assert done.returncode == 0
    assert found["verdict"] == "identical"
    assert (found["steps"], found["taps_compared"], found["bytes_compared"]) == (3, 135, 9_464_052)
    assert found["divergences"] == []
    assert found["losses"]["reference"] == found["losses"]["candidate"]
    assert len(found["losses"]["reference"]) == 3
    assert found["weights_sha256"].keys() == {"fc1.w", "fc1.b", "fc2.w", "fc2.b"}
    assert all(each["reference"] == each["candidate"] for each in found["weights_sha256"].values())
    assert found["pins"]["numpy"]["version"] == "2.4.2"
    assert found["timing"].keys() == {"reference", "candidate", "compare", "wall", "startup"}
    assert done.stderr.splitlines()[-1].startswith("  0.") or "steps/s" in done.stderr


def test_the_json_of_a_flip(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    done = lockstep("--steps", "2", "--quiet", "--inject", "1:adam.fc2.b.p:9:30", "--json", str(file))
    assert done.returncode == 1
    [found] = json.loads(file.read_text())["divergences"]
    assert (found["step"], found["epoch"], found["batch"]) == (1, 0, 1)
    assert (found["tap"], found["index"], found["flat_index"]) == ("adam.fc2.b.p", [9], 9)
    assert (found["differing"], found["size"], found["origin"], found["excuse"]) == (1, 10, True, None)
    assert int(found["reference_bits"], 16) ^ int(found["candidate_bits"], 16) == 1 << 30
    assert found["candidate_source"].startswith("dotnet/MnistMlp/AdamParameter.cs:")
    assert found["reference_source"].startswith("twin/adam.py:")
    assert list(tmp_path.iterdir()) == [file]


def test_a_reader_that_goes_away_is_no_failure() -> None:
    import subprocess

    from lockstep.command import ROOT, environment

    command = f"{sys.executable} -m cotrain.lockstep --steps 3 | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, env=environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_several_sessions_in_one_process() -> None:
    import subprocess

    from lockstep.command import ROOT, environment

    code = (
        "from cotrain import Pair\n"
        "for gemm in ('openblas', 'native', 'openblas'):\n"
        "    with Pair.load(options={'steps': 2}, gemm=gemm) as pair:\n"
        "        print(pair.run().verdict)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["identical", "diverged", "identical"]
