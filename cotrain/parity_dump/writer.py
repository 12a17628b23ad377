"""Writes the taps of each stage."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike, Stage

if TYPE_CHECKING:  # a trainer alone needs no lockstep
    from cotrain.lockstep.slots import Slot


class _Patterns:
    """Tap names by globs."""

    def __init__(self, patterns: Collection[str]) -> None:
        self._patterns = patterns

    def __contains__(self, name: object) -> bool:
        return any(fnmatchcase(str(name), pattern) for pattern in self._patterns)


class ParityDump:
    """Writes the taps of each stage as they come; made once for a run."""

    def __init__(self, folder: Path, stages: Sequence[Stage], total_steps: int | None) -> None:
        """CotrainError when the trainer declares no stages, or a stage's folder holds something already."""
        if not stages:
            raise CotrainError("this trainer declares no stages, so there is nothing to write at (see cotrain.Trainer)")
        for stage in stages:
            own = folder / stage.name
            if own.exists() and any(own.iterdir()):
                raise CotrainError(
                    f"{own} is not empty: files of two runs would mix; remove it, or choose another folder"
                )
        self._folder = folder
        self._by_step: dict[int, list[Stage]] = {}
        for stage in stages:
            step = stage.step if stage.step is not None else (total_steps or 0) - 1
            if stage.step is not None or total_steps is not None:
                self._by_step.setdefault(step, []).append(stage)
        self._wanted = {
            step: _Patterns([pattern for stage in found for pattern in stage.taps])
            for step, found in self._by_step.items()
        }

    def write(self, step: int, name: str, value: ArrayLike, suffix: str = "") -> None:
        """Writes a tap of a step (-1: the state before step 0) to each stage that shows it, or to none."""
        for stage in self._by_step.get(step, ()):
            if name in _Patterns(stage.taps):
                _save(self._folder / stage.name, f"{name}{suffix}.npy", value)

    def wants(self, step: int) -> _Patterns | tuple[()]:
        """The taps that a stage shows in that step."""
        return self._wanted.get(step, ())

    def read(self, step: int, slot: Slot) -> None:
        """Writes both sides' taps: one file where their bytes are equal, else ``NAME.candidate.npy`` beside it."""
        wanted = self.wants(step)
        for position, name in enumerate(slot.names):
            if name not in wanted:
                continue
            value, candidate = slot.values[position], slot.candidate(position)
            self.write(step, name, value)
            if candidate is not None and candidate.tobytes() != value.tobytes():
                self.write(step, name, candidate, suffix=".candidate")


def _save(folder: Path, file: str, value: ArrayLike) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / file, np.asarray(value, order="C"))
    except OSError as error:
        raise CotrainError(f"{folder / file} cannot be written: {error.strerror or error}") from None
