"""Which taps can stop a run: ``--taps all|weights|GLOB,…``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase

from cotrain.errors import CotrainError


class Selection:
    """A comma-separated list of tap names, globs and the trainer's group names; ``all`` takes every tap."""

    def __init__(self, text: str, groups: Mapping[str, str] | None = None) -> None:
        self.text = text
        groups = groups or {}
        words = [word.strip() for word in text.split(",") if word.strip()]
        if not words:
            raise CotrainError("no tap pattern given; use 'all', a tap name or a glob such as 'adam.*'")
        self._patterns: dict[str, list[str]] = {
            word: ["*"] if word == "all" else groups.get(word, word).split(",") for word in words
        }
        self._groups = tuple(groups)

    def __contains__(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._all_patterns())

    def check(self, names: Iterable[str]) -> None:
        """CotrainError when a pattern matches none of the run's taps; the message lists near names."""
        known = list(names)
        for word, patterns in self._patterns.items():
            if not any(fnmatchcase(name, pattern) for pattern in patterns for name in known):
                near = near_names(word, [*known, *self._groups, "all"])
                raise CotrainError(f"no tap of this run matches {word!r}; {near}")

    def _all_patterns(self) -> Iterable[str]:
        for patterns in self._patterns.values():
            yield from patterns


def near_names(word: str, known: Iterable[str]) -> str:
    """``did you mean a, b?`` or the whole list when nothing is near, as the end of a message."""
    known = list(dict.fromkeys(known))
    near = get_close_matches(word, known, n=4, cutoff=0.5)
    if near:
        return f"near names: {', '.join(near)}"
    return f"known names: {', '.join(known)}"
