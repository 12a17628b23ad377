"""The trainer's taps against the same training by plain formulas, without buffers: every byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from twin.mlp_trainer import MlpTrainer
from twin.mnist_loader import MnistData

NAMES = [
    *("fc1.preact", "fc1.output", "fc2.preact", "fc2.output"),
    *("loss.rowmax", "loss.shifted", "loss.exps", "loss.rowsum", "loss.softmax", "loss.clipped"),
    *("loss.log", "loss.weighted", "loss.per_sample", "loss.mean", "loss.grad"),
    "metrics.argmax",
    *("fc2.grad.w", "fc2.grad.b", "fc2.grad.input"),
    *("fc1.grad.preact", "fc1.grad.w", "fc1.grad.b", "fc1.grad.input"),
    *("adam.beta1_product", "adam.beta2_product"),
    *("adam.fc1.w.m", "adam.fc1.w.v", "adam.fc1.w.m_hat", "adam.fc1.w.v_hat", "adam.fc1.w.p"),
    *("adam.fc1.b.m", "adam.fc1.b.v", "adam.fc1.b.m_hat", "adam.fc1.b.v_hat", "adam.fc1.b.p"),
    *("adam.fc2.w.m", "adam.fc2.w.v", "adam.fc2.w.m_hat", "adam.fc2.w.v_hat", "adam.fc2.w.p"),
    *("adam.fc2.b.m", "adam.fc2.b.v", "adam.fc2.b.m_hat", "adam.fc2.b.v_hat", "adam.fc2.b.p"),
]

Arrays = dict[str, Any]


class Plain:
    """The training as one would write it."""

    def __init__(self, data: MnistData, batch_size: int, seed: int) -> None:
        random = np.random.RandomState(seed)
        self.data, self.batch_size = data, batch_size
        self.p: Arrays = {
            "fc1.w": random.normal(0.0, np.sqrt(2 / 784), (784, 128)).astype(np.float32),
            "fc1.b": np.zeros(128, np.float32),
        }
        self.p["fc2.w"] = random.normal(0.0, np.sqrt(2 / 138), (128, 10)).astype(np.float32)
        self.p["fc2.b"] = np.zeros(10, np.float32)
        self.m = {name: np.zeros_like(p) for name, p in self.p.items()}
        self.v = {name: np.zeros_like(p) for name, p in self.p.items()}
        self.product1 = self.product2 = np.float32(1)

    def step(self, step: int) -> Arrays:
        f = np.float32
        start = step % (len(self.data.train_x) // self.batch_size) * self.batch_size
        x = self.data.train_x[start : start + self.batch_size]
        y = np.eye(10, dtype=f)[self.data.train_y[start : start + self.batch_size]]
        t: Arrays = {}
        t["fc1.preact"] = x @ self.p["fc1.w"]
        t["fc1.output"] = np.maximum(t["fc1.preact"] + self.p["fc1.b"], f(0))
        t["fc2.preact"] = t["fc1.output"] @ self.p["fc2.w"]
        logits = t["fc2.output"] = t["fc2.preact"] + self.p["fc2.b"]
        t["loss.rowmax"] = logits.max(axis=1, keepdims=True)
        t["loss.shifted"] = logits - t["loss.rowmax"]
        t["loss.exps"] = np.exp(t["loss.shifted"])
        t["loss.rowsum"] = t["loss.exps"].sum(axis=1, keepdims=True)
        t["loss.softmax"] = t["loss.exps"] / t["loss.rowsum"]
        t["loss.clipped"] = np.maximum(t["loss.softmax"], f(1e-7))
        t["loss.log"] = np.log(t["loss.clipped"])
        t["loss.weighted"] = y * t["loss.log"]
        t["loss.per_sample"] = t["loss.weighted"].sum(axis=1)
        t["loss.mean"] = t["loss.per_sample"].mean()
        t["loss.grad"] = (t["loss.softmax"] - y) * (f(1) / f(self.batch_size))
        t["metrics.argmax"] = logits.argmax(axis=1)
        t["fc2.grad.w"] = t["fc1.output"].T @ t["loss.grad"]
        t["fc2.grad.b"] = t["loss.grad"].sum(axis=0)
        t["fc2.grad.input"] = t["loss.grad"] @ self.p["fc2.w"].T
        t["fc1.grad.preact"] = t["fc2.grad.input"] * (t["fc1.output"] > 0)
        t["fc1.grad.w"] = x.T @ t["fc1.grad.preact"]
        t["fc1.grad.b"] = t["fc1.grad.preact"].sum(axis=0)
        t["fc1.grad.input"] = t["fc1.grad.preact"] @ self.p["fc1.w"].T
        self.product1 = t["adam.beta1_product"] = self.product1 * f(0.9)
        self.product2 = t["adam.beta2_product"] = self.product2 * f(0.999)
        for name in ("fc1.w", "fc1.b", "fc2.w", "fc2.b"):
            layer, kind = name.split(".")
            t |= self.adam(name, t[f"{layer}.grad.{kind}"])
        return t

    def adam(self, name: str, g: Any) -> Arrays:
        f = np.float32
        m = self.m[name] = f(0.9) * self.m[name] + (f(1) - f(0.9)) * g
        v = self.v[name] = f(0.999) * self.v[name] + (f(1) - f(0.999)) * (g * g)
        m_hat = m / (f(1) - self.product1)
        v_hat = v / (f(1) - self.product2)
        p = self.p[name] = self.p[name] - (f(1e-3) * m_hat) / (np.sqrt(v_hat) + f(1e-7))
        return {
            f"adam.{name}.{kind}": value
            for kind, value in zip(("m", "v", "m_hat", "v_hat", "p"), (m, v, m_hat, v_hat, p), strict=True)
        }


@pytest.mark.parametrize(("batch_size", "steps"), [(128, 60), (1, 20), (33, 40), (6000, 2)])
def test_every_tap_has_the_bits_of_the_plain_formulas(data: MnistData, batch_size: int, steps: int) -> None:
    trainer = MlpTrainer(data, batch_size=batch_size)
    plain = Plain(data, batch_size, 1337)
    for step in range(steps):
        expected = plain.step(step)
        names = []
        for tap in trainer.step(step):
            if tap.occasional:
                continue
            names.append(tap.name)
            want = expected[tap.name]
            assert (tap.value.dtype, tap.value.shape) == (want.dtype, want.shape), tap.name
            assert tap.value.tobytes() == want.tobytes(), f"step {step}: {tap.name}"
        assert names == NAMES


def test_losses_fall_and_the_test_set_is_learned(data: MnistData) -> None:
    trainer = MlpTrainer(data, epochs=5)
    loss, accuracy = trainer.metrics["loss"], trainer.metrics["test accuracy"]
    losses, accuracies = [], []
    for step in range(230):
        for tap in trainer.step(step):
            if tap.name == loss.tap:
                losses.append(loss.compute(step, tap.value))
            elif tap.name == accuracy.tap:
                accuracies.append(accuracy.compute(step, tap.value))
    assert losses[0] > 2
    assert losses[-1] < 0.05
    assert accuracies == [pytest.approx(0.99, abs=0.01)]
