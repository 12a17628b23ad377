"""Compiles a C# project of the user's against the assemblies that cotrain runs with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from cotrain.clr import assemblies
from cotrain.errors import CotrainError, ExitCode

PROPERTY = "COTRAIN_ASSEMBLIES"
"""The MSBuild property (or environment variable) by which a project finds ``Cotrain.props``."""
LOCAL_FILE = "cotrain.local.props"
"""A file beside a project that sets it, for an IDE: ``python -m cotrain.assemblies --write DIR`` makes it."""

_QUIET = ("-nologo", "-tl:off", "-v:quiet", "-clp:NoSummary", "--disable-build-servers", "-nodeReuse:false")


def is_project(path: str) -> bool:
    """Whether a candidate's file is a project and not an assembly."""
    return path.lower().endswith(".csproj")


def build(project: str | os.PathLike[str], *properties: str) -> Path:
    """Compiles a project (Release) and returns the path of its assembly. ``properties`` are ``NAME=VALUE``.

    What is up to date is not compiled again, but MSBuild needs two seconds to see that. CotrainError: UNSUPPORTED
    without an SDK, USAGE with the compiler's first messages.
    """
    path = Path(project).absolute()
    if not path.is_file():
        raise CotrainError(f"there is no project {path}")
    folder = assemblies.require_built()
    dotnet = shutil.which("dotnet") or shutil.which("dotnet", path=os.environ.get("DOTNET_ROOT", ""))
    if dotnet is None:
        raise _no_sdk(path)
    command = [dotnet, "build", str(path), "-c", "Release", f"-p:{PROPERTY}={_literal(str(folder))}", *_QUIET]
    command += ["-t:Build", "-getProperty:TargetPath", *(f"-p:{each}" for each in properties)]
    environment = {
        **os.environ,
        "DOTNET_NOLOGO": "1",
        "DOTNET_CLI_UI_LANGUAGE": "en",
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    }
    # In a session of its own: a Ctrl-C is for cotrain, which ends when the compiler has.
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
        start_new_session=True,
    )
    if "No .NET SDKs were found" in done.stdout + done.stderr:
        raise _no_sdk(path)
    assembly = Path(done.stdout.strip().rpartition("\n")[2])
    if done.returncode != 0 or not assembly.is_file():
        raise CotrainError(f"{path.name} does not compile: {_errors(done.stdout + done.stderr, path.parent)}")
    return assembly


def _no_sdk(path: Path) -> CotrainError:
    return CotrainError(
        f"{path.name} has to be compiled, and there is no .NET SDK on PATH: install the .NET 10 SDK, or name a "
        "compiled DLL:TYPE",
        ExitCode.UNSUPPORTED,
    )


def local_props() -> str:
    """The content of :data:`LOCAL_FILE`."""
    folder = _escaped(_literal(str(assemblies.require_built())))
    return (
        "<!-- Where the assemblies of cotrain are on this machine; made by python -m cotrain.assemblies. -->\n"
        "<Project>\n"
        "  <PropertyGroup>\n"
        f"    <{PROPERTY} Condition=\"'$({PROPERTY})' == ''\">{folder}</{PROPERTY}>\n"
        "  </PropertyGroup>\n"
        "</Project>\n"
    )


def _errors(text: str, folder: Path) -> str:
    """The first few errors of a build, shortened; all of the output when there is none."""
    found = [line.strip() for line in text.splitlines() if re.search(r"\berror\b", line)]
    lines = [re.sub(r" \[[^\[\]]*proj(::\S+)?\]$", "", line).replace(f"{folder}{os.sep}", "") for line in found]
    lines = list(dict.fromkeys(lines))
    more = f" (and {len(lines) - 3} more)" if len(lines) > 3 else ""
    return "; ".join(lines[:3]) + more if lines else text.strip()


def _literal(text: str) -> str:
    """A property's value in which MSBuild sees no list and no escape."""
    for sign in "%;,":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def _escaped(text: str) -> str:
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    return text
