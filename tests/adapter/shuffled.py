"""The twin with its batches in another order, each shown as taps of the step: what a mapping feeds step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain.protocol import Tap
from twin import mnist_mlp
from twin.mlp_trainer import MlpTrainer


class Shuffled:
    """``stable`` False: a trainer that hands all taps of all steps out in the same arrays."""

    parameters = ("fc1.w", "fc1.b", "fc2.w", "fc2.b")

    def __init__(self, inner: MlpTrainer, *, stable: bool, shape_changes: bool) -> None:
        self._inner = inner
        self._order = np.random.RandomState(5).permutation(inner.steps_per_epoch)
        self.total_steps = inner.total_steps
        self.stable_buffers = stable
        self._shape_changes = shape_changes
        self._batches = [inner._batches[index] for index in self._order]
        inner._batches = self._batches
        self._room: dict[str, np.ndarray[Any, Any]] = {}
        self.initial = inner.initial
        self.state = inner.state

    def step(self, step: int) -> Iterator[Tap]:
        x, y = self._batches[step % len(self._batches)]
        yield self._out(Tap("batch.x", x[:64] if self._shape_changes and step == 2 else x))
        yield self._out(Tap("batch.y", y))
        for tap in self._inner.step(step):
            yield self._out(tap._replace(inputs=None))

    def _out(self, tap: Tap) -> Tap:
        if self.stable_buffers:
            return tap
        room = self._room.setdefault(tap.name, np.empty_like(tap.value))
        if room.shape != tap.value.shape:
            return tap
        np.copyto(room, tap.value)
        return tap._replace(value=room)


def create(options: Mapping[str, Any]) -> Shuffled:
    return Shuffled(
        mnist_mlp.create(options),
        stable=options.get("stable", True),
        shape_changes=options.get("shape_changes", False),
    )
