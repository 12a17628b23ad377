"""Assemblies without taps: their objects are driven by a mapping file, and tapped after each call.

``docs/unprepared.md`` describes the file. A pair takes it as its candidate::

    Pair.load(candidate="model.toml")
    python -m cotrain.lockstep --candidate model.toml
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cotrain.protocol import Trainer

if TYPE_CHECKING:
    from cotrain.adapter.candidate import Candidate

Factory = Callable[[Mapping[str, Any]], Trainer]

SUFFIX = ".toml"


def is_mapping(candidate: str | os.PathLike[str]) -> bool:
    """Whether a candidate is a mapping file and not ``DLL:TYPE``."""
    return os.fspath(candidate).endswith(SUFFIX)


class Adapted:
    """A mapping file ready for a pair: .NET must be started.

    CotrainError, with line and key, for a mapping that does not fit the assembly.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        from cotrain.adapter.candidate import TRAINER, Candidate
        from cotrain.adapter.mapping import read

        self._mapping = read(Path(file))
        self._candidate: Candidate = Candidate(self._mapping)
        self.trainer = TRAINER
        """The .NET trainer that makes the calls, as ``DLL:TYPE``."""

    @property
    def options(self) -> dict[str, str]:
        """What the .NET trainer needs beyond the pair's options."""
        return self._candidate.options

    def reference(self, factory: Factory) -> Factory:
        """A factory for the reference as the mapping shows it."""
        from cotrain.adapter.selected import SelectedTrainer

        def create(options: Mapping[str, Any]) -> Trainer:
            return SelectedTrainer(factory(options), self._mapping, self._candidate)

        return create

    def close(self) -> None:
        """Safe to call at any time, also twice."""
        self._candidate.close()
