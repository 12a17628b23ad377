"""Logistic regression with SGD, the NumPy side. C#: LogisticRegression.cs, the same operations in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain import Metric, Tap

SAMPLES = 512
FEATURES = 20


class LogisticRegression:
    """Two clouds of points, told apart by a line. Each step takes the next batch."""

    metrics: Mapping[str, Metric] = {"loss": Metric("loss.mean", lambda step, value: -float(value), per_step=True)}

    def __init__(self, batch: int, seed: int, rate: float) -> None:
        random = np.random.RandomState(seed)
        self.labels = random.randint(0, 2, (SAMPLES, 1)).astype(np.float32)
        # Drawn in float64, then rounded; the clouds' centres are one apart in every direction.
        self.x = random.normal(0.0, 1.0, (SAMPLES, FEATURES)).astype(np.float32) + (self.labels - np.float32(0.5))
        self.w = np.zeros((FEATURES, 1), np.float32)
        self.b = np.zeros((1,), np.float32)
        self.batch = batch
        self.rate = np.float32(rate)
        self.steps_per_epoch = SAMPLES // batch

    def initial(self) -> Iterator[Tap]:
        yield Tap("init.w", self.w, as_input="w@-1")
        yield Tap("init.b", self.b, as_input="b@-1")
        yield Tap("data.x", self.x, as_input="x")
        yield Tap("data.labels", self.labels, as_input="labels")

    def step(self, step: int) -> Iterator[Tap]:
        start = step % self.steps_per_epoch * self.batch
        x, labels = self.x[start : start + self.batch], self.labels[start : start + self.batch]
        one = np.float32(1)

        product = np.dot(x, self.w)
        yield Tap("product", product, "x · w", ("x", "w@-1"))
        logits = product + self.b
        yield Tap("logits", logits, "product + b", ("product", "b@-1"))
        exps = np.exp(-logits)
        yield Tap("exps", exps, "exp(-logits)", ("logits",))
        p = one / (one + exps)
        yield Tap("p", p, "1 / (1 + exps)", ("exps",))

        likelihood = labels * np.log(p) + (one - labels) * np.log(one - p)
        yield Tap("loss.likelihood", likelihood, "y log p + (1 - y) log (1 - p)", ("p", "labels"))
        yield Tap("loss.mean", np.mean(likelihood), "mean(likelihood)", ("loss.likelihood",))

        gradient = (p - labels) * np.float32(1 / self.batch)
        yield Tap("grad.logits", gradient, "(p - y) / batch", ("p", "labels"))
        grad_w = np.dot(x.T, gradient)
        yield Tap("grad.w", grad_w, "x.T · gradient", ("x", "grad.logits"))
        grad_b = np.sum(gradient, axis=0)
        yield Tap("grad.b", grad_b, "sum(gradient, axis=0)", ("grad.logits",))

        self.w -= self.rate * grad_w
        yield Tap("w", self.w, "w - rate * grad", ("w@-1", "grad.w"))
        self.b -= self.rate * grad_b
        yield Tap("b", self.b, "b - rate * grad", ("b@-1", "grad.b"))

    def state(self) -> Mapping[str, np.ndarray[Any, Any]]:
        return {"w": self.w, "b": self.b}


def create(options: Mapping[str, Any]) -> LogisticRegression:
    """Options: batch_size (64), seed (1), rate (0.5)."""
    return LogisticRegression(options.get("batch_size", 64), options.get("seed", 1), float(options.get("rate", 0.5)))
