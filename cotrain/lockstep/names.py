"""The tap names of a run: ids shared with the candidate, declarations, and where the reference taps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from cotrain.protocol import Tap


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A place in one side's program."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class TapInfo:
    """What the reference declares of a tap, and the line that yields it."""

    id: int
    name: str
    op: str
    inputs: tuple[str, ...] | None
    occasional: bool
    source: SourceLine | None


class TapNames:
    """Ids and declarations by name, filled as the reference first yields each tap."""

    def __init__(self, define: Callable[[str], int]) -> None:
        self._define = define
        self._by_name: dict[str, TapInfo] = {}
        self._by_id: list[TapInfo] = []

    def info(self, tap: Tap, origin: Iterable[Tap]) -> TapInfo:
        """The entry of a tap; made at its first sight, while ``origin`` still stands at its yield."""
        found = self._by_name.get(tap.name)
        if found is None:
            found = TapInfo(self._define(tap.name), tap.name, tap.op, tap.inputs, tap.occasional, _yield_line(origin))
            self._by_name[tap.name] = found
            self._by_id.append(found)
        return found

    def __getitem__(self, key: str | int) -> TapInfo:
        return self._by_name[key] if isinstance(key, str) else self._by_id[key]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)


def _yield_line(origin: Iterable[Any]) -> SourceLine | None:
    """The line at which a suspended generator stands, following ``yield from`` to the innermost one."""
    frame: FrameType | None = None
    generator: Any = origin
    while generator is not None:
        frame = getattr(generator, "gi_frame", None) or frame
        generator = getattr(generator, "gi_yieldfrom", None)
    if frame is None:
        return None
    return SourceLine(display_path(frame.f_code.co_filename), frame.f_lineno)


def display_path(file: str) -> str:
    """A source path as a report names it: relative to the tree that ships it, where that is known.

    C# files come as ``/_/dotnet/…`` (the build maps the checkout to ``/_/``); Python files of a checkout
    or an installed package lose what stands before the top-level package.
    """
    normal = file.replace("\\", "/")
    if normal.startswith("/_/"):
        return normal[3:]
    path = Path(file)
    package = path.parent
    while (package / "__init__.py").is_file():
        package = package.parent
    try:
        return path.relative_to(package).as_posix()
    except ValueError:
        return path.name
