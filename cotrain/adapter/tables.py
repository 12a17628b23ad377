"""Reads a TOML table key by key; a wrong type or a key that nobody asked for is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from cotrain.adapter.places import Spot
from cotrain.errors import CotrainError

T = TypeVar("T")
_WORDS: dict[type, str] = {str: "a text", bool: "true or false", int: "a whole number", list: "a list", dict: "a table"}


class Reader:
    """A table. ``at(key)`` tells where a key of it stands."""

    def __init__(self, content: Mapping[str, Any], at: Callable[[str], Spot]) -> None:
        self._content = content
        self._at = at
        self._read: dict[str, Any] = {}

    def names(self) -> tuple[str, ...]:
        """Its keys, in the file's order."""
        return tuple(self._content)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; CotrainError when it is missing and there is no default, or is empty."""
        value = self._get(key, str, default)
        if not value and default is None:
            raise CotrainError(f"{self._at(key).text}: {key} is empty")
        return value

    def flag(self, key: str) -> bool:
        """True or false, the default."""
        return self._get(key, bool, False)

    def number(self, key: str) -> int | None:
        """A whole number of at least 1, or None."""
        self._read.setdefault(key, None)
        value = self._get(key, int, 0) if key in self._content else None
        if isinstance(value, bool) or (value is not None and value < 1):
            raise CotrainError(f"{self._at(key).text}: {key} must be a whole number of at least 1")
        return value

    def items(self, key: str) -> list[Any]:
        """A list; empty by default."""
        found: list[Any] = self._get(key, list, [])
        return found

    def table(self, key: str, at: Callable[[str], Spot] | None = None) -> Reader:
        """A table below this one; empty by default."""
        known = self._read.get(key)
        if not isinstance(known, Reader):
            known = self._read[key] = Reader(self._get(key, dict, {}), at or self._at)
        return known

    def tables(self, key: str) -> list[Mapping[str, Any]]:
        """A list of tables, ``[[key]]``; CotrainError when there is none."""
        found: list[Any] = self._get(key, list, [])
        if not found or not all(isinstance(each, dict) for each in found):
            raise CotrainError(f"{self._at(key).text}: there must be at least one table [[{key}]]")
        return found

    def text_or_table(self, key: str, only: str, at: Callable[[str], Spot]) -> Reader:
        """A table; a mere text stands for a table with the one key ``only``."""
        self._read[key] = value = self._content[key]
        if isinstance(value, str):
            value = {only: value}
        if not isinstance(value, dict):
            raise CotrainError(f"{at('').text}: this must be a text or a table with {only}, not {value!r}")
        if only not in value:
            raise CotrainError(f'{at("").text}: {only} is missing (a name with dots stands in quotes: "{key}...")')
        return Reader(value, at)

    def end(self) -> None:
        """CotrainError for the first key that was not read."""
        for key in self._content:
            if key not in self._read:
                raise CotrainError(f"{self._at(key).text}: unknown key {key}; known here: {', '.join(self._read)}")

    def _get(self, key: str, kind: type[T], default: T | None) -> T:
        self._read.setdefault(key, None)
        if key not in self._content:
            if default is None:
                raise CotrainError(f"{self._at('').text}: {key} is missing")
            return default
        value = self._content[key]
        if not isinstance(value, kind):
            raise CotrainError(f"{self._at(key).text}: {key} must be {_WORDS[kind]}, not {value!r}")
        return value
