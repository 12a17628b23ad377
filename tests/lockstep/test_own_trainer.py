"""A pair of the user's own: finding its two sides, their options, their dependencies, and an order of its own."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lockstep.command import ROOT, Done, here, lockstep, report, sentence

from cotrain import clr
from cotrain.clr import Runtime, assemblies, candidates, project
from cotrain.errors import CotrainError, ExitCode

OWN = ROOT / "tests" / "lockstep" / "own.py"
TRAINER = f"{OWN}:create"
Run = Callable[..., Done]


@pytest.fixture(scope="session")
def own_assembly(runtime: Runtime, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """OwnTrainer.dll, compiled as a user's project is."""
    folder = tmp_path_factory.mktemp("own") / "OwnTrainer"
    shutil.copytree(ROOT / "tests" / "dotnet" / "OwnTrainer", folder, ignore=shutil.ignore_patterns("bin", "obj"))
    return project.build(folder / "OwnTrainer.csproj")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], own_assembly: Path) -> Run:
    """The command on ``own.py`` and a type of OwnTrainer.dll, in this process."""

    def command(*arguments: str, trainer: str = TRAINER, type: str = "OwnTrainer.Letters") -> Done:
        return here(capsys, "--trainer", trainer, "--candidate", f"{own_assembly}:{type}", *arguments)

    return command


def moved(assembly: Path, folder: Path, *without: str) -> Path:
    """The assembly with what lies beside it, in another folder, but for some files."""
    shutil.copytree(assembly.parent, folder / "out", ignore=shutil.ignore_patterns(*without))
    return folder / "out" / assembly.name


# -- the options --------------------------------------------------------------------------------------------


def test_a_run(run: Run) -> None:
    done = run("--steps", "4")
    assert done.returncode == 0
    assert "identical: 4 steps, 16 taps" in done.stdout


def test_both_sides_get_the_users_options_and_no_defaults(run: Run) -> None:
    given = ["--steps", "3", "--option", "rate=0.5", "--option", "a.b=x=y", "--option", "empty="]
    text = sentence(run(*given, trainer=f"{OWN}:explicit"))
    assert text == "these are my options: {'steps': 3, 'rate': '0.5', 'a.b': 'x=y', 'empty': ''}"
    text = sentence(run(*given, type="OwnTrainer.Options"))
    said = json.loads(text.removeprefix("the candidate cannot be made: ArgumentException: "))
    extra = {"rate": "0.5", "a.b": "x=y", "empty": ""}
    assert said == {"steps": 3, "epochs": None, "batch": None, "seed": None, "data": None, "extra": extra}
    text = sentence(run("--epochs", "2", "--batch-size", "7", "--seed", "0", "--data", "d", type="OwnTrainer.Options"))
    said = json.loads(text.partition("ArgumentException: ")[2])
    assert said == {"steps": None, "epochs": 2, "batch": 7, "seed": 0, "data": "d", "extra": {}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--option", "rate"], "--option 'rate' is not KEY=VALUE, as in --option hidden=64"),
        (["--option", "=1"], "--option '=1' is not KEY=VALUE, as in --option hidden=64"),
        (["--option", "a b=1"], "--option 'a b=1' is not KEY=VALUE, as in --option hidden=64"),
        (["--option", "a=1", "--option", "a=2"], "--option a is given twice, with '1' and '2'"),
        (["--option", "batch_size=5"], "--option batch_size=5: that is --batch-size 5"),
        (["--option", "steps=5"], "--option steps=5: that is --steps 5"),
        ([], "this trainer has no last step (total_steps): say how many steps to run, --steps N"),
        (["--epochs", "2"], "this trainer has no epochs (steps_per_epoch): give --steps N instead of --epochs"),
        (["--steps", "6", "--option", "total=5"], "--steps 6: this trainer ends after 5 steps (total_steps)"),
    ],
)
def test_options_that_will_not_do(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, sentence(done)) == (2, message)


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        (["--option", "total=5"], 5),
        (["--option", "total=5", "--steps", "3"], 3),
        (["--option", "epoch=3", "--epochs", "2"], 6),
        (["--option", "epoch=3", "--option", "total=4", "--epochs", "2"], 4),
    ],
)
def test_how_long_it_runs(run: Run, arguments: list[str], steps: int) -> None:
    assert f"identical: {steps} steps," in run(*arguments).stdout


