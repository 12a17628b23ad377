"""``--trainer`` and ``--candidate``: somebody's own pair, through the protocol that the flagship uses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lockstep.command import ROOT, Done, here, parse, sentence

from cotrain.clr import Runtime

Capture = pytest.CaptureFixture[str]
TINY = f"{ROOT / 'tests' / 'lockstep' / 'tiny.py'}:create"


@pytest.fixture
def run(runtime: Runtime, capsys: Capture, tiny_assembly: Path):
    def command(*arguments: str, trainer: str = TINY, candidate: str = "", quiet: bool = True) -> Done:
        candidate = candidate or f"{tiny_assembly}:TinyTrainer.Trainer"
        return here(capsys, "--trainer", trainer, "--candidate", candidate, *["--quiet"] * quiet, *arguments)

    return command


def test_a_file_and_an_assembly(run) -> None:
    done = run("--steps", "6")
    assert (done.returncode, done.stdout) == (0, "identical: 6 steps, 24 taps, 504 B compared\n")


def test_a_module_on_the_path(run) -> None:
    assert run("--steps", "6", trainer="lockstep.tiny:create").returncode == 0


def test_a_module_in_the_current_folder_shadows_nothing(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "tests" / "lockstep" / "tiny.py", tmp_path / "my_port.py")
    (tmp_path / "argparse.py").write_text("raise SystemExit('not this one')\n")
    monkeypatch.chdir(tmp_path)
    assert run("--steps", "6", trainer="my_port:create").returncode == 0


def test_options_reach_both_sides_and_the_command_that_shows_it_again(run, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    done = run("--steps", "6", "--option", "fault=value", "--json", str(file))
    assert done.returncode == 1, done.stderr
    report = parse(file.read_text())
    assert report["divergences"][0]["tap"] == "total"
    assert "--option fault=value" in report["command"]
    assert f"--trainer {TINY}" in report["command"]


def test_the_flagship_s_defaults_are_not_forced_upon_it(run) -> None:
    done = run()
    assert done.returncode == 2
    assert sentence(done) == "this trainer has no last step: say how many steps to run, --steps N"


def test_epochs_of_a_trainer_without_an_end(run) -> None:
    done = run("--epochs", "2")
    assert done.stdout == "identical: 6 steps, 24 taps, 504 B compared\n"


@pytest.mark.parametrize(
    ("trainer", "said"),
    [
        ("nothing", "'nothing' is not MODULE:FACTORY or FILE.py:FACTORY, as in twin.mnist_mlp:create"),
        ("no.such.module:create", "the trainer's module no.such.module cannot be imported: ModuleNotFoundError: "),
        ("nowhere.py:create", f"there is no file {ROOT / 'nowhere.py'} with the trainer"),
        ("lockstep.tiny:creat", "lockstep.tiny has no factory creat; near names: create"),
        ("lockstep.tiny:np", "np in lockstep.tiny is a module, not a function or class"),
        (
            "builtins:dict",
            "dict is no trainer: it lacks initial, step, state (see cotrain.Trainer for the three methods)",
        ),
    ],
)
def test_a_reference_that_is_none(run, monkeypatch: pytest.MonkeyPatch, trainer: str, said: str) -> None:
    monkeypatch.chdir(ROOT)
    done = run("--steps", "1", trainer=trainer)
    assert done.returncode == 2
    assert sentence(done).startswith(said)


def test_a_module_that_fails_while_it_is_imported(run, tmp_path: Path) -> None:
    (tmp_path / "port.py").write_text("1 / 0\n")
    done = run("--steps", "1", trainer=f"{tmp_path / 'port.py'}:create")
    assert done.returncode == 2
    assert sentence(done).endswith("port.py cannot be imported: ZeroDivisionError: division by zero")


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("My.Trainer", "'My.Trainer' is not DLL:TYPE, as in MnistMlp.dll:MnistMlp.MlpTrainer"),
        ("nowhere.dll:My.Trainer", f"there is no assembly {ROOT / 'nowhere.dll'}"),
        (
            "MnistMlp.dll:MnistMlp.MlpTrainr",
            "MnistMlp.dll has no public type MnistMlp.MlpTrainr; did you mean MnistMlp.Mlp",
        ),
        ("NumSharp.dll:NumSharp.NDArray", "NumSharp.NDArray is no trainer: it has no public static ITrainer Create"),
        ("nowhere.csproj:My.Trainer", f"there is no project {ROOT / 'nowhere.csproj'}"),
    ],
)
def test_a_candidate_that_is_none(run, monkeypatch: pytest.MonkeyPatch, candidate: str, said: str) -> None:
    monkeypatch.chdir(ROOT)
    done = run("--steps", "1", candidate=candidate)
    assert done.returncode == 2
    assert sentence(done).startswith(said)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("hidden", "cannot read --option 'hidden'; write KEY=VALUE, for example hidden=32"),
        ("=3", "cannot read --option '=3'"),
        ("batch_size=3", "--option batch_size=... is --batch-size"),
    ],
)
def test_an_option_that_is_none(run, option: str, said: str) -> None:
    done = run("--steps", "1", "--option", option)
    assert done.returncode == 2
    assert sentence(done).startswith(said)


def test_a_trainer_without_a_candidate(runtime: Runtime, capsys: Capture) -> None:
    done = here(capsys, "--trainer", TINY)
    assert done.returncode == 2
    assert sentence(done) == "--trainer needs --candidate: the C# trainer that it is compared with"
