"""Compiles a C# project that uses the bridge, so that ``--candidate My.csproj:My.Trainer`` is one command.

The project refers to the assemblies in the MSBuild property ``CotrainAssemblies``, which is passed here (an IDE takes
it from an environment variable of that name): ``<Reference Include="$(CotrainAssemblies)/NumSharp.dll"
Private="false" />``, and the same for ``NumSharpBridge.dll``. ``Private`` keeps second copies out of its output.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from cotrain.clr import assemblies
from cotrain.errors import CotrainError, ExitCode

PROPERTY = "CotrainAssemblies"
_QUIET = ("-nologo", "-tl:off", "-v:quiet", "-clp:NoSummary", "--disable-build-servers")
_ENVIRONMENT = {
    "DOTNET_NOLOGO": "1",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
}
_SHOWN_ERRORS = 3


def is_project(path: str) -> bool:
    """Whether a path names a C# project rather than an assembly."""
    return path.lower().endswith(".csproj")


def build(project: str | os.PathLike[str]) -> Path:
    """Compiles a project in Release and returns the path of its assembly, ``bin/cotrain/NAME.dll`` beside it.

    CotrainError: USAGE, with the compiler's first errors, when it does not compile; UNSUPPORTED without an SDK.
    """
    file = Path(project).absolute()
    if not file.is_file():
        raise CotrainError(f"there is no project {file}")
    dotnet = shutil.which("dotnet") or shutil.which("dotnet", path=os.environ.get("DOTNET_ROOT", ""))
    if dotnet is None:
        raise CotrainError(
            f"{file.name} has to be compiled, and there is no dotnet on PATH: install the .NET 10 SDK, or compile it "
            "elsewhere and name the assembly",
            ExitCode.UNSUPPORTED,
        )
    output = file.parent / "bin" / "cotrain"
    command = [dotnet, "build", str(file), "-c", "Release", "-o", str(output), *_QUIET]
    done = subprocess.run(
        [*command, f"-p:{PROPERTY}={assemblies.require_built()}"],
        env=os.environ | _ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CotrainError(f"{file.name} does not compile: {_errors(done.stdout + done.stderr)}")
    assembly = output / f"{_assembly_name(file)}.dll"
    if not assembly.is_file():
        raise CotrainError(f"{file.name} was compiled, but there is no {assembly}; name the assembly instead")
    return assembly


def _assembly_name(file: Path) -> str:
    """The project's AssemblyName, which is the file's name unless it says otherwise."""
    named = re.search(r"<AssemblyName>\s*([^<$]+?)\s*</AssemblyName>", file.read_text(encoding="utf-8-sig"))
    return named[1] if named else file.stem


def _errors(output: str) -> str:
    """The compiler's first errors, each ``file(line,column): error CODE: text``, without folders."""
    lines = [line for line in map(str.strip, output.splitlines()) if re.search(r"\berror\b", line)]
    short = [re.sub(r"\s*\[[^\]]*\]$", "", re.sub(r"^.*?([^/\\]+\(\d+,\d+\))", r"\1", line)) for line in lines]
    shown = list(dict.fromkeys(short))
    if not shown:
        return (output.strip().splitlines() or ["no reason given"])[-1]
    more = f" and {len(shown) - _SHOWN_ERRORS} more" if len(shown) > _SHOWN_ERRORS else ""
    return "; ".join(shown[:_SHOWN_ERRORS]) + more
