"""A dense layer with bias and an optional ReLU, forward and backward.

C#: ``dotnet/MnistMlp/FullyConnectedFused.cs``, where bias and ReLU, and the ReLU's gradient, are one fused
kernel each. Here they are two ufunc calls; the bits are the same, since each operation rounds to float32.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cotrain import products
from cotrain.protocol import Tap
from twin.buffers import Float32, buffer, zeros

_ZERO = np.float32(0)


def activate(preact: Float32, b: Float32, out: Float32, *, relu: bool) -> None:
    """``preact + b``, and max(., 0) if ``relu``: (rows, outputs) and (outputs,) into (rows, outputs)."""
    np.add(preact, b, out=out)
    if relu:
        np.maximum(out, _ZERO, out=out)


class FullyConnected:
    """The buffers of one layer in one of the trainer's rotating sets, and the operations that fill them."""

    def __init__(self, name: str, shape: tuple[int, int, int], *, relu: bool, x: str, gradient: str) -> None:
        """``shape`` is (batch, inputs, outputs); ``x`` and ``gradient`` name the taps that it reads."""
        batch, inputs, outputs = shape
        w, b = f"adam.{name}.w.p@-1", f"adam.{name}.b.p@-1"
        self.relu = relu
        self.preact = buffer(f"{name}.preact", (batch, outputs), "x @ w", (x, w))
        self.output = buffer(
            f"{name}.output",
            (batch, outputs),
            "max(preact + b, 0)" if relu else "preact + b",
            (self.preact.name, b),
        )
        self.grad_preact: Tap | None = None
        if relu:
            self.grad_preact = buffer(
                f"{name}.grad.preact",
                (batch, outputs),
                "gradient * (output > 0)",
                (gradient, self.output.name),
            )
            gradient = self.grad_preact.name
        self.grad_w = buffer(f"{name}.grad.w", (inputs, outputs), "x.T @ gradient", (x, gradient))
        self.grad_b = buffer(f"{name}.grad.b", (outputs,), "sum(gradient, axis=0)", (gradient,))
        self.grad_input = buffer(f"{name}.grad.input", (batch, inputs), "gradient @ w.T", (gradient, w))
        self._positive = zeros((batch, outputs), np.bool_)
        self._mask: Float32 = zeros((batch, outputs))

    def forward(self, x: Float32, w: Float32, b: Float32) -> Iterator[Tap]:
        """Fills preact and output from x (batch, inputs), w (inputs, outputs) and b (outputs,)."""
        products.dot(x, w, out=self.preact.value)
        yield self.preact
        activate(self.preact.value, b, self.output.value, relu=self.relu)
        yield self.output

    def backward(self, x: Float32, w: Float32, gradient: Float32) -> Iterator[Tap]:
        """Fills the gradients of w, b and x from that of the output, (batch, outputs)."""
        if self.grad_preact is not None:
            # A product by 1 or 0, as in C#: a negative gradient times 0 is -0.
            np.greater(self.output.value, _ZERO, out=self._positive)
            np.copyto(self._mask, self._positive)
            np.multiply(gradient, self._mask, out=self.grad_preact.value)
            yield self.grad_preact
            gradient = self.grad_preact.value
        products.dot(x.T, gradient, out=self.grad_w.value)
        yield self.grad_w
        np.add.reduce(gradient, axis=0, out=self.grad_b.value)
        yield self.grad_b
        products.dot(gradient, w.T, out=self.grad_input.value)
        yield self.grad_input
