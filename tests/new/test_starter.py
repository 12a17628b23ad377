"""``python -m cotrain.new``: what it writes builds and passes; what it refuses."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from lockstep.command import ROOT, environment, lockstep, python

from cotrain.clr import Runtime, assemblies, project
from cotrain.errors import CotrainError
from cotrain.new.__main__ import main
from cotrain.new.starter import write_pair


def new(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    return code, *capsys.readouterr()


def test_what_it_writes_passes(runtime: Runtime, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the command line to its own tests, in a folder whose name is not plain."""
    folder = tmp_path / "a b, c é" / "My-Pair"
    code, out, err = new(capsys, str(folder))
    assert (code, err) == (0, "")
    *files, _, command, _ = out.splitlines()
    assert sorted(Path(line.strip()).name for line in files) == sorted(path.name for path in folder.iterdir())
    assert {"my_pair.py", "MyPair.cs", "MyPair.csproj", "test_my_pair.py", "README.md"} <= {
        p.name for p in folder.iterdir()
    }
    done = lockstep(*command.split()[3:], cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "identical: 200 steps, 1,000 taps" in done.stdout
    assert {path.suffix for path in folder.glob("bin/Release/net10.0/*.dll")} == {".dll"}
    assert [path.name for path in folder.glob("bin/Release/net10.0/*.dll")] == ["MyPair.dll"]
    tests = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder)
    assert tests.returncode == 0, tests.stdout
    assert "2 passed" in tests.stdout


@pytest.mark.full
def test_its_test_finds_a_mistake(runtime: Runtime, tmp_path: Path) -> None:
    write_pair(tmp_path, "mistaken")
    source = tmp_path / "Mistaken.cs"
    source.write_text(source.read_text().replace("gradient * _rate", "gradient * (_rate * 1.0000002f)"))
    tests = python("-m", "pytest", "-q", cwd=tmp_path)
    assert tests.returncode == 1
    assert "2 failed" in tests.stdout


@pytest.mark.full
def test_dotnet_build_alone(runtime: Runtime, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The local file says where the assemblies are; without it the build says what makes it."""
    write_pair(tmp_path, "alone")

    def build() -> subprocess.CompletedProcess[str]:
        command = ["dotnet", "build", "-v:q", "-nologo", "--disable-build-servers"]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False)

    assert build().returncode == 0
    (tmp_path / project.LOCAL_FILE).unlink()
    done = build()
    assert done.returncode == 1
    assert "python -m cotrain.assemblies --write ." in done.stdout
    from cotrain.assemblies import main as assemblies_main

    assert assemblies_main(["--write", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / project.LOCAL_FILE}\n"
    assert build().returncode == 0


def test_where_the_assemblies_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from cotrain.assemblies import main as assemblies_main

    assert assemblies_main([]) == 0
    assert capsys.readouterr().out == f"{assemblies.directory()}\n"
    assert assemblies_main(["--write", str(tmp_path / "missing")]) == 2
    assert capsys.readouterr().err.startswith("cotrain: cannot write ")
    folder = assemblies.directory()
    for name in ("Cotrain.props", "NumSharp.xml", "NumSharpBridge.xml", "analyzers/NumSharp.Build.Analyzer.dll"):
        assert (folder / name).is_file(), name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "not made of lower-case letters"),
        ("My_pair", "not made of lower-case letters"),
        ("1st", "not made of lower-case letters"),
        ("a__b", "not made of lower-case letters"),
        ("ä", "not made of lower-case letters"),
        ("../up", "not made of lower-case letters"),
        ("class", "a word of Python's"),
        ("match", "a word of Python's"),
        ("random", "that of a module that Python has already"),
        ("numpy", "that of a module that Python has already"),
        ("shape", "would hide Shape in C#"),
        ("num_sharp", "would hide NumSharp in C#"),
    ],
)
def test_names_that_will_not_do(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(CotrainError, match=re.escape(reason)):
        write_pair(tmp_path / "new", name)
    assert not (tmp_path / "new").exists()


def test_folders_that_will_not_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("kept")
    for arguments, sentence in (
        ([str(tmp_path / "full")], f"{tmp_path / 'full'} is not empty; choose a new folder"),
        ([str(tmp_path / "full" / "file"), "--name", "a"], f"{tmp_path}/full/file is a file; choose a new folder"),
        ([str(tmp_path / "2026")], "no name can be made of the folder '2026' (the name '2026' is not made of "
            "lower-case letters, digits and single _, as in my_layer); give one with --name"),
        ([], "the following arguments are required: DIR (see --help)"),
    ):  # fmt: skip
        assert new(capsys, *arguments) == (2, "", f"cotrain: {sentence}\n")
    assert (tmp_path / "full" / "file").read_text() == "kept"


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    pair = write_pair(tmp_path, "here")
    assert set(pair.files) == {path.name for path in tmp_path.iterdir()}
    text = "".join((tmp_path / file).read_text() for file in pair.files)
    assert "{{" not in text
    assert "jinja" not in text
    assert str(ROOT) not in text.replace((tmp_path / project.LOCAL_FILE).read_text(), "")
    assert sys.executable not in text
