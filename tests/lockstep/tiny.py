"""The NumPy twin of tests/dotnet/TinyTrainer: counts, doubles and adds, with faults of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain.protocol import ArrayLike, Metric, Tap


class Tiny:
    """``fault`` plants one at step 2: ``raise``, ``twice`` (a tap name twice), ``input`` (an unknown one)."""

    steps_per_epoch = 3
    parameters = ("total",)
    metrics: Mapping[str, Metric] = {"sum": Metric("total", lambda step, total: float(total.sum()), per_step=True)}

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.total_steps = options.get("steps")
        self._fault = options.get("reference_fault", "")
        self._total = np.zeros(4, np.float32)
        self._scratch = np.zeros((2, 4), np.float32)
        self._scale = np.ones((), np.float32)

    def initial(self) -> Iterator[Tap]:
        yield Tap("init.total", self._total, as_input="total@-1")

    def step(self, step: int) -> Iterator[Tap]:
        fault = self._fault if step == 2 else ""
        self._scratch[:] = step
        yield Tap("count", self._scratch, "fill", ())
        if fault == "raise":
            raise ZeroDivisionError("planted after count")
        self._scratch *= 2  # in the memory that "count" was just handed out in
        yield Tap("doubled", self._scratch, "count * 2", ("count",))
        self._scale *= np.float32(0.5)
        inputs = ("nothing",) if self._fault == "input" else ("scale@-1",)
        yield Tap("scale", self._scale, "scale / 2", inputs)
        if fault == "twice":
            yield Tap("count", self._scratch)
        self._total += self._scratch[0] * self._scale
        yield Tap("total", self._total, "total + doubled * scale", ("total@-1", "doubled", "scale"))

    def state(self) -> Mapping[str, ArrayLike]:
        return {"total": self._total}


def create(options: Mapping[str, Any]) -> Tiny:
    return Tiny(options)
