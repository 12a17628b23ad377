"""Where the compiled assemblies are, how they are loaded, and how a type in one is named."""

from __future__ import annotations

import difflib
import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotrain.errors import CotrainError, ExitCode

NUMSHARP = "NumSharp"
BRIDGE = "NumSharpBridge"
BUILD_COMMAND = "dotnet publish dotnet/MnistMlp/MnistMlp.csproj -c Release -o cotrain/clr/_assemblies"

_DIRECTORY_VARIABLE = "COTRAIN_ASSEMBLIES"


@dataclass(frozen=True)
class LoadedAssembly:
    """A .NET assembly that is loaded in this process."""

    path: Path
    version: str
    """The assembly version, ``0.70.0.0``."""
    bundled: bool
    """Whether it is the copy that cotrain was built with."""
    handle: Any
    """The ``System.Reflection.Assembly``."""


def directory() -> Path:
    """The folder of the compiled assemblies; the environment variable COTRAIN_ASSEMBLIES overrides it."""
    override = os.environ.get(_DIRECTORY_VARIABLE)
    return Path(override).absolute() if override else Path(__file__).with_name("_assemblies")


def require_built() -> Path:
    """The folder of the compiled assemblies; CotrainError (UNSUPPORTED) when it lacks one."""
    folder = directory()
    for name in (BRIDGE, NUMSHARP):
        if not (folder / f"{name}.dll").is_file():
            raise CotrainError(
                f"{folder} has no {name}.dll: the .NET side was not built; run scripts/lockstep, or {BUILD_COMMAND}",
                ExitCode.UNSUPPORTED,
            )
    return folder


def namespace(name: str) -> Any:
    """A .NET namespace as a Python module; the runtime must be started."""
    return importlib.import_module(name)


def resolve_numsharp(path: str | os.PathLike[str] | None) -> Path:
    """The absolute path of the NumSharp to load: the user's own, or the bundled one for None."""
    if path is None:
        return require_built() / f"{NUMSHARP}.dll"
    chosen = Path(path).absolute()
    if not chosen.is_file():
        what = "is a directory: name the NumSharp.dll in it" if chosen.is_dir() else "does not exist"
        raise CotrainError(f"the NumSharp to load, {chosen}, {what}")
    return chosen


def load_file(path: Path) -> Any:
    """Loads an assembly into the default load context. Does not look for second copies."""
    system = namespace("System")
    reflection = namespace("System.Reflection")
    try:
        # LoadFrom, not LoadFile: one file is loaded once, into the context where the bridge binds, and the
        # folder of the assembly is searched for what it needs.
        return reflection.Assembly.LoadFrom(str(path))
    except system.BadImageFormatException:
        raise CotrainError(f"{path} is not a .NET assembly") from None
    except system.Exception as exception:
        raise CotrainError(f"{path} cannot be loaded: {exception.Message}") from None


def simple_name(path: Path) -> str:
    """The simple name of the assembly in a file, read without loading it."""
    system = namespace("System")
    reflection = namespace("System.Reflection")
    try:
        return str(reflection.AssemblyName.GetAssemblyName(str(path)).Name)
    except system.BadImageFormatException:
        raise CotrainError(f"{path} is not a .NET assembly") from None
    except system.Exception as exception:
        raise CotrainError(f"{path} cannot be read: {exception.Message}") from None


def host() -> Any:
    """The bridge's class AssemblyHost; the bridge must be loaded."""
    return namespace("Cotrain.Interop").AssemblyHost


def copies(name: str) -> list[Path]:
    """The paths of all loaded assemblies of this simple name, in every load context."""
    return [Path(place) for place in str(host().Copies(name)).splitlines()]


def second_copy(name: str, loaded: Path, other: Path) -> CotrainError:
    """The error for two copies of one assembly in a process."""
    return CotrainError(
        f"two copies of {name} in one process, {loaded} and {other}: arrays of one are unknown to the other, "
        "so only one may be loaded",
        ExitCode.UNSUPPORTED,
    )


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file; links are followed."""
    try:
        return one.samefile(other)
    except OSError:
        return one == other


def find_type(assembly: Any, name: str, shown: str) -> Any:
    """The public type ``name`` of an assembly; CotrainError with near names when it has none."""
    system = namespace("System")
    try:
        found = assembly.GetType(name)
        names = [] if found is not None else [str(each.FullName) for each in assembly.GetExportedTypes()]
    except system.Exception as exception:  # what it is made of is not there
        raise CotrainError(f"the type {name} in {shown} cannot be loaded: {exception.Message}") from None
    if found is not None and found.IsVisible:
        return found
    if found is not None:
        raise CotrainError(f"the type {name} in {shown} is not public")
    raise CotrainError(f"{shown} has no public type {name}{nearest(name, names)}")


def nearest(name: str, names: list[str]) -> str:
    """What to append to an error about an unknown name: the near names, or all when they are few."""
    last = {each.rpartition(".")[2].lower(): each for each in names}
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    same_last = last.get(name.rpartition(".")[2].lower())
    if same_last is not None and same_last not in near:
        near.insert(0, same_last)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    if 0 < len(names) <= 8:
        return f"; it has {', '.join(sorted(names))}"
    return ""