def test_one_side_alone(capsys: pytest.CaptureFixture[str]) -> None:
    done = here(capsys, "--trainer", TRAINER)
    assert (done.returncode, sentence(done)) == (2, "--trainer without --candidate: a pair needs both sides")
    assert sentence(here(capsys, "--candidate", "x.dll:T")).startswith("--candidate without --trainer: ")
    assert sentence(here(capsys, "--option", "a=1")).startswith("--option a=1: the MNIST trainers have no such options")


def test_the_command_that_shows_it_again(run: Run, own_assembly: Path) -> None:
    given = ["--option", "differs=c", "--option", "text=two words", "--batch-size", "128"]
    done = run(*given, "--steps", "9", "--quiet")
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("  again")]
    assert line.split(None, 1)[1] == (
        f"python -m cotrain.lockstep --trainer {TRAINER} --candidate {own_assembly}:OwnTrainer.Letters --steps 9 "
        "--batch-size 128 --option differs=c --option 'text=two words'"
    )


# -- the NumPy side -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trainer", "message"),
    [
        ("own", r"the trainer 'own' is not MODULE:FACTORY or FILE\.py:FACTORY, as in twin\.mnist_mlp:create"),
        ("no_such_module:create", r"the trainer's module no_such_module cannot be imported: there is no module "
            r"no_such_module on Python's path or in .*; a file can be named too: path/to/file\.py:FACTORY"),
        ("numpy.no_such:create", r"the trainer's module numpy\.no_such cannot be imported: there is no module "
            r"numpy\.no_such .*"),
        ("a b:create", "the trainer's module 'a b' is no module name; .*"),
        ("no/such.py:create", r"there is no trainer's file .*no/such\.py"),
        (f"{OWN}:creat", r"the trainer's module .*own\.py has no factory creat; did you mean create\?"),
        (f"{OWN}:number", r".*own\.py:number is no factory but int: it cannot be called"),
        (f"{OWN}:broken", r"the reference cannot be made: KeyError: 'planted' \(own\.py:\d+\)"),
        (f"{OWN}:nothing", r"NoneType is no trainer: it lacks initial, step, state .*"),
    ],
)  # fmt: skip
def test_a_reference_that_will_not_do(run: Run, trainer: str, message: str) -> None:
    done = run("--steps", "1", trainer=trainer)
    assert done.returncode == 2
    assert re.fullmatch(message, sentence(done)), sentence(done)


def test_what_the_module_raises(run: Run, tmp_path: Path) -> None:
    for name, code, message in (
        ("one", "import no_such_thing", r"ModuleNotFoundError: No module named 'no_such_thing' \(one\.py:1\)"),
        ("two", "def f(:", r"SyntaxError: .*"),
        ("three", "raise SystemExit(0)", r"SystemExit: 0 \(three\.py:1\)"),
    ):
        file = tmp_path / f"{name}.py"
        file.write_text(code)
        text = sentence(run("--steps", "1", trainer=f"{file}:create"))
        assert re.fullmatch(f"the trainer's module {file} cannot be imported: {message}", text), text


