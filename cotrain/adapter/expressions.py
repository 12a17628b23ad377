"""The few expressions of a mapping: a path like ``fc1.Grads[w]``, a call like ``fc1.Forward(x)``.

Grammar::

    call      = path "." NAME "(" [argument {"," argument}] ")"
    argument  = path | NUMBER | "true" | "false" | TEXT in quotes
    path      = NAME {"." NAME | "[" (NAME | POSITION | TEXT in quotes) "]"}
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cotrain.adapter.places import Spot
from cotrain.errors import CotrainError

_NAME = r"[A-Za-z_]\w*"
_TOKEN = re.compile(rf"""\s*(?:({_NAME})|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|("[^"]*"|'[^']*')|([.,()\[\]]))""")

Constant = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path; exactly one of the three is set."""

    member: str | None = None
    key: str | None = None
    index: int | None = None

    def __str__(self) -> str:
        if self.member is not None:
            return f".{self.member}"
        return f"[{self.index if self.key is None else self.key}]"


@dataclass(frozen=True, slots=True)
class Path:
    """Where a value is: a name, and the steps from there."""

    root: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return self.root + "".join(map(str, self.steps))


@dataclass(frozen=True, slots=True)
class Call:
    """A method of the object at ``target``, and its arguments."""

    target: Path
    method: str
    arguments: tuple[Path | Constant, ...]
    text: str
    """As it is written."""


def parse_path(text: str, at: Spot) -> Path:
    """CotrainError, naming the place, when the text is no path."""
    parser = _Parser(text, at, "a path such as fc1.Grads[w]")
    path = parser.path()
    parser.end()
    return path


def parse_call(text: str, at: Spot) -> Call:
    """CotrainError, naming the place, when the text is no call."""
    parser = _Parser(text, at, "a call such as fc1.Forward(x)")
    path = parser.path()
    if not path.steps or path.steps[-1].member is None or not parser.take("("):
        raise parser.error()
    arguments: list[Path | Constant] = []
    if not parser.take(")"):
        arguments.append(parser.argument())
        while parser.take(","):
            arguments.append(parser.argument())
        parser.expect(")")
    parser.end()
    return Call(Path(path.root, path.steps[:-1]), path.steps[-1].member, tuple(arguments), text.strip())


class _Parser:
    """Tokens of one expression, read from the left."""

    def __init__(self, text: str, at: Spot, wanted: str) -> None:
        self._text, self._at, self._wanted = text, at, wanted
        self._tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None:
                raise self.error()
            kinds = ("name", "number", "text", "sign")
            self._tokens += [(kind, token) for kind, token in zip(kinds, found.groups(), strict=True) if token]
            position = found.end()
        self._next = 0

    def error(self) -> CotrainError:
        return CotrainError(f"{self._at.text}: {self._text!r} is not {self._wanted}")

    def take(self, sign: str) -> bool:
        if self._peek() == ("sign", sign):
            self._next += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise self.error()

    def end(self) -> None:
        if self._next < len(self._tokens):
            raise self.error()

    def path(self) -> Path:
        root = self._read("name")
        steps: list[Step] = []
        while True:
            if self.take("."):
                steps.append(Step(member=self._read("name")))
            elif self.take("["):
                steps.append(self._key())
                self.expect("]")
            else:
                return Path(root, tuple(steps))

    def argument(self) -> Path | Constant:
        kind, token = self._peek()
        if kind == "name" and token in ("true", "false"):
            self._next += 1
            return token == "true"
        if kind == "name":
            return self.path()
        if kind == "text":
            return self._read("text")[1:-1]
        number = self._read("number")
        return int(number) if re.fullmatch(r"[-+]?\d+", number) else float(number)

    def _key(self) -> Step:
        kind, token = self._peek()
        self._next += 1
        if kind == "name":
            return Step(key=token)
        if kind == "text":
            return Step(key=token[1:-1])
        if kind == "number" and token.isdigit():
            return Step(index=int(token))
        raise self.error()

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("", "")

    def _read(self, kind: str) -> str:
        found, token = self._peek()
        if found != kind:
            raise self.error()
        self._next += 1
        return token
