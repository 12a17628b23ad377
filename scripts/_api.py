"""Writes docs/api.md from the docstrings of the public names: ``.venv/bin/python scripts/_api.py > docs/api.md``."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from enum import Enum
from itertools import pairwise
from typing import Any

PACKAGES = ("cotrain", "cotrain.testing")
HEAD = """\
# API

The public names, from their docstrings. This page is generated: `.venv/bin/python scripts/_api.py > docs/api.md`.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for package in PACKAGES:
        module = importlib.import_module(package)
        parts.append(f"## {package}\n")
        for name in sorted(module.__all__, key=str.lower):
            parts += _entry(f"{package}.{name}", getattr(module, name))
    return "\n".join(parts).rstrip() + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name.rpartition('.')[2]}\n"
    yield f"`{name}{_signature(value)}`\n"
    yield _text(value) + "\n"
    if inspect.isclass(value) and not issubclass(value, BaseException):
        for field, text in _fields(value):
            yield f"- **`{field}`** {text}\n"
        for member, attribute in vars(value).items():
            if member.startswith("_") or not _own_text(attribute):
                continue
            function = attribute.__func__ if isinstance(attribute, classmethod | staticmethod) else attribute
            shown = member if isinstance(attribute, property) else f"{member}{_signature(function)}"
            yield f"- **`{shown}`** {_text(function).replace(chr(10), chr(10) + '  ')}\n"


def _fields(kind: type) -> Iterator[tuple[str, str]]:
    """Attributes with a text below them, as dataclasses and protocols here have."""
    [body] = [node.body for node in ast.parse(inspect.getsource(kind)).body if isinstance(node, ast.ClassDef)]
    for attribute, text in pairwise(body):
        if isinstance(attribute, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            yield ast.unparse(attribute.target), _quotes(inspect.cleandoc(str(text.value.value))).replace("\n", "\n  ")


def _own_text(attribute: Any) -> bool:
    documented = isinstance(attribute, property | classmethod | staticmethod) or inspect.isfunction(attribute)
    return documented and bool(inspect.getdoc(attribute))


def _signature(value: Any) -> str:
    if inspect.isclass(value) and (issubclass(value, BaseException | Enum) or getattr(value, "_is_protocol", False)):
        return ""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"<factory>|<object object at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations are texts
    return re.sub(r"\(self(, )?", "(", text)


def _text(value: Any) -> str:
    """The docstring with Markdown's quotes instead of reStructuredText's."""
    return _quotes(inspect.getdoc(value) or "")


def _quotes(text: str) -> str:
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)


if __name__ == "__main__":
    sys.stdout.write(page())
