"""A convolution layer, trained by SGD with momentum to imitate a fixed one: the NumPy side.

C#: Convolution.cs, the same operations; it computes the bias' part first, which ``any_order`` declares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain import Metric, Tap

IMAGES, SIDE, CHANNELS = 16, 8, 2
KERNEL, FILTERS = 3, 4
OUT = SIDE - KERNEL + 1
PATCH = KERNEL * KERNEL * CHANNELS

Array = np.ndarray[Any, np.dtype[Any]]


def patches(images: Array, out: Array) -> Array:
    """Every 3 x 3 patch of (images, 8, 8, channels) as a row: (images * 36, 18)."""
    views = out.reshape(len(images), OUT, OUT, KERNEL * KERNEL, CHANNELS)
    for row in range(KERNEL):
        for column in range(KERNEL):
            views[:, :, :, row * KERNEL + column, :] = images[:, row : row + OUT, column : column + OUT, :]
    return out


class Convolution:
    """Weights (18, 4); the target is what the teacher's weights make of the same images."""

    metrics: Mapping[str, Metric] = {"loss": Metric("loss.mean", lambda step, value: float(value), per_step=True)}
    parameters = ("w", "b")
    # The bias and the weights do not depend on each other: which gradient and update comes first is free.
    any_order = (("grad.w", "grad.b"), ("momentum.*", "w", "b"))

    def __init__(self, seed: int, rate: float) -> None:
        random = np.random.RandomState(seed)
        self.images = random.normal(0.0, 1.0, (IMAGES, SIDE, SIDE, CHANNELS)).astype(np.float32)
        self.teacher = random.normal(0.0, 0.5, (PATCH, FILTERS)).astype(np.float32)
        self.w = random.normal(0.0, 0.1, (PATCH, FILTERS)).astype(np.float32)
        self.b = np.zeros(FILTERS, np.float32)
        self.momentum_w, self.momentum_b = np.zeros_like(self.w), np.zeros_like(self.b)
        self.columns = np.zeros((IMAGES * OUT * OUT, PATCH), np.float32)
        zero = np.float32(0)
        self.target = np.maximum(np.dot(patches(self.images, self.columns), self.teacher), zero)
        self.rate, self.decay = np.float32(rate), np.float32(0.9)

    def initial(self) -> Iterator[Tap]:
        yield Tap("init.w", self.w, as_input="w@-1")
        yield Tap("init.b", self.b, as_input="b@-1")
        yield Tap("data.images", self.images, as_input="images")
        yield Tap("data.target", self.target, as_input="target")

    def step(self, step: int) -> Iterator[Tap]:
        columns = patches(self.images, self.columns)
        yield Tap("patches", columns, "every 3 x 3 patch", ("images",))
        product = np.dot(columns, self.w)
        yield Tap("product", product, "patches · w", ("patches", "w@-1"))
        preact = product + self.b
        yield Tap("preact", preact, "product + b", ("product", "b@-1"))
        output = np.maximum(preact, np.float32(0))
        yield Tap("output", output, "max(preact, 0)", ("preact",))

        error = output - self.target
        yield Tap("error", error, "output - target", ("output", "target"))
        yield Tap("loss.mean", np.mean(error * error), "mean(error²)", ("error",))
        gradient = error * np.float32(2 / error.size) * (preact > 0).astype(np.float32)
        yield Tap("grad.preact", gradient, "error * 2/n where preact > 0", ("error", "preact"))
        grad_w = np.dot(columns.T, gradient)
        yield Tap("grad.w", grad_w, "patches.T · gradient", ("patches", "grad.preact"))
        grad_b = np.sum(gradient, axis=0)
        yield Tap("grad.b", grad_b, "sum(gradient, axis=0)", ("grad.preact",))

        for name, value, momentum, grad in (
            ("w", self.w, self.momentum_w, grad_w),
            ("b", self.b, self.momentum_b, grad_b),
        ):
            momentum[...] = momentum * self.decay + grad
            yield Tap(f"momentum.{name}", momentum, "0.9 m + grad", (f"momentum.{name}@-1", f"grad.{name}"))
            value -= momentum * self.rate
            yield Tap(name, value, "p - rate * m", (f"{name}@-1", f"momentum.{name}"))

    def state(self) -> Mapping[str, Array]:
        return {"w": self.w, "b": self.b, "momentum.w": self.momentum_w, "momentum.b": self.momentum_b}


def create(options: Mapping[str, Any]) -> Convolution:
    """Options: seed (1), rate (0.2)."""
    return Convolution(options.get("seed", 1), float(options.get("rate", 0.2)))
