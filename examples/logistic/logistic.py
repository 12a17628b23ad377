"""Logistic regression by stochastic gradient descent: the NumPy side. C#: Trainer.cs, operation by operation."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain import Metric, Tap, products

SAMPLES, FEATURES, BATCH = 480, 20, 60
RATE = np.float32(0.5)
ONE = np.float32(1)


class Logistic:
    """Steps through the batches in order; the weights and the bias live across steps."""

    steps_per_epoch = SAMPLES // BATCH
    metrics: Mapping[str, Metric] = {
        "loss": Metric("error", lambda step, error: float(np.mean(np.square(error))), per_step=True)
    }

    def __init__(self, seed: int) -> None:
        random = np.random.RandomState(seed)
        self.x = random.normal(0.0, 1.0, (SAMPLES, FEATURES)).astype(np.float32)
        truth = random.normal(0.0, 1.0, FEATURES).astype(np.float32)
        self.y = (products.dot(self.x, truth) > 0).astype(np.float32)
        self.w = np.zeros(FEATURES, np.float32)
        self.b = np.zeros((), np.float32)

    def initial(self) -> Iterator[Tap]:
        yield Tap("data.x", self.x)
        yield Tap("data.y", self.y)
        yield Tap("init.w", self.w, as_input="w@-1")
        yield Tap("init.b", self.b, as_input="b@-1")

    def step(self, step: int) -> Iterator[Tap]:
        rows = slice(step % self.steps_per_epoch * BATCH, (step % self.steps_per_epoch + 1) * BATCH)
        x, y = self.x[rows], self.y[rows]
        product = products.dot(x, self.w)
        yield Tap("product", product, "x @ w", ("data.x", "w@-1"))
        logits = product + self.b
        yield Tap("logits", logits, "product + b", ("product", "b@-1"))
        exps = np.exp(-logits)
        yield Tap("exps", exps, "exp(-logits)", ("logits",))
        p = ONE / (ONE + exps)
        yield Tap("p", p, "1 / (1 + exps)", ("exps",))
        error = p - y
        yield Tap("error", error, "p - y", ("p", "data.y"))
        # The factor is rounded to float32 once; the gradient is a product, then a product by it.
        grad_w = products.dot(x.T, error) * (ONE / np.float32(BATCH))
        yield Tap("grad.w", grad_w, "(x.T @ error) * (1 / batch)", ("data.x", "error"))
        grad_b = np.add.reduce(error, axis=0) * (ONE / np.float32(BATCH))
        yield Tap("grad.b", grad_b, "sum(error, axis=0) * (1 / batch)", ("error",))
        self.w -= RATE * grad_w
        yield Tap("w", self.w, "w - rate * grad", ("w@-1", "grad.w"))
        self.b -= RATE * grad_b
        yield Tap("b", self.b, "b - rate * grad", ("b@-1", "grad.b"))

    def state(self) -> Mapping[str, Any]:
        return {"w": self.w, "b": self.b}


def create(options: Mapping[str, Any]) -> Logistic:
    return Logistic(options.get("seed", 1337))
