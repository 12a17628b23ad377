"""Adam in float32 with bias correction by running products of the betas.

C#: ``dotnet/MnistMlp/Adam.cs`` and ``AdamParameter.cs``, where each tap of a parameter is one fused kernel.

Every scalar is rounded to float32 before it meets an array: lr float32(1e-3) (0x3A83126F), beta1 float32(0.9)
(0x3F666666), 1 - beta1 (0x3DCCCCD0; float32(0.1) would be 0x3DCCCCCD), beta2 float32(0.999) (0x3F7FBE77),
1 - beta2 (0x3A831200), epsilon float32(1e-7) (0x33D6BF95). 1 - product is rounded once more in every step.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cotrain.protocol import Tap
from twin.buffers import Float32, buffer, zeros

_ONE = np.float32(1)
LEARNING_RATE = np.float32(1e-3)
BETA1 = np.float32(0.9)
BETA2 = np.float32(0.999)
ONE_MINUS_BETA1 = _ONE - BETA1
ONE_MINUS_BETA2 = _ONE - BETA2
EPSILON = np.float32(1e-7)


class Adam:
    """The products of the betas in one of the trainer's rotating sets."""

    def __init__(self) -> None:
        self.beta1_product = buffer("adam.beta1_product", (), "product * beta1", ("adam.beta1_product@-1",))
        self.beta2_product = buffer("adam.beta2_product", (), "product * beta2", ("adam.beta2_product@-1",))
        self.correction1: Float32 = np.zeros((), np.float32)
        self.correction2: Float32 = np.zeros((), np.float32)

    def reset(self) -> None:
        """What stands before the first step: both products 1."""
        self.beta1_product.value[...] = 1
        self.beta2_product.value[...] = 1

    def advance(self, previous: Adam) -> Iterator[Tap]:
        """The products, from those of the step before, and the divisors derived from them."""
        np.multiply(previous.beta1_product.value, BETA1, out=self.beta1_product.value)
        yield self.beta1_product
        np.multiply(previous.beta2_product.value, BETA2, out=self.beta2_product.value)
        yield self.beta2_product
        np.subtract(_ONE, self.beta1_product.value, out=self.correction1)
        np.subtract(_ONE, self.beta2_product.value, out=self.correction2)


class AdamParameter:
    """One parameter under :class:`Adam` in one of the trainer's rotating sets: its value and moments."""

    def __init__(self, name: str, shape: tuple[int, ...], *, gradient: str) -> None:
        """``gradient`` names the tap of the gradient, which has the parameter's shape."""
        m, v, m_hat, v_hat, p = (f"adam.{name}.{kind}" for kind in ("m", "v", "m_hat", "v_hat", "p"))
        self.name = name
        self.m = buffer(m, shape, "beta1 * m + (1 - beta1) * g", (f"{m}@-1", gradient))
        self.v = buffer(v, shape, "beta2 * v + (1 - beta2) * (g * g)", (f"{v}@-1", gradient))
        self.m_hat = buffer(m_hat, shape, "m / (1 - product of beta1)", (m, "adam.beta1_product"))
        self.v_hat = buffer(v_hat, shape, "v / (1 - product of beta2)", (v, "adam.beta2_product"))
        self.p = buffer(p, shape, "p - (lr * m_hat) / (sqrt(v_hat) + eps)", (f"{p}@-1", m_hat, v_hat))
        self._scratch: Float32 = zeros(shape)

    def reset(self, value: Float32) -> None:
        """What stands before the first step: the initial value, no moments."""
        self.p.value[...] = value
        self.m.value[...] = 0
        self.v.value[...] = 0

    def update(self, previous: AdamParameter, gradient: Float32, adam: Adam) -> Iterator[Tap]:
        """One update, from the value and moments of the step before."""
        m, v, m_hat, v_hat, p = (tap.value for tap in (self.m, self.v, self.m_hat, self.v_hat, self.p))
        scratch = self._scratch
        np.multiply(previous.m.value, BETA1, out=m)
        np.multiply(gradient, ONE_MINUS_BETA1, out=scratch)
        np.add(m, scratch, out=m)
        yield self.m
        np.multiply(previous.v.value, BETA2, out=v)
        np.multiply(gradient, gradient, out=scratch)
        np.multiply(scratch, ONE_MINUS_BETA2, out=scratch)
        np.add(v, scratch, out=v)
        yield self.v
        # A division, not a product by the reciprocal.
        np.divide(m, adam.correction1, out=m_hat)
        yield self.m_hat
        np.divide(v, adam.correction2, out=v_hat)
        yield self.v_hat
        np.sqrt(v_hat, out=scratch)
        np.add(scratch, EPSILON, out=scratch)
        np.multiply(m_hat, LEARNING_RATE, out=p)
        np.divide(p, scratch, out=p)
        np.subtract(previous.p.value, p, out=p)
        yield self.p
