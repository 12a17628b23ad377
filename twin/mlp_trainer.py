"""The MLP 784-128-10 with ReLU, trained by Adam on batches in order, cut into steps and taps.

C#: ``dotnet/MnistMlp/MlpTrainer.cs``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from cotrain import products
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike, Metric, Tap
from twin import stages
from twin.adam import Adam, AdamParameter
from twin.buffers import Float32, buffer
from twin.fully_connected import FullyConnected, activate
from twin.mnist_loader import CLASSES, FEATURES, MnistData
from twin.softmax_cross_entropy import SoftmaxCrossEntropy

HIDDEN = 128
EVALUATION_EPOCHS = 5
"""The test set is evaluated after every fifth epoch, and after the last step."""

HE = np.sqrt(2.0 / FEATURES)
"""Standard deviation of the weights of the layer before a ReLU; float64, as all draws are."""
XAVIER = np.sqrt(2.0 / (HIDDEN + CLASSES))
"""Standard deviation of the last layer's weights."""

_SETS = 4


class _StepBuffers:
    """All that one step writes."""

    def __init__(self, batch: int, test_samples: int) -> None:
        self.fc1 = FullyConnected("fc1", (batch, FEATURES, HIDDEN), relu=True, x="data.x", gradient="fc2.grad.input")
        self.fc2 = FullyConnected("fc2", (batch, HIDDEN, CLASSES), relu=False, x="fc1.output", gradient="loss.grad")
        self.loss = SoftmaxCrossEntropy(batch, CLASSES, logits="fc2.output", labels="data.y")
        self.argmax = buffer("metrics.argmax", (batch,), "argmax(logits, axis=1)", ("fc2.output",), dtype=np.int64)
        self.adam = Adam()
        self.w1 = AdamParameter("fc1.w", (FEATURES, HIDDEN), gradient="fc1.grad.w")
        self.b1 = AdamParameter("fc1.b", (HIDDEN,), gradient="fc1.grad.b")
        self.w2 = AdamParameter("fc2.w", (HIDDEN, CLASSES), gradient="fc2.grad.w")
        self.b2 = AdamParameter("fc2.b", (CLASSES,), gradient="fc2.grad.b")
        self.parameters = (self.w1, self.b1, self.w2, self.b2)
        self.eval_output = buffer(
            "eval.output",
            (test_samples, CLASSES),
            "fc2(fc1(test x)), in batches",
            ("data.test.x", *(parameter.p.name for parameter in self.parameters)),
            occasional=True,
        )
        self.eval_argmax = buffer(
            "eval.argmax",
            (test_samples,),
            "argmax(logits, axis=1)",
            ("eval.output",),
            dtype=np.int64,
            occasional=True,
        )


