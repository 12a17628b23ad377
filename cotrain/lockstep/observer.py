"""Who may watch a run while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from cotrain.lockstep.result import Result


@dataclass(slots=True)
class Progress:
    """Where a run stands. One object per run, updated in place: copy what is kept."""

    first_step: int = 0
    """The step the run began at."""
    step: int = 0
    """The next step to compare."""
    total_steps: int | None = None
    steps_per_epoch: int | None = None
    taps: int = 0
    bytes: int = 0
    metrics: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Latest number of each metric: reference, candidate. Means are over the running epoch."""


class Observer(Protocol):
    """Watches a run. Called on the thread that runs it, so a slow observer slows the reference."""

    def started(self, result: Result, progress: Progress) -> None:
        """Before the first tap is compared; the result holds pins and warnings already."""
        ...

    def stepped(self, progress: Progress) -> None:
        """After each compared step."""
        ...

    def finished(self, result: Result) -> None:
        """Once, whatever the verdict."""
        ...


class Silent:
    """The observer that does nothing."""

    def started(self, result: Result, progress: Progress) -> None:
        """Nothing."""

    def stepped(self, progress: Progress) -> None:
        """Nothing."""

    def finished(self, result: Result) -> None:
        """Nothing."""
