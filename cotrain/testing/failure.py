"""The one way in which a comparison fails a test."""

from __future__ import annotations

from collections.abc import Iterable

from cotrain.lockstep.result import Result


class Diverged(AssertionError):
    """The two sides differ; the message is the divergence card."""

    def __init__(self, lines: Iterable[str], result: Result | None = None) -> None:
        super().__init__("\n".join(lines))
        self.result = result
        """All that was found, where a run or a layer was compared."""


# The name under which it is public, and which pytest shows.
Diverged.__module__ = "cotrain.testing"
