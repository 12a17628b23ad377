"""The factory of a reference trainer, by name: a module on the path, or a file."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from cotrain.errors import CotrainError
from cotrain.lockstep.selection import near_names
from cotrain.protocol import Trainer

Factory = Callable[[Mapping[str, Any]], Trainer]


def load(reference: str | Factory) -> Factory:
    """The factory that ``package.module:factory`` or ``folder/file.py:factory`` names; a factory is itself.

    A module is looked for on Python's path and then in the current folder; what a file imports, then in its own
    folder. Both come last, so that nothing there takes the place of an installed module. CotrainError when it cannot
    be imported or has no such factory.
    """
    if not isinstance(reference, str):
        return reference
    place, separator, attribute = reference.rpartition(":")
    if not separator or not place or not attribute:
        raise CotrainError(f"{reference!r} is not MODULE:FACTORY or FILE.py:FACTORY, as in twin.mnist_mlp:create")
    module = _from_file(Path(place)) if place.endswith(".py") else _from_path(place)
    factory = getattr(module, attribute, None)
    if callable(factory):
        return factory  # type: ignore[no-any-return]
    if factory is not None:
        raise CotrainError(f"{attribute} in {place} is a {type(factory).__name__}, not a function or class")
    known = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
    raise CotrainError(f"{place} has no factory {attribute}; {near_names(attribute, known)}")


def _from_path(name: str) -> ModuleType:
    _append(os.getcwd())
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise _failed(name, error) from error


def _from_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise CotrainError(f"there is no file {file.absolute()} with the trainer")
    name = file.stem
    _append(str(file.absolute().parent))
    spec = importlib.util.spec_from_file_location(name, file.absolute())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Registered as an import would: dataclasses and pickles look a class's module up. Nothing known is replaced.
    sys.modules.setdefault(name, module)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        if sys.modules.get(name) is module:
            del sys.modules[name]
        raise _failed(str(file), error) from error
    return module


def _append(folder: str) -> None:
    if folder not in sys.path:
        sys.path.append(folder)


def _failed(name: str, error: Exception) -> CotrainError:
    return CotrainError(f"the trainer's module {name} cannot be imported: {type(error).__name__}: {error}")
