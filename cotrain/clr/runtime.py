"""Starts .NET in this process, once, and loads NumSharp and the bridge into it."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotrain import interpreter
from cotrain.clr import assemblies, candidates, dotnet, signals
from cotrain.clr.assemblies import BRIDGE, NUMSHARP, LoadedAssembly
from cotrain.errors import CotrainError, ExitCode

_LOCK = threading.RLock()
_runtime: Runtime | None = None


@dataclass(frozen=True)
class Runtime:
    """The .NET runtime of this process. There is at most one, and it lasts as long as the process."""

    version: str
    """``10.0.12``"""
    numsharp: LoadedAssembly
    bridge: LoadedAssembly


def start(numsharp: str | os.PathLike[str] | None = None) -> Runtime:
    """Starts CoreCLR and loads NumSharp and the bridge; does nothing when that has been done.

    ``numsharp`` is the path of the user's own NumSharp.dll; None means the bundled one, or, in a process
    that runs already, the one that is loaded. A runtime that pythonnet has already started is used.
    SIGINT and SIGTERM keep their handlers.

    Raises CotrainError: USAGE for a bad path, UNSUPPORTED when .NET or the compiled assemblies are missing,
    or when another copy of NumSharp or of the bridge is loaded.
    """
    global _runtime
    with _LOCK:
        if _runtime is None:
            interpreter.require_main()
            interpreter.require_not_forked()
            _runtime = _start(numsharp)
            interpreter.in_forked_child(_forget)
        elif numsharp is not None:
            wanted = assemblies.resolve_numsharp(numsharp)
            if not assemblies.same_file(wanted, _runtime.numsharp.path):
                raise assemblies.second_copy(NUMSHARP, _runtime.numsharp.path, wanted)
        return _runtime


def current() -> Runtime | None:
    """The runtime when :func:`start` has started it, else None."""
    return _runtime


def is_foreign() -> bool:
    """Whether somebody else has chosen, and perhaps started, a .NET runtime through pythonnet."""
    pythonnet = sys.modules.get("pythonnet")
    return _runtime is None and pythonnet is not None and pythonnet.get_runtime_info() is not None


def load_assembly(path: str | os.PathLike[str]) -> Any:
    """Loads a .NET assembly and returns its ``System.Reflection.Assembly``.

    A relative path is looked for in the working directory, then among the compiled assemblies. What it depends on
    is found by its deps.json, apart from other assemblies' dependencies. CotrainError: USAGE when it cannot be
    loaded, UNSUPPORTED when it is, brings in, or has beside it, a second NumSharp or bridge.
    """
    runtime = start()
    given = Path(path)
    beside = assemblies.directory() / given
    chosen = (beside if not given.is_file() and beside.is_file() else given).absolute()
    if not chosen.is_file():
        at = f" (nor is it in {beside.parent})" if not given.is_absolute() else ""
        raise CotrainError(f"there is no assembly {chosen}{at}")
    name = assemblies.simple_name(chosen)
    for loaded in (runtime.numsharp, runtime.bridge):
        if name.lower() == loaded.path.stem.lower():
            if not assemblies.same_file(chosen, loaded.path):
                raise assemblies.second_copy(name, loaded.path, chosen)
            return loaded.handle
    if assemblies.same_file(chosen.parent, assemblies.directory()):
        handle = assemblies.load_file(chosen)  # ours, compiled together with what it needs
    else:
        handle = candidates.load(chosen, runtime.numsharp, runtime.bridge)
    check_single_copies()
    return handle


def find_type(specification: str) -> Any:
    """The ``System.Type`` that ``"MnistMlp.dll:MnistMlp.MlpTrainer"`` names; loads the assembly.

    CotrainError (USAGE), with near names, when there is no such assembly or public type.
    """
    path, separator, name = specification.rpartition(":")
    if not separator or not path or not name or "/" in name or "\\" in name:
        raise CotrainError(f"{specification!r} is not DLL:TYPE, as in MnistMlp.dll:MnistMlp.MlpTrainer")
    return assemblies.find_type(load_assembly(path), name, Path(path).name)


def check_single_copies() -> None:
    """CotrainError (UNSUPPORTED), with both paths, when NumSharp or the bridge is loaded twice."""
    runtime = start()
    for loaded in (runtime.numsharp, runtime.bridge):
        _check_copies(loaded.path.stem, loaded.path)


def _forget() -> None:
    global _runtime
    _runtime = None


def _check_copies(name: str, path: Path) -> None:
    for copy in assemblies.copies(name):
        if not assemblies.same_file(copy, path):
            raise assemblies.second_copy(name, path, copy)


def _start(numsharp: str | os.PathLike[str] | None) -> Runtime:
    bridge_path = assemblies.require_built() / f"{BRIDGE}.dll"
    numsharp_path = assemblies.resolve_numsharp(numsharp)
    with signals.kept():
        _start_coreclr()
    if numsharp is not None:
        _check_name(numsharp_path)
    # First NumSharp, then what binds to it. When one is loaded already this returns that one.
    numsharp_handle = assemblies.load_file(numsharp_path)
    with _bound_to(numsharp_handle) if numsharp is not None else nullcontext():
        bridge_handle = assemblies.load_file(bridge_path)
        host = assemblies.host()
        host.BindNumSharp(numsharp_handle)
    _check_copies(NUMSHARP, numsharp_path)
    _check_copies(BRIDGE, bridge_path)
    return Runtime(
        str(host.RuntimeVersion()),
        LoadedAssembly(numsharp_path, str(host.Version(numsharp_handle)), numsharp is None, numsharp_handle),
        LoadedAssembly(bridge_path, str(host.Version(bridge_handle)), True, bridge_handle),
    )


def _start_coreclr() -> None:
    pythonnet = importlib.import_module("pythonnet")
    info = pythonnet.get_runtime_info()
    if info is not None:
        _use_foreign(pythonnet, str(info.kind))
        return
    installation = dotnet.find()
    clr_loader = importlib.import_module("clr_loader")
    config = Path(__file__).with_name("runtimeconfig.json")
    try:
        pythonnet.load(clr_loader.get_coreclr(runtime_config=config, dotnet_root=installation.root))
    except Exception as exception:
        raise CotrainError(
            f"the .NET runtime {installation.version} in {installation.root} does not start: {exception}",
            ExitCode.UNSUPPORTED,
        ) from exception
    # pythonnet's own shutdown takes over a second and frees what the end of the process frees anyway.
    atexit.unregister(pythonnet.unload)


def _use_foreign(pythonnet: Any, kind: str) -> None:
    """Takes the runtime that somebody else has chosen, and perhaps not loaded yet."""
    if kind != "CoreCLR":
        raise CotrainError(
            f"this process already runs {kind} through pythonnet, and NumSharp needs CoreCLR: call "
            "cotrain.clr.start() before anything else imports clr, or set PYTHONNET_RUNTIME=coreclr",
            ExitCode.UNSUPPORTED,
        )
    pythonnet.load()
    version = str(assemblies.namespace("System").Environment.Version)
    if tuple(int(part) for part in version.split(".")[:2]) < dotnet.REQUIRED:
        raise CotrainError(
            f"this process already runs .NET {version}, and cotrain needs .NET 10: start it in a new process",
            ExitCode.UNSUPPORTED,
        )


def _check_name(path: Path) -> None:
    found = assemblies.simple_name(path)
    if found != NUMSHARP:
        raise CotrainError(f"{path} is the assembly {found}, not {NUMSHARP}")


@contextmanager
def _bound_to(numsharp: Any) -> Iterator[None]:
    """Inside the block references to NumSharp of whatever version are bound to this one.

    For the time while the bridge is being loaded and none of it can run; from then on its own handler
    does this.
    """
    context = assemblies.namespace("System.Runtime.Loader").AssemblyLoadContext.Default

    def resolve(_: Any, wanted: Any) -> Any:
        return numsharp if wanted.Name == NUMSHARP else None

    context.Resolving += resolve
    try:
        yield
    finally:
        context.Resolving -= resolve