class MlpTrainer:
    """A :class:`cotrain.protocol.Trainer`. ``step`` must be called for 0, 1, 2, … in turn.

    Everything a step writes lies in one of four sets of arrays, used in rotation: what step n yields stays
    untouched until step n + 4 begins, and m, v and p of step n - 1 are inputs of step n.
    """

    stable_buffers: bool = True
    occasional_taps: tuple[str, ...] = ("eval.output", "eval.argmax")
    parameters: tuple[str, ...] = ("fc1.w", "fc1.b", "fc2.w", "fc2.b")
    tap_groups: Mapping[str, str] = {"weights": "adam.*.p"}

    def __init__(
        self,
        data: MnistData,
        *,
        steps: int | None = None,
        epochs: int | None = None,
        batch_size: int = 128,
        seed: int = 1337,
    ) -> None:
        """The run's length is ``steps``, else ``epochs``, else it has no end."""
        samples = len(data.train_x)
        if samples < batch_size:
            raise CotrainError(
                f"the training data has {samples} samples, fewer than one batch of {batch_size}: "
                f"choose a batch size of {samples} or less"
            )
        self.steps_per_epoch = samples // batch_size
        self.total_steps = steps
        if steps is None and epochs is not None:
            self.total_steps = epochs * self.steps_per_epoch
        self.metrics: Mapping[str, Metric] = {
            "loss": Metric("loss.mean", loss, per_step=True),
            "accuracy": Metric("metrics.argmax", self._batch_accuracy),
            "test accuracy": Metric("eval.argmax", self._test_accuracy),
        }
        self.stages = stages.of_run(self.steps_per_epoch)
        self._data = data
        self._batch_size = batch_size
        self._batches = self._cut_batches()
        self._sets = tuple(_StepBuffers(batch_size, len(data.test_x)) for _ in range(_SETS))
        self._next_step = 0
        self._initial = self._draw_initial(seed)
        before_first = self._sets[-1]
        before_first.adam.reset()
        for parameter in before_first.parameters:
            parameter.reset(self._initial[parameter.name])

    def initial(self) -> Iterable[Tap]:
        """The initial parameters, moments and products, then the data; arrays that no step writes."""
        for parameter in self._sets[-1].parameters:
            yield Tap(f"init.{parameter.name}", self._initial[parameter.name], as_input=f"{parameter.p.name}@-1")
        for parameter in self._sets[-1].parameters:
            zeros = np.zeros_like(self._initial[parameter.name])
            yield Tap(f"init.{parameter.m.name}", zeros, as_input=f"{parameter.m.name}@-1")
            yield Tap(f"init.{parameter.v.name}", zeros, as_input=f"{parameter.v.name}@-1")
        for name in ("adam.beta1_product", "adam.beta2_product"):
            yield Tap(f"init.{name}", np.ones((), np.float32), as_input=f"{name}@-1")
        yield Tap("data.train.x", self._data.train_x, as_input="data.x")
        yield Tap("data.train.y", self._data.train_y, as_input="data.y")
        yield Tap("data.test.x", self._data.test_x, as_input="data.test.x")
        yield Tap("data.test.y", self._data.test_y, as_input="data.test.y")

    def step(self, step: int) -> Iterator[Tap]:
        """Runs one step: 45 taps, and two more where the test set is evaluated."""
        if step != self._next_step:
            raise ValueError(f"steps run in turn: {self._next_step} comes next, not {step}")
        now, before = self._sets[step % _SETS], self._sets[(step - 1) % _SETS]
        x, one_hot = self._batches[step % self.steps_per_epoch]
        w1, b1, w2, b2 = (parameter.p.value for parameter in before.parameters)

        yield from now.fc1.forward(x, w1, b1)
        hidden = now.fc1.output.value
        yield from now.fc2.forward(hidden, w2, b2)
        logits = now.fc2.output.value
        yield from now.loss.run(logits, one_hot)
        np.argmax(logits, axis=1, out=now.argmax.value)
        yield now.argmax
        yield from now.fc2.backward(hidden, w2, now.loss.grad.value)
        yield from now.fc1.backward(x, w1, now.fc2.grad_input.value)

        yield from now.adam.advance(before.adam)
        gradients = (now.fc1.grad_w, now.fc1.grad_b, now.fc2.grad_w, now.fc2.grad_b)
        for parameter, previous, gradient in zip(now.parameters, before.parameters, gradients, strict=True):
            yield from parameter.update(previous, gradient.value, now.adam)
        self._next_step = step + 1

        if self._evaluates_after(step):
            yield from self._evaluate(now)

    def state(self) -> Mapping[str, ArrayLike]:
        """Parameters, moments and products after the last whole step; the names of C#'s State."""
        last = self._sets[(self._next_step - 1) % _SETS]
        state = {parameter.name: parameter.p.value for parameter in last.parameters}
        for parameter in last.parameters:
            state[parameter.m.name] = parameter.m.value
            state[parameter.v.name] = parameter.v.value
        state["adam.beta1_product"] = last.adam.beta1_product.value
        state["adam.beta2_product"] = last.adam.beta2_product.value
        return state

    def restore(self, step: int, state: Mapping[str, ArrayLike]) -> None:
        """Goes on as if step ``step - 1`` had just left this state."""
        self._next_step = step
        for name, value in self.state().items():
            value[...] = state[name]

    def _evaluates_after(self, step: int) -> bool:
        return (step + 1) % (EVALUATION_EPOCHS * self.steps_per_epoch) == 0 or step + 1 == self.total_steps

    def _evaluate(self, now: _StepBuffers) -> Iterator[Tap]:
        """The logits of all test samples, in batches of the training size and a remainder.

        The shape of a product decides its bits, so both sides cut alike.
        """
        w1, b1, w2, b2 = (parameter.p.value for parameter in now.parameters)
        for start in range(0, len(self._data.test_x), self._batch_size):
            rows = slice(start, start + self._batch_size)
            hidden = products.dot(self._data.test_x[rows], w1)
            activate(hidden, b1, hidden, relu=True)
            activate(products.dot(hidden, w2), b2, now.eval_output.value[rows], relu=False)
        yield now.eval_output
        np.argmax(now.eval_output.value, axis=1, out=now.eval_argmax.value)
        yield now.eval_argmax

    def _cut_batches(self) -> list[tuple[Float32, Float32]]:
        """Views of the whole batches, in order, and their labels as one-hot float32 rows.

        The one-hot rows are made once and exact, so they are no taps; operations name ``data.y`` instead.
        """
        classes = np.arange(CLASSES, dtype=np.uint8)
        one_hot = np.equal(self._data.train_y[:, np.newaxis], classes).astype(np.float32)
        starts = range(0, self.steps_per_epoch * self._batch_size, self._batch_size)
        batches = [slice(start, start + self._batch_size) for start in starts]
        return [(self._data.train_x[rows], one_hot[rows]) for rows in batches]

    @staticmethod
    def _draw_initial(seed: int) -> dict[str, Float32]:
        """He for the layer before a ReLU, Xavier for the last; drawn in float64, then rounded."""
        random = np.random.RandomState(seed)
        w1 = random.normal(0.0, HE, (FEATURES, HIDDEN))
        w2 = random.normal(0.0, XAVIER, (HIDDEN, CLASSES))
        return {
            "fc1.w": w1.astype(np.float32),
            "fc1.b": np.zeros(HIDDEN, np.float32),
            "fc2.w": w2.astype(np.float32),
            "fc2.b": np.zeros(CLASSES, np.float32),
        }

    def _batch_accuracy(self, step: int, argmax: ArrayLike) -> float:
        start = step % self.steps_per_epoch * self._batch_size
        return _agreement(argmax, self._data.train_y[start : start + self._batch_size])

    def _test_accuracy(self, step: int, argmax: ArrayLike) -> float:
        return _agreement(argmax, self._data.test_y)


def loss(step: int, mean: ArrayLike) -> float:
    """The loss of a step from the tap ``loss.mean``; negated in float32, which is exact."""
    return float(-mean[()])


def _agreement(argmax: ArrayLike, labels: npt.NDArray[np.uint8]) -> float:
    return share(int(np.count_nonzero(argmax == labels)), len(labels))


def share(hits: int, count: int) -> float:
    """An accuracy, in float64."""
    return hits / count
