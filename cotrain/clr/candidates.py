"""Loads an assembly that the user brings: what its file says of itself is checked before anything of it runs."""

from __future__ import annotations

import filecmp
from pathlib import Path
from typing import Any

from cotrain.clr import assemblies
from cotrain.clr.assemblies import BRIDGE, NUMSHARP, LoadedAssembly
from cotrain.errors import CotrainError, ExitCode

_CORE = "System.Runtime"


def load(path: Path, numsharp: LoadedAssembly, bridge: LoadedAssembly) -> Any:
    """The ``System.Reflection.Assembly`` of a file; its dependencies are those that its deps.json names.

    CotrainError, one sentence, when it is no .NET assembly, was compiled for another processor, another .NET or
    against another bridge or NumSharp, or (UNSUPPORTED) when another build of one of the two lies beside it.
    """
    facts = _read(path)
    _check_architecture(path, str(facts.Architecture))
    references = dict(str(reference).rsplit(" ", 1) for reference in facts.References)
    _check_framework(path, references.get(_CORE, "0.0"))
    # The files first: where another build lies beside the assembly, that is what it was compiled against.
    _check_beside(path, NUMSHARP, numsharp)
    _check_beside(path, BRIDGE, bridge)
    _check_references(path, references, numsharp, bridge)
    system = assemblies.namespace("System")
    try:
        return assemblies.host().LoadCandidate(str(path), numsharp.handle)
    except system.Exception as exception:
        raise CotrainError(f"{path} cannot be loaded: {exception.Message}") from None


def _read(path: Path) -> Any:
    system = assemblies.namespace("System")
    try:
        return assemblies.namespace("Cotrain.Interop").AssemblyFacts.Read(str(path))
    except system.BadImageFormatException:
        raise CotrainError(f"{path} is not a .NET assembly") from None
    except system.Exception as exception:
        raise CotrainError(f"{path} cannot be read: {exception.Message}") from None


def _check_architecture(path: Path, compiled_for: str) -> None:
    own = str(assemblies.host().Architecture())
    if compiled_for not in ("any", own):
        raise CotrainError(
            f"{path} was compiled for {compiled_for}, and this process is {own}: compile it for AnyCPU (the default)"
        )


def _check_framework(path: Path, core: str) -> None:
    wanted = tuple(int(part) for part in core.split(".")[:2])
    running = str(assemblies.host().RuntimeVersion())
    if wanted > tuple(int(part) for part in running.split(".")[:2]):
        raise CotrainError(
            f"{path} was compiled for .NET {wanted[0]}.{wanted[1]}, and this process runs .NET {running}: "
            "set TargetFramework to net10.0"
        )


def _check_beside(path: Path, name: str, loaded: LoadedAssembly) -> None:
    other = path.with_name(f"{name}.dll")
    if not other.is_file() or assemblies.same_file(other, loaded.path):
        return
    # The same bytes elsewhere do no harm: it is never loaded.
    if not filecmp.cmp(other, loaded.path, shallow=False):
        choose = f", or choose it with --numsharp {other}" if name == NUMSHARP and loaded.bundled else ""
        raise CotrainError(
            f"two builds of {name}: {other}, beside {path.name}, and {loaded.path}, which this process runs: "
            f"remove the first and compile against the second (see docs/own-trainer.md){choose}",
            ExitCode.UNSUPPORTED,
        )


def _check_references(path: Path, references: dict[str, str], numsharp: LoadedAssembly, bridge: LoadedAssembly) -> None:
    again = "compile it again (see docs/own-trainer.md)"
    wanted = references.get(BRIDGE)
    if wanted is not None and _protocol(wanted) != _protocol(bridge.version):
        raise CotrainError(
            f"{path} was compiled against version {wanted} of {BRIDGE}, and {bridge.path} is {bridge.version}: {again}"
        )
    wanted = references.get(NUMSHARP)
    if wanted is not None and wanted != numsharp.version and numsharp.bundled:
        raise CotrainError(
            f"{path} was compiled against NumSharp {wanted}, and {numsharp.path} is {numsharp.version}: "
            f"{again}, or choose a NumSharp.dll of that version with --numsharp"
        )


def _protocol(version: str) -> list[str]:
    return version.split(".")[:2]
