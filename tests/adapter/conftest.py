"""The assembly that nobody prepared, compiled once, and mapping files for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cotrain.clr import assemblies

PROJECT = Path(__file__).parents[1] / "dotnet" / "UnpreparedMlp"

MakeMapping = Callable[..., Path]


@pytest.fixture(scope="session")
def unprepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of UnpreparedMlp.dll, which references NumSharp and nothing of cotrain."""
    out = tmp_path_factory.mktemp("unprepared")
    command = ["dotnet", "build", str(PROJECT), "-c", "Release", "-o", str(out), "-v:q", "--disable-build-servers"]
    command.append(f"-p:CotrainAssemblies={assemblies.require_built()}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return out


@pytest.fixture
def mapping_text() -> str:
    """The complete mapping, which docs/unprepared.md shows."""
    return (PROJECT / "unprepared.toml").read_text()


@pytest.fixture
def mapping(unprepared: Path, mapping_text: str, tmp_path: Path) -> MakeMapping:
    """Writes the mapping beside the assembly, with texts replaced: ``mapping(("numpy", "numsharp"))``."""

    def write(*changes: tuple[str, str]) -> Path:
        text = mapping_text
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        shutil.copy(unprepared / "UnpreparedMlp.dll", tmp_path)
        file = tmp_path / "unprepared.toml"
        file.write_text(text)
        return file

    return write
