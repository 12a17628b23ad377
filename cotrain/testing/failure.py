"""How a comparison fails a test, and how an error reaches it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from cotrain.errors import CotrainError
from cotrain.lockstep.result import Result

_OURS = (str(Path(__file__).parent.parent), contextlib.__file__)


class Diverged(AssertionError):
    """The two sides differ; the message is the divergence card."""

    def __init__(self, lines: Iterable[str], result: Result | None = None) -> None:
        super().__init__("\n".join(lines))
        self.result = result
        """All that was found, where a run or a layer was compared."""


# The name under which it is public, and which pytest shows.
Diverged.__module__ = "cotrain.testing"


def trimmed(error: CotrainError) -> CotrainError:
    """An error without the package's own frames: its message says it all, and the user's lines say where."""
    kept = []
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OURS):
            kept.append(trace)
        trace = trace.tb_next
    shown = None
    for each in reversed(kept):
        shown = TracebackType(shown, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return error.with_traceback(shown)
