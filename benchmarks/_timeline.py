"""Runs ``python -m cotrain.lockstep`` with a clock at its joints; ``startup.py`` starts it as a process.

    python _timeline.py FILE [lockstep arguments]

Imports only what the command imports anyway, so that the times are the command's. Each moment counts once,
for the innermost joint that it lies in. FILE gets JSON: ``spans`` (seconds by name, up to the first compared
step), ``missing`` (joints that this cotrain does not have) and ``marks`` (moments, in seconds of the system's
monotonic clock).
"""

import atexit
import sys
from time import monotonic

marks = {"python runs": monotonic()}

import importlib.machinery  # noqa: E402
from collections.abc import Callable  # noqa: E402
from threading import get_ident  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import Any  # noqa: E402

IMPORTS = {
    "numpy": "import numpy",
    "rich": "import rich",
    "threadpoolctl": "import threadpoolctl",
    "clr_loader": "import pythonnet",
    "pythonnet": "import pythonnet",
    "cotrain": "cotrain's and twin's own modules",
    "twin": "cotrain's and twin's own modules",
}
"""Top packages whose import, all that they import included, is a joint."""

CALLS = {
    "clr_loader.hostfxr:DotnetCoreRuntime.__init__": ["hostfxr: find and configure the runtime"],
    "clr_loader.hostfxr:DotnetCoreRuntime._get_load_func": ["CoreCLR starts"],
    "pythonnet:load": ["pythonnet's own start in .NET"],
    "cotrain.clr.assemblies:load_file": ["load NumSharp, bridge and trainer assemblies"],
    "cotrain.clr.runtime:start": ["first use of .NET through pythonnet"],
    "cotrain.clr.runtime:find_type": ["first use of .NET through pythonnet"],
    "cotrain.lockstep.session:CandidateSession.__init__": ["first use of .NET through pythonnet"],
    "cotrain.lockstep.session:CandidateSession.create": ["first use of .NET through pythonnet"],
    "cotrain.lockstep.session:CandidateSession.define": ["tap names"],
    "cotrain.clr.exports:bind": ["native entry points"],
    "cotrain.preflight:before_start": ["checks before the start"],
    "cotrain.preflight:warnings": ["checks after the start"],
    "cotrain.pins:collect": ["pins (hashes, features)"],
    "cotrain.gemm:backend": ["find OpenBLAS and hand it to NumSharp"],
    "cotrain.gemm:_use_openblas": ["find OpenBLAS and hand it to NumSharp"],
    "twin.mnist_mlp:create": ["NumPy's trainer and data, NumSharp's meanwhile"],
    "cotrain.lockstep.session:CandidateSession.collect": [
        "wait for NumSharp's trainer and data",
        "compare the initial taps",
        "first C# step, compared",
    ],
    "cotrain.lockstep.driver:Lockstep._publish": ["publish the initial taps", "first NumPy step"],
    "cotrain.report.terminal:Terminal.started": ["print the pins"],
}
"""Functions that are joints; with several names, one per call."""

STANDARD = "import the standard library"
REST = "Python between the joints"


class Clock:
    """Adds up the time of the innermost open span on one thread."""

    def __init__(self) -> None:
        self.spans: dict[str, float] = {}
        self.missing: list[str] = []
        self._open = [REST]
        self._last = marks["python runs"]
        self._thread = get_ident()
        self._stopped = False

    def push(self, name: str) -> bool:
        """Opens a span; False on other threads and after the end."""
        if self._stopped or get_ident() != self._thread:
            return False
        if name == STANDARD and self._open[-1] in IMPORTS.values():
            return False  # part of what another package's import costs
        self._lap()
        self._open.append(name)
        return True

    def pop(self) -> None:
        """Closes the innermost span."""
        if not self._stopped:
            self._lap()
            self._open.pop()

    def stop(self) -> None:
        """Ends the account; what is open counts up to now."""
        if not self._stopped:
            self._lap()
            self._stopped = True

    def _lap(self) -> None:
        now = monotonic()
        self.spans[self._open[-1]] = self.spans.get(self._open[-1], 0.0) + now - self._last
        self._last = now


clock = Clock()


class Finder:
    """A finder that has another find each module, and puts clocks around and into it."""

    def __init__(self) -> None:
        self._busy = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The module's own spec, its execution clocked."""
        if self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        finally:
            self._busy = False
        loader = getattr(spec, "loader", None)
        if loader is not None and hasattr(loader, "exec_module"):
            top = name.partition(".")[0]
            label = IMPORTS.get(top) or (STANDARD if top in sys.stdlib_module_names else None)
            plain = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                opened = label is not None and clock.push(label)
                try:
                    plain(module)
                finally:
                    if opened:
                        clock.pop()
                for place, names in CALLS.items():
                    if place.partition(":")[0] == name:
                        _wrap(module, place, names)
                _mark(module, name)

            loader.exec_module = exec_module
        return spec


def _wrap(module: ModuleType, place: str, names: list[str]) -> None:
    """Puts a span around a function of a module."""
    *owners, attribute = place.partition(":")[2].split(".")
    owner: Any = module
    for part in owners:
        owner = getattr(owner, part, None)
    plain = getattr(owner, attribute, None)
    if plain is None:
        clock.missing.append(place)
        return
    remaining = list(names)

    def clocked(*positional: Any, **named: Any) -> Any:
        opened = clock.push(remaining.pop(0) if len(remaining) > 1 else remaining[0])
        try:
            return plain(*positional, **named)
        finally:
            if opened:
                clock.pop()

    setattr(owner, attribute, clocked)


def _mark(module: ModuleType, name: str) -> None:
    """Notes the moments that are no spans."""
    if name == "cotrain.report.terminal":
        _after(module.Terminal, "finished", lambda: marks.__setitem__("last line", monotonic()))
        _after(module.Terminal, "stepped", _first_step)
    elif name == "cotrain.lockstep.pair":
        _after(module.Pair, "close", lambda: marks.__setitem__("pair closed", monotonic()))


def _after(owner: Any, attribute: str, then: Callable[[], None]) -> None:
    plain = getattr(owner, attribute)

    def called(*positional: Any, **named: Any) -> Any:
        result = plain(*positional, **named)
        then()
        return result

    setattr(owner, attribute, called)


def _first_step() -> None:
    marks.setdefault("first compared step", monotonic())
    clock.stop()


def _write(path: str) -> None:
    marks["handlers at exit are done"] = monotonic()
    import json

    with open(path, "w", encoding="utf-8") as file:
        json.dump({"spans": clock.spans, "missing": clock.missing, "marks": marks}, file)


if __name__ == "__main__":
    # Registered first, so called last.
    atexit.register(_write, sys.argv[1])
    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
    from cotrain.lockstep.__main__ import main

    code = main(sys.argv[2:])
    marks["main returns"] = monotonic()
    sys.exit(code)
