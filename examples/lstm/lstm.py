"""An LSTM over short sequences, trained through time by gradient descent: the NumPy side. C#: Trainer.cs."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotrain import Metric, Tap, products
from cotrain.protocol import ArrayLike

LENGTH, BATCH, INPUTS, HIDDEN = 5, 12, 6, 8
RATE = np.float32(0.1)
ONE = np.float32(1)
I, F, O, G = (slice(k * HIDDEN, (k + 1) * HIDDEN) for k in range(4))  # noqa: E741


def sigmoid(x: ArrayLike) -> ArrayLike:
    return ONE / (ONE + np.exp(-x))


class Lstm:
    """One batch of sequences, again in every step; the last hidden state is drawn to a target."""

    metrics: Mapping[str, Metric] = {
        "loss": Metric("error", lambda step, error: float(np.mean(np.square(error))), per_step=True)
    }

    def __init__(self, seed: int) -> None:
        random = np.random.RandomState(seed)
        self.x = random.normal(0.0, 1.0, (LENGTH, BATCH, INPUTS)).astype(np.float32)
        self.y = random.uniform(-0.5, 0.5, (BATCH, HIDDEN)).astype(np.float32)
        self.wx = random.normal(0.0, 0.4, (INPUTS, 4 * HIDDEN)).astype(np.float32)
        self.wh = random.normal(0.0, 0.4, (HIDDEN, 4 * HIDDEN)).astype(np.float32)
        self.b = np.zeros(4 * HIDDEN, np.float32)

    def initial(self) -> Iterator[Tap]:
        yield Tap("data.x", self.x)
        yield Tap("data.y", self.y)
        for name, value in self.state().items():
            yield Tap(f"init.{name}", value, as_input=f"{name}@-1")

    def step(self, step: int) -> Iterator[Tap]:
        h = c = np.zeros((BATCH, HIDDEN), np.float32)
        saved = []
        for t, x in enumerate(self.x):
            last = (f"t{t - 1}.h", f"t{t - 1}.c") if t else ()
            gates = products.dot(x, self.wx) + products.dot(h, self.wh) + self.b
            yield Tap(f"t{t}.gates", gates, "x @ wx + h @ wh + b", ("data.x", "wx@-1", "wh@-1", "b@-1", *last[:1]))
            i, f, o, g = sigmoid(gates[:, I]), sigmoid(gates[:, F]), sigmoid(gates[:, O]), np.tanh(gates[:, G])
            before = (h, c)
            c = f * c + i * g
            yield Tap(f"t{t}.c", c, "sigmoid(f) * c + sigmoid(i) * tanh(g)", (f"t{t}.gates", *last[1:]))
            squashed = np.tanh(c)
            h = o * squashed
            yield Tap(f"t{t}.h", h, "sigmoid(o) * tanh(c)", (f"t{t}.gates", f"t{t}.c"))
            saved.append((x, *before, i, f, o, g, squashed))
        error = h - self.y
        yield Tap("error", error, "h - y", (f"t{LENGTH - 1}.h", "data.y"))

        dh = error * (np.float32(2) / np.float32(error.size))
        dc = np.zeros_like(c)
        gradients = {name: np.zeros_like(value) for name, value in self.state().items()}
        for t, (x, h, c, i, f, o, g, squashed) in reversed(list(enumerate(saved))):
            dc = dc + dh * o * (ONE - squashed * squashed)
            di, df = dc * g * i * (ONE - i), dc * c * f * (ONE - f)
            do, dg = dh * squashed * o * (ONE - o), dc * i * (ONE - g * g)
            dgates = np.concatenate((di, df, do, dg), axis=1)
            yield Tap(f"t{t}.grad.gates", dgates, "gradient of the gates")
            gradients["wx"] += products.dot(x.T, dgates)
            gradients["wh"] += products.dot(h.T, dgates)
            gradients["b"] += np.add.reduce(dgates, axis=0)
            dh = products.dot(dgates, self.wh.T)
            dc = dc * f
        gates = tuple(f"t{t}.grad.gates" for t in range(LENGTH))
        for name, value in self.state().items():
            yield Tap(f"grad.{name}", gradients[name], "summed over time", (*gates, "data.x"))
            value -= RATE * gradients[name]
            yield Tap(name, value, "value - rate * gradient", (f"{name}@-1", f"grad.{name}"))

    def state(self) -> Mapping[str, ArrayLike]:
        return {"wx": self.wx, "wh": self.wh, "b": self.b}


def create(options: Mapping[str, Any]) -> Lstm:
    return Lstm(options.get("seed", 1337))