def test_a_file_never_shadows_nor_is_shadowed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file named ``random.py`` is taken where it is named by its path; by its module's name it is refused."""
    text = OWN.read_text().replace("class Letters:", "import helper_of_random\nclass Letters:")
    (tmp_path / "random.py").write_text(text)
    (tmp_path / "helper_of_random.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert run("--steps", "1", trainer="random.py:create").returncode == 0
    assert sys.modules["random"].__file__ != str(tmp_path / "random.py")
    text = sentence(run("--steps", "1", trainer="random:create"))
    assert text.endswith(f"random.py for Python, and not {tmp_path / 'random.py'}: give yours another name")
    package = tmp_path / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text(OWN.read_text())
    assert run("--steps", "1", trainer="my_package.inner:create").returncode == 0
    assert run("--steps", "1", trainer="my_package/inner.py:create").returncode == 0
    for name in ("two words.py", "a.b.py", "class.py"):
        (tmp_path / name).write_text(OWN.read_text())
        assert run("--steps", "1", trainer=f"{name}:create").returncode == 0


def test_the_working_directory_comes_last(own_assembly: Path, tmp_path: Path) -> None:
    """``python -m`` puts it first; files there must not replace other modules, and the trainer is still found."""
    for name in ("uuid.py", "twin.py", "rich.py", "pythonnet.py"):
        (tmp_path / name).write_text("raise ImportError('shadowed')")
    (tmp_path / "my_own.py").write_text(OWN.read_text())
    arguments = ["--trainer", "my_own:create", "--candidate", f"{own_assembly}:OwnTrainer.Letters", "--steps", "2"]
    done = lockstep(*arguments, "--json", "-", cwd=tmp_path)
    assert (done.returncode, report(done)["verdict"]) == (0, "identical")


# -- the C# side --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "message"),
    [
        ("OwnTrainer.Leters", r"OwnTrainer\.dll has no public type OwnTrainer\.Leters; did you mean OwnTrainer\.Le.*"),
        ("OwnTrainer.Hidden", r"the type OwnTrainer\.Hidden in OwnTrainer\.dll is not public"),
        ("OwnTrainer.NoTrainer", r"OwnTrainer\.NoTrainer is no ITrainer, and it has no method public static ITrainer "
            r"Create\(TrainerOptions options\)"),
        ("OwnTrainer.WithoutCreate", r"OwnTrainer\.WithoutCreate is an ITrainer, but it has no method public .*"),
        ("OwnTrainer.OtherReturn", r"OwnTrainer\.OtherReturn\.Create returns System\.Object, which is no ITrainer: .*"),
        ("OwnTrainer.Null", r"the candidate cannot be made: OwnTrainer\.Null\.Create returned null"),
        ("OwnTrainer.BadStart", r"the candidate cannot be made: FormatException: .*'one'.*"),
        ("OwnTrainer.Native", r"the candidate cannot be made: DllNotFoundException: .*ownmath.*"),
    ],
)  # fmt: skip
def test_a_candidate_that_will_not_do(run: Run, type: str, message: str) -> None:
    done = run("--steps", "1", type=type)
    assert done.returncode == 2
    assert re.fullmatch(message, sentence(done)), sentence(done)


def test_files_that_are_no_assembly_for_this_process(runtime: Runtime, own_assembly: Path, tmp_path: Path) -> None:
    text = tmp_path / "Text.dll"
    text.write_text("no assembly")
    image = bytearray(own_assembly.read_bytes())
    header = struct.unpack_from("<I", image, 0x3C)[0]
    struct.pack_into("<H", image, header + 4, 0xAA64)
    arm = tmp_path / "Arm.dll"
    arm.write_bytes(image)
    for path, message in (
        (tmp_path / "Missing.dll", f"there is no assembly {tmp_path / 'Missing.dll'}"),
        (text, f"{text} is not a .NET assembly"),
        (arm, f"{arm} was compiled for Arm64, and this process is X64: compile it for AnyCPU (the default)"),
    ):
        with pytest.raises(CotrainError) as caught:
            clr.load_assembly(path)
        assert (str(caught.value), caught.value.exit_code) == (message, ExitCode.USAGE)


def test_compiled_against_something_else(runtime: Runtime, own_assembly: Path) -> None:
    newer = dataclasses.replace(runtime.bridge, version="0.2.0.0")
    with pytest.raises(
        CotrainError, match=r"compiled against version 0\.1\.0\.0 of NumSharpBridge, and .* is 0\.2\.0\.0"
    ):
        candidates.load(own_assembly, runtime.numsharp, newer)
    newer = dataclasses.replace(runtime.numsharp, version="0.71.0.0")
    with pytest.raises(
        CotrainError, match=r"compiled against NumSharp 0\.70\.0\.0, and .* is 0\.71\.0\.0: .*--numsharp"
    ):
        candidates.load(own_assembly, newer, runtime.bridge)
    candidates.load(own_assembly, dataclasses.replace(newer, bundled=False), runtime.bridge)
    with pytest.raises(CotrainError, match=r"compiled for \.NET 11\.0, and this process runs \.NET 10\."):
        candidates._check_framework(own_assembly, "11.0.0.0")


def test_nothing_of_ours_lands_beside_it(own_assembly: Path) -> None:
    names = {path.name for path in own_assembly.parent.iterdir()}
    assert {"OwnTrainer.dll", "OwnTrainer.deps.json", "Newtonsoft.Json.dll"} <= names
    assert not names & {"NumSharp.dll", "NumSharpBridge.dll", "System.IO.Hashing.dll"}


