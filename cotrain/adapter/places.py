"""Where in a TOML file a key stands: tomllib does not tell, and messages and cards should."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*[.=]""")


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of the mapping file, and how a message names it."""

    line: int
    text: str
    """``unprepared.toml, line 14, [[calls]] number 3, call``"""


class Places:
    """The lines of a file's tables and of the keys in them."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines: dict[tuple[str, str], int] = {}
        section = ""
        counts: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if header := _HEADER.match(line):
                section = header[2]
                if header[1] == "[[":
                    counts[section] = counts.get(section, 0) + 1
                outer = section.partition(".")[0]
                section = section.replace(outer, f"{outer}#{counts[outer]}", 1) if outer in counts else section
                self._lines[section, ""] = number
            elif key := _KEY.match(line):
                self._lines.setdefault((section, key[1].strip("\"'")), number)

    def top(self, key: str = "") -> Spot:
        """A key outside all tables."""
        return self._spot("", key, key)

    def table(self, section: str, key: str = "") -> Spot:
        """A key of ``[section]``, or the table itself."""
        return self._spot(section, key, f"[{section}]" + (f", {key}" if key else ""))

    def element(self, section: str, number: int, key: str = "", below: str = "") -> Spot:
        """A key of the ``number``-th (from 1) ``[[section]]``, or of the table ``below`` it."""
        shown = f"[[{section}]] number {number}" + (f", {below}" if below else "") + (f", {key}" if key else "")
        here = f"{section}#{number}"
        if below and (f"{here}.{below}", "") in self._lines:
            return self._spot(f"{here}.{below}", key, shown)
        return self._spot(here, below or key, shown)

    def _spot(self, section: str, key: str, shown: str) -> Spot:
        parent, _, last = section.rpartition(".")
        for wanted in ((section, key), (section, ""), (parent, last), (key, "")):
            if line := self._lines.get(wanted):
                return Spot(line, f"{self.file}, line {line}" + (f", {shown}" if shown else ""))
        return Spot(1, self.file + (f", {shown}" if shown else ""))
