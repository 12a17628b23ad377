"""Softmax and categorical cross-entropy over rows, and their common gradient.

C#: ``dotnet/MnistMlp/SoftmaxCrossEntropy.cs``.

Scalars, each rounded to float32 once: the clip is float32(1e-7) (0x33D6BF95), the gradient's factor
float32(1) / float32(batch) (0x3C000000 for 128). The product with the one-hot labels gives -0 where the label
is 0, in C# too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cotrain.protocol import Tap
from twin.buffers import Float32, buffer

CLIP = np.float32(1e-7)
"""Smallest probability whose logarithm is taken."""


def gradient_factor(batch: int) -> np.float32:
    """What the gradient is multiplied by: 1 / batch, rounded."""
    return np.float32(1) / np.float32(batch)


class SoftmaxCrossEntropy:
    """The buffers of the loss in one of the trainer's rotating sets, and the operations that fill them."""

    def __init__(self, batch: int, classes: int, *, logits: str, labels: str) -> None:
        """``logits`` and ``labels`` name the taps that it reads."""
        shape, column = (batch, classes), (batch, 1)
        self.rowmax = buffer("loss.rowmax", column, "max(logits, axis=1, keepdims=True)", (logits,))
        self.shifted = buffer("loss.shifted", shape, "logits - rowmax", (logits, "loss.rowmax"))
        self.exps = buffer("loss.exps", shape, "exp(shifted)", ("loss.shifted",))
        self.rowsum = buffer("loss.rowsum", column, "sum(exps, axis=1, keepdims=True)", ("loss.exps",))
        self.softmax = buffer("loss.softmax", shape, "exps / rowsum", ("loss.exps", "loss.rowsum"))
        self.clipped = buffer("loss.clipped", shape, "max(softmax, 1e-7)", ("loss.softmax",))
        self.log = buffer("loss.log", shape, "log(clipped)", ("loss.clipped",))
        self.weighted = buffer("loss.weighted", shape, "one_hot(y) * log", (labels, "loss.log"))
        self.per_sample = buffer("loss.per_sample", (batch,), "sum(weighted, axis=1)", ("loss.weighted",))
        self.mean = buffer("loss.mean", (), "mean(per_sample)", ("loss.per_sample",))
        self.grad = buffer("loss.grad", shape, "(softmax - one_hot(y)) * (1 / batch)", ("loss.softmax", labels))
        self._factor = gradient_factor(batch)

    def run(self, logits: Float32, one_hot: Float32) -> Iterator[Tap]:
        """From logits (batch, classes) and one-hot float32 labels of that shape: the loss and its gradient.

        The loss is tapped as the mean logarithm, before its negation.
        """
        np.maximum.reduce(logits, axis=1, keepdims=True, out=self.rowmax.value)
        yield self.rowmax
        np.subtract(logits, self.rowmax.value, out=self.shifted.value)
        yield self.shifted
        np.exp(self.shifted.value, out=self.exps.value)
        yield self.exps
        np.add.reduce(self.exps.value, axis=1, keepdims=True, out=self.rowsum.value)
        yield self.rowsum
        np.divide(self.exps.value, self.rowsum.value, out=self.softmax.value)
        yield self.softmax
        np.maximum(self.softmax.value, CLIP, out=self.clipped.value)
        yield self.clipped
        np.log(self.clipped.value, out=self.log.value)
        yield self.log
        np.multiply(one_hot, self.log.value, out=self.weighted.value)
        yield self.weighted
        np.add.reduce(self.weighted.value, axis=1, out=self.per_sample.value)
        yield self.per_sample
        np.mean(self.per_sample.value, out=self.mean.value)
        yield self.mean
        # A difference, then a product by the factor, both rounded.
        np.subtract(self.softmax.value, one_hot, out=self.grad.value)
        np.multiply(self.grad.value, self._factor, out=self.grad.value)
        yield self.grad