def test_a_package_that_was_not_copied(
    run: Run, own_assembly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The build of a class library leaves packages where NuGet keeps them."""
    library = moved(own_assembly, tmp_path, "Newtonsoft.Json.dll")
    done = here(capsys, "--trainer", TRAINER, "--candidate", f"{library}:OwnTrainer.Options", "--steps", "3")
    assert sentence(done).startswith('the candidate cannot be made: ArgumentException: {"steps":3,')
    bare = moved(own_assembly, tmp_path / "bare", "Newtonsoft.Json.dll", "*.deps.json")
    # In a process of its own: pythonnet gives out, by name, what has been loaded before.
    done = lockstep("--trainer", TRAINER, "--candidate", f"{bare}:OwnTrainer.Options", "--steps", "3")
    assert sentence(done).startswith("the candidate cannot be made: FileNotFoundException: ")
    assert "Newtonsoft.Json" in sentence(done)


def test_two_assemblies_of_one_name(runtime: Runtime, own_assembly: Path, tmp_path: Path) -> None:
    """Each has what lies beside it: the second is not the first again."""
    second = moved(own_assembly, tmp_path)
    types = [clr.find_type(f"{path}:OwnTrainer.Letters") for path in (own_assembly, own_assembly, second)]
    assert types[0] == types[1]
    assert types[0] != types[2]
    assert [str(each.Assembly.Location) for each in types] == [str(own_assembly), str(own_assembly), str(second)]


@pytest.mark.skipif(sys.platform != "linux", reason="takes the C library that this Python has loaded")
@pytest.mark.parametrize(
    "place", ["out", "out/runtimes/linux-x64/native", "packages/own.native/1.0.0/runtimes/linux-x64/native"]
)
def test_native_libraries(own_assembly: Path, tmp_path: Path, place: str) -> None:
    """Beside it, where the deps.json says, or in NuGet's folder."""
    maps = Path("/proc/self/maps").read_text()
    libm = next(line.split()[-1] for line in maps.splitlines() if re.search(r"/libm[.-].*so", line))
    library = moved(own_assembly, tmp_path)
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    shutil.copy(libm, tmp_path / place / "libownmath.so")
    if place != "out":
        file = library.with_suffix(".deps.json")
        description = json.loads(file.read_text())
        [target] = description["targets"].values()
        asset = {"runtimes/linux-x64/native/libownmath.so": {"rid": "linux-x64", "assetType": "native"}}
        target["Own.Native/1.0.0"] = {"runtimeTargets": asset}
        about = {"type": "package", "serviceable": True, "sha512": "", "path": "own.native/1.0.0"}
        description["libraries"]["Own.Native/1.0.0"] = about
        file.write_text(json.dumps(description))
    arguments = ["--trainer", TRAINER, "--candidate", f"{library}:OwnTrainer.Native", "--steps", "2", "--quiet"]
    done = lockstep(*arguments, env={"NUGET_PACKAGES": str(tmp_path / "packages")})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["NumSharp", "NumSharpBridge"])
def test_another_build_beside_it(runtime: Runtime, own_assembly: Path, tmp_path: Path, name: str) -> None:
    library = moved(own_assembly, tmp_path)
    loaded = assemblies.directory() / f"{name}.dll"
    beside = Path(shutil.copy(loaded, library.parent))
    clr.load_assembly(library)  # the same bytes: harmless, and never loaded
    clr.check_single_copies()
    beside.write_bytes(beside.read_bytes() + b"\0")
    with pytest.raises(CotrainError) as caught:
        clr.load_assembly(library)
    assert caught.value.exit_code is ExitCode.UNSUPPORTED
    choose = f", or choose it with --numsharp {beside}" if name == "NumSharp" else ""
    assert str(caught.value) == (
        f"two builds of {name}: {beside}, beside OwnTrainer.dll, and {loaded}, which this process runs: "
        f"remove the first and compile against the second (see docs/own-trainer.md){choose}"
    )


