"""Names and files of a new pair."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from cotrain.clr import project
from cotrain.errors import CotrainError

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# What the C# file uses under its simple name: a namespace of that name would hide it.
_TAKEN = ("Cotrain", "NumSharp", "System", "Trainer", "Shape", "Single", "Math", "Double", "String", "Random")
_FILES = {
    "trainer.py.jinja": "{module}.py",
    "Trainer.cs.jinja": "{type}.cs",
    "project.csproj.jinja": "{type}.csproj",
    "test_trainer.py.jinja": "test_{module}.py",
    "README.md.jinja": "README.md",
    "gitignore.jinja": ".gitignore",
}


@dataclass(frozen=True)
class NewPair:
    """What was written."""

    files: tuple[str, ...]
    """Names in the folder."""
    command: str
    """The command that runs the pair, in the folder."""


def write_pair(folder: Path, name: str | None = None) -> NewPair:
    """Writes a pair that builds and passes into a new or empty folder.

    ``name`` (None: made from the folder's) is the Python module's; the C# namespace is the same in capitals.
    CotrainError, one sentence, for a folder that is not empty or a name that will not do.
    """
    module = _name_of(folder) if name is None else _checked(name)
    type_name = _type_name(module)
    local = project.local_props()  # before anything is written: the C# side has to be there
    _make(folder)
    names = {"module": module, "type": type_name}
    command = (
        f"python -m cotrain.lockstep --trainer {module}.py:create --candidate {type_name}.csproj:{type_name}.Trainer "
        "--steps 200"
    )
    written = {
        file.format(**names): _render(template, names | {"command": command}) for template, file in _FILES.items()
    }
    written[project.LOCAL_FILE] = local
    for file, text in written.items():
        try:
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise CotrainError(f"cannot write {folder / file}: {error.strerror}") from None
    return NewPair(tuple(written), command)


def _render(template: str, values: dict[str, str]) -> str:
    try:
        import jinja2
    except ModuleNotFoundError:
        raise CotrainError("cotrain.new needs the Python package jinja2; scripts/lockstep and pip install it") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cotrain.new"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # no HTML
    )
    return environment.get_template(template).render(values)


def _name_of(folder: Path) -> str:
    made = re.sub(r"[^a-z0-9]+", "_", folder.absolute().name.lower()).strip("_")
    try:
        return _checked(made)
    except CotrainError as error:
        raise CotrainError(
            f"no name can be made of the folder {folder.name!r} ({error}); give one with --name"
        ) from None


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise CotrainError(f"the name {name!r} is not made of lower-case letters, digits and single _, as in my_layer")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise CotrainError(f"the name {name!r} is a word of Python's; choose another")
    if name in sys.stdlib_module_names or getattr(importlib.util.find_spec(name), "origin", None) is not None:
        raise CotrainError(f"the name {name!r} is that of a module that Python has already; choose another")
    if _type_name(name) in _TAKEN:
        raise CotrainError(f"the name {name!r} would hide {_type_name(name)} in C#; choose another")
    return name


def _type_name(module: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in module.split("_"))


def _make(folder: Path) -> None:
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise CotrainError(f"{folder} is not empty; choose a new folder")
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise CotrainError(f"{folder} is a file; choose a new folder") from None
    except OSError as error:
        raise CotrainError(f"cannot make the folder {folder}: {error.strerror}") from None
