"""The NumPy twin of tests/dotnet/OwnTrainer, and factories that are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike, Tap

number = 3


class Letters:
    """Four taps. Option ``groups``: any-order groups, ``bc`` or ``ab,cd``; ``undeclared``: no inputs."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        if "total" in options:
            self.total_steps = int(options["total"])
        if "epoch" in options:
            self.steps_per_epoch = int(options["epoch"])
        self.any_order = tuple(tuple(group) for group in options.get("groups", "").split(",") if group)
        self._inputs = None if "undeclared" in options else ()

    def initial(self) -> Iterator[Tap]:
        return iter(())

    def step(self, step: int) -> Iterator[Tap]:
        for letter in "abcd":
            inputs = ("b",) if letter == "c" and self._inputs is not None else self._inputs
            yield Tap(letter, np.arange(3, dtype=np.float32) * np.float32(ord(letter) + step), "letter", inputs)

    def state(self) -> Mapping[str, ArrayLike]:
        return {}


def create(options: Mapping[str, Any]) -> Letters:
    return Letters(options)


def explicit(options: Mapping[str, Any]) -> Letters:
    raise CotrainError(f"these are my options: {dict(options)}")


def broken(options: Mapping[str, Any]) -> Letters:
    raise KeyError("planted")


def nothing(options: Mapping[str, Any]) -> None:
    return None