def test_a_project_that_does_not_compile(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(CotrainError, match=r"^there is no project .*Missing\.csproj$"):
        project.build(tmp_path / "Missing.csproj")
    file = tmp_path / "Broken.csproj"
    file.write_text((ROOT / "examples" / "convolution" / "Convolution.csproj").read_text())
    (tmp_path / "Broken.cs").write_text("public class Broken { int x = ; }")
    with pytest.raises(CotrainError) as caught:
        project.build(file)
    assert re.fullmatch(
        r"Broken\.csproj does not compile: Broken\.cs\(1,\d+\): error CS1525: [^;]*';'", str(caught.value)
    )


def test_a_project_without_an_sdk(runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOTNET_ROOT", str(tmp_path))
    with pytest.raises(
        CotrainError, match=r"^Convolution\.csproj has to be compiled, and there is no \.NET SDK"
    ) as caught:
        project.build(ROOT / "examples" / "convolution" / "Convolution.csproj")
    assert caught.value.exit_code is ExitCode.UNSUPPORTED


# -- an order of its own ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "groups", "same"),
    [
        ("abcd", "", True),
        ("acbd", "", False),
        ("acbd", "bc", True),
        ("bacd", "bc", False),
        ("dcba", "abcd", True),
        ("badc", "ab,cd", True),
        ("cdab", "ab,cd", False),
        ("abbd", "bc", False),
        ("accd", "bc", False),
        ("acd", "bc", False),
        ("acb", "bcd", False),
        ("acbdd", "bc", False),
        ("aCbd", "bc", False),
    ],
)
def test_only_a_declared_order(run: Run, order: str, groups: str, same: bool) -> None:
    done = run("--steps", "2", "--option", f"order={order}", "--option", f"groups={groups}", "--json", "-")
    found = report(done)
    assert (done.returncode, found["verdict"]) == ((0, "identical") if same else (1, "diverged"))
    assert bool(found["warnings"]) is (same and order != "abcd")
    if same:
        assert found["taps_compared"] == 8
        return
    structural = found["structural"]
    lists = [[tap["name"] for tap in structural[f"{side}_taps"]] for side in ("reference", "candidate")]
    at = structural["position"]
    assert lists[0] == list("abcd"[at:])
    # All that the candidate handed in from there on, in whatever order.
    assert sorted(lists[1]) == sorted(order.lower()[at:])


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("abbd", "the candidate lacks the tap c; in its place stands b"),
        ("acd", "the candidate lacks the tap b; in its place stands c"),
        ("aCbd", "c has another shape: c: float32[3] in the reference, c: float32[4] in the candidate"),
        ("acbdd", "the candidate has the tap d: float32[3], which the reference lacks"),
        ("dabc", "the taps come in another order: a in the reference, d in the candidate"),
    ],
)
def test_what_is_wrong_with_an_order(run: Run, order: str, reason: str) -> None:
    found = report(run("--steps", "1", "--option", f"order={order}", "--option", "groups=bc", "--json", "-"))
    assert found["structural"]["reason"] == reason


@pytest.mark.parametrize("order", ["abcd", "acbd"])
def test_a_difference_in_a_group(run: Run, order: str) -> None:
    """c reads b: where both differ, c's is inherited, whichever came first."""
    for differs, tap, origin in (("c", "c", True), ("b", "b", True)):
        given = ["--option", f"order={order}", "--option", "groups=bc", "--option", f"differs={differs}"]
        found = report(run("--steps", "3", *given, "--json", "-"))
        [divergence] = found["divergences"]
        assert (divergence["step"], divergence["tap"], divergence["index"]) == (1, tap, [1])
        assert divergence["origin"] is origin


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["groups=ac"], "the taps of the any_order group (a, c) do not come one after another: "
            "b comes between them, before c"),
        (["groups=xy"], "no tap of this run matches 'x' of any_order"),
        (["groups=bc", "undeclared=1"], "tap b may come in any order (any_order), so it has to declare its inputs"),
    ],
)  # fmt: skip
def test_declarations_that_will_not_do(run: Run, given: list[str], message: str) -> None:
    done = run("--steps", "1", *(word for option in given for word in ("--option", option)))
    assert (done.returncode, sentence(done)) == (2, message)


def test_resync_and_flips_in_a_group(run: Run) -> None:
    given = ["--option", "order=acbd", "--option", "groups=bc", "--inject", "2:b:1:3", "--inject", "3:c:0:31"]
    found = report(run("--steps", "5", *given, "--on-diff", "resync", "--json", "-"))
    assert [(each["step"], each["tap"], each["flat_index"]) for each in found["divergences"]] == [
        (2, "b", 1),
        (3, "c", 0),
    ]
    assert np.all([each["origin"] for each in found["divergences"]])
    assert os.environ.get("COTRAIN_ASSEMBLIES") is None
