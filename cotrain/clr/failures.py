"""Turns .NET exceptions that come through pythonnet into CotrainError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cotrain.clr import assemblies
from cotrain.errors import CotrainError, ExitCode


@contextmanager
def translated(prefix: str = "") -> Iterator[None]:
    """Raises CotrainError for a .NET exception: its message, after its type unless written for users."""
    try:
        yield
    except assemblies.namespace("System").Exception as exception:
        known = getattr(exception, "ExitCode", None)
        if type(exception).__name__ == "CotrainException" and known is not None:
            raise CotrainError(f"{prefix}{exception.Message}", ExitCode(known)) from None
        raise CotrainError(f"{prefix}{type(exception).__name__}: {exception.Message}") from None
