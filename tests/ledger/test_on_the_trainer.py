"""The bundled trainer's own operations and operands: what NumSharp's own code makes of them is in the ledger."""

import pytest
from ledger.numsharp_calls import numsharp
from ledger.tightness import why_not_here

from cotrain.ledger import Occurrence, could_match, find, match
from cotrain.ledger.operation import parse
from twin.mnist_mlp import create

OPTIONS = {"gemm": "native", "math": "numsharp"}


def found(batch_size, steps):
    """Which entries explain which taps; None among them when a difference is unexplained."""
    trainer = create({"batch_size": batch_size, "steps": steps})
    values = {tap.as_input or tap.name: tap.value for tap in trainer.initial()}
    entries = {}
    for step in range(steps):
        values["batch"] = values["data.x"][step * batch_size :][:batch_size]
        taps = {}
        for tap in trainer.step(step):
            taps[tap.name] = tap.value.copy()
            if not could_match(tap.op, tap.value.dtype, **OPTIONS):
                continue
            inputs = tuple(
                taps[name] if name in taps else values[name.replace("data.x", "batch")] for name in tap.inputs
            )
            operation = parse(tap.op)
            own = numsharp(operation, operation.arguments(inputs, tap.value.dtype))
            if own.tobytes() != tap.value.tobytes():
                entry = match(Occurrence(tap.op, inputs, tap.value, own.reshape(tap.value.shape), **OPTIONS))
                entries.setdefault(tap.name, set()).add(entry and entry.name)
        values |= {f"{name}@-1": value for name, value in taps.items()}
    return entries


@pytest.fixture(autouse=True)
def where_it_shows(runtime):
    for name in ("mean-float32", "gemm-native-float32"):
        if reason := why_not_here(find(name)):
            pytest.skip(reason)


def test_the_loss_and_the_products_differ():
    entries = found(128, 40)
    assert entries.pop("loss.mean") == {"mean-float32"}
    assert "fc1.preact" in entries
    assert all(names == {"gemm-native-float32"} for names in entries.values()), entries


def test_with_one_sample_a_bias_gradient_keeps_negative_zeros():
    entries = found(1, 5)
    assert entries.pop("fc1.grad.b") == {"sum-axis-of-one"}
    assert all(names == {"gemm-native-float32"} for names in entries.values()), entries
