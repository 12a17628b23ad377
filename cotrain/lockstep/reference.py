"""Finds the reference's factory: ``package.module:factory``, or ``path/to/file.py:factory``."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from cotrain.errors import CotrainError
from cotrain.protocol import Trainer

Factory = Callable[[Mapping[str, Any]], Trainer]
_FORM = "MODULE:FACTORY or FILE.py:FACTORY, as in twin.mnist_mlp:create"


def find_factory(specification: str, *, here: bool = True) -> Factory:
    """The factory that a text names; CotrainError, one sentence, when there is no such thing.

    A module is looked for as Python does, and last of all (unless ``here`` is False) in the working directory: a file
    there never takes the place of cotrain's, the standard library's or an installed module, and where it would have
    to, that is an error.
    A path is that very file; what stands beside it (or beside its package) can be imported by it.
    """
    place, separator, name = specification.rpartition(":")
    if not separator or not place or not name.isidentifier():
        raise CotrainError(f"the trainer {specification!r} is not {_FORM}")
    module = _from_file(Path(place)) if place.endswith(".py") else _by_name(place, here)
    factory = getattr(module, name, None)
    if factory is None:
        names = [each for each, value in vars(module).items() if callable(value) and not each.startswith("_")]
        near = get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise CotrainError(f"the trainer's module {place} has no factory {name}{hint}")
    if not callable(factory):
        raise CotrainError(f"{place}:{name} is no factory but {type(factory).__name__}: it cannot be called")
    return factory  # type: ignore[no-any-return]


def make(factory: Factory, options: Mapping[str, Any]) -> Trainer:
    """What the factory makes of the options; CotrainError when it raises."""
    try:
        return factory(options)
    except CotrainError:
        raise
    except Exception as error:
        raise CotrainError(
            f"the reference cannot be made: {type(error).__name__}: {error}{_raised_at(error)}"
        ) from error


def _by_name(name: str, here: bool) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise CotrainError(f"the trainer's module {name!r} is no module name; the form is {_FORM}")
    folder = working_directory() if here else None
    if folder is not None:
        _search(folder)
        _check_not_hidden(name.partition(".")[0], folder)
    return _import(name, name)


def working_directory() -> Path | None:
    """The working directory; None when it was removed."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _from_file(given: Path) -> ModuleType:
    path = given.absolute()
    if not path.is_file():
        raise CotrainError(f"there is no trainer's file {path}")
    root, name = path.parent, path.stem
    while (root / "__init__.py").is_file():
        name = f"{root.name}.{name}"
        root = root.parent
    _search(root)
    if root != path.parent:
        top = name.partition(".")[0]
        _check_not_hidden(top, root)
        return _import(name, str(given))
    return _exec_file(path, name, str(given))


def _search(folder: Path) -> None:
    """Has modules of a folder found, after everything else."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _check_not_hidden(top: str, folder: Path) -> None:
    """CotrainError when a folder has a module that Python would not take, because another of that name comes first."""
    here = next((path for path in (folder / top / "__init__.py", folder / f"{top}.py") if path.is_file()), None)
    if here is None:
        return
    loaded = sys.modules.get(top)
    spec = getattr(loaded, "__spec__", None) if loaded is not None else importlib.util.find_spec(top)
    origin = getattr(spec, "origin", None)
    if origin is not None and (not os.path.exists(origin) or not here.samefile(origin)):
        raise CotrainError(
            f"the trainer's module {top} is {origin} for Python, and not {here}: give yours another name"
        )


def _exec_file(path: Path, name: str, shown: str) -> ModuleType:
    """A single file as a module, under a name of its own when something else has its name; a file is loaded once."""
    own = f"{name}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    for known in (name, own):
        loaded = sys.modules.get(known)
        if loaded is not None and _is_at(path, getattr(loaded, "__file__", None)):
            return loaded
    if (
        not name.isidentifier()
        or name in sys.modules
        or not _is_at(path, getattr(importlib.util.find_spec(name), "origin", None))
    ):
        name = own
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _told(shown):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_at(path: Path, file: str | None) -> bool:
    return file is not None and os.path.exists(file) and path.samefile(file)


def _import(name: str, shown: str) -> ModuleType:
    with _told(shown, name):
        return importlib.import_module(name)


@contextmanager
def _told(shown: str, name: str = "") -> Iterator[None]:
    """Whatever a user's module raises while it is imported, in one sentence."""
    try:
        yield
    except CotrainError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise CotrainError(
                f"the trainer's module {shown} cannot be imported: there is no module {error.name} on Python's path or "
                f"in {working_directory()}; a file can be named too: path/to/file.py:FACTORY"
            ) from error
        raise CotrainError(
            f"the trainer's module {shown} cannot be imported: {type(error).__name__}: {error}{_raised_at(error)}"
        ) from error


def _raised_at(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or "importlib" in trace.tb_frame.f_code.co_filename:
        return ""
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"
