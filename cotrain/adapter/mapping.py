"""The mapping file: what the user says of an assembly that has no taps. ``docs/unprepared.md`` describes it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping as Table
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path as File
from typing import Any

from cotrain.adapter.expressions import Call, Constant, Path, parse_call, parse_path
from cotrain.adapter.places import Places, Spot
from cotrain.adapter.tables import Reader
from cotrain.errors import CotrainError

RESERVED = ("step", "iteration", "result")
"""Names that the calls know without being told."""


@dataclass(frozen=True, slots=True)
class MappedObject:
    """``[objects.NAME]``: an object of the assembly, made before step 0."""

    name: str
    type: str
    arguments: tuple[Path | Constant, ...]
    at: Spot


@dataclass(frozen=True, slots=True)
class Feed:
    """``[feed]``: an array of the reference that calls get."""

    name: str
    tap: str
    """The reference's tap: of before step 0, or of the step."""
    batches: bool
    """Whether a step gets its batch of rows of an array of before step 0, or all of it."""
    one_hot: int | None
    """The number of columns into which labels are spread, as float32."""
    at: Spot


@dataclass(frozen=True, slots=True)
class Parameter:
    """``[parameters]``: a trained array, set from the reference's bytes before step 0."""

    name: str
    """Its name in the reference's state."""
    path: Path
    initial: str
    """The reference's tap of before step 0 that shows it."""
    at: Spot


@dataclass(frozen=True, slots=True)
class MappedTap:
    """A tap that is read after a call."""

    name: str
    path: Path
    of: str
    """The reference's tap that it is compared with."""
    negate: bool
    """Whether the reference's value is negated for it, which is exact."""
    call: str
    """The call after which it is read, as written."""
    at: Spot


@dataclass(frozen=True, slots=True)
class MappedCall:
    """``[[calls]]``: a call of each step, or only taps."""

    call: Call | None
    result: str | None
    taps: tuple[MappedTap, ...]
    at: Spot


@dataclass(frozen=True)
class Mapping:
    """A mapping file, checked as far as that goes without the assembly and the reference."""

    file: File
    assembly: File
    objects: tuple[MappedObject, ...]
    feeds: tuple[Feed, ...]
    parameters: tuple[Parameter, ...]
    calls: tuple[MappedCall, ...]

    @property
    def taps(self) -> list[MappedTap]:
        """All taps of a step, in order."""
        return [tap for call in self.calls for tap in call.taps]


def read(file: File) -> Mapping:
    """CotrainError, one sentence with the line and the key, for a file that cannot be read or is no mapping."""
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        raise CotrainError(f"{file} is no text in UTF-8") from None
    except OSError as error:
        raise CotrainError(f"the mapping {file} cannot be read: {error.strerror}") from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CotrainError(f"{file.name} is no TOML: {error}") from None
    return _Content(file, Places(file.name, text), content).mapping()


class _Content:
    """Turns the tables of one file into a mapping."""

    def __init__(self, file: File, places: Places, content: Table[str, Any]) -> None:
        self._file = file
        self._places = places
        self._top = Reader(content, lambda key: places.top(key))
        self._names = set(RESERVED)

    def mapping(self) -> Mapping:
        assembly = self._file.parent / self._top.text("assembly")
        objects = self._objects()
        feeds = tuple(self._feed(name, self._top.table("feed")) for name in self._top.table("feed").names())
        initial = self._top.table("parameters")
        parameters = tuple(self._parameter(name, initial) for name in initial.names())
        calls = tuple(self._call(number, table) for number, table in enumerate(self._top.tables("calls"), 1))
        self._top.end()
        mapping = Mapping(self._file, assembly, objects, feeds, parameters, calls)
        self._check(mapping)
        return mapping

    def _objects(self) -> tuple[MappedObject, ...]:
        found = []
        for name in self._top.table("objects").names():
            at = self._places.table(f"objects.{name}")
            self._name(name, at)
            table = self._top.table("objects").table(name, partial(self._at_object, name))
            arguments = tuple(
                self._argument(each, self._at_object(name, "arguments")) for each in table.items("arguments")
            )
            found.append(MappedObject(name, table.text("type"), arguments, at))
            table.end()
        return tuple(found)

    def _at_object(self, name: str, key: str) -> Spot:
        return self._places.table(f"objects.{name}", key)

    def _argument(self, value: Any, at: Spot) -> Path | Constant:
        if isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, dict) and value.keys() == {"object"} and isinstance(value["object"], str):
            return parse_path(value["object"], at)
        raise CotrainError(
            f'{at.text}: an argument is a number, a text, true, false or {{ object = "NAME" }}, not {value!r}'
        )

    def _feed(self, name: str, section: Reader) -> Feed:
        at = self._places.table("feed", name)
        self._name(name, at)
        table = section.text_or_table(name, "tap", lambda key: self._places.table("feed", name))
        feed = Feed(name, table.text("tap"), not table.flag("whole"), table.number("one_hot"), at)
        table.end()
        return feed

    def _parameter(self, name: str, section: Reader) -> Parameter:
        at = self._places.table("parameters", name)
        table = section.text_or_table(name, "member", lambda key: self._places.table("parameters", name))
        path = parse_path(table.text("member"), at)
        parameter = Parameter(name, path, table.text("initial", f"init.{name}"), at)
        table.end()
        return parameter

    def _call(self, number: int, content: Table[str, Any]) -> MappedCall:
        at = self._places.element("calls", number)
        table = Reader(content, lambda key: self._places.element("calls", number, key))
        text, result = table.text("call", ""), table.text("result", "")
        if text:
            at = self._places.element("calls", number, "call")
        call = parse_call(text, at) if text else None
        if result and call is None:
            raise CotrainError(f"{at.text}: there is a result but no call")
        if result:
            self._name(result, self._places.element("calls", number, "result"), again=True)
        section = table.table("taps")
        taps = tuple(self._tap(number, name, section, text or "read") for name in section.names())
        table.end()
        if call is None and not taps:
            raise CotrainError(f"{at.text}: it has neither a call nor taps")
        return MappedCall(call, result or None, taps, at)

    def _tap(self, number: int, name: str, section: Reader, call: str) -> MappedTap:
        at = self._places.element("calls", number, name, below="taps")
        table = section.text_or_table(name, "member", lambda key: at)
        path = parse_path(table.text("member"), at)
        tap = MappedTap(name, path, table.text("of", name), table.flag("negate"), call, at)
        table.end()
        return tap

    def _name(self, name: str, at: Spot, *, again: bool = False) -> None:
        if not name.isidentifier():
            raise CotrainError(f"{at.text}: {name!r} is no name; use letters, digits and _")
        if name in RESERVED or (name in self._names and not again):
            raise CotrainError(f"{at.text}: the name {name} is taken")
        self._names.add(name)

    def _check(self, mapping: Mapping) -> None:
        if not mapping.taps:
            raise CotrainError(f"{self._file.name}: no call has taps, so there is nothing to compare")
        for what, spots in (
            ("reference's tap", [(each.initial, each.at) for each in mapping.parameters]),
            ("tap", [(tap.name, tap.at) for tap in mapping.taps]),
            ("reference's tap", [(tap.of, tap.at) for tap in mapping.taps]),
        ):
            self._once(what, spots)

    @staticmethod
    def _once(what: str, names: Sequence[tuple[str, Spot]]) -> None:
        lines: dict[str, Spot] = {}
        for name, at in names:
            if name in lines:
                raise CotrainError(f"{at.text}: the {what} {name} stands in line {lines[name].line} already")
            lines[name] = at
