"""A mapping that does not fit the assembly or the reference: one sentence with line and key, before any step."""

# ruff: noqa: E501 (messages stand in one line, as they are printed)

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cotrain.adapter import Adapted, is_mapping
from cotrain.clr import Runtime
from cotrain.errors import CotrainError, ExitCode
from cotrain.lockstep.pair import Pair

MakeMapping = Callable[..., Path]


def test_a_mapping_is_known_by_its_ending() -> None:
    assert is_mapping("model.toml")
    assert is_mapping(Path("a/model.toml"))
    assert not is_mapping("My.dll:My.Trainer")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"UnpreparedMlp.dll"', '"Other.dll"', "unprepared.toml, assembly: there is no file "),
        ('type = "UnpreparedMlp.Adam"', 'type = "UnpreparedMlp.Adams"', "unprepared.toml, line 16, [objects.adam]: UnpreparedMlp.dll has no public type UnpreparedMlp.Adams; did you mean UnpreparedMlp.Adam"),
        ('type = "UnpreparedMlp.Adam"', 'type = "UnpreparedMlp.Optimizer"', "unprepared.toml, line 16, [objects.adam]: UnpreparedMlp.Optimizer is abstract: no object can be made of it"),
        ('[784, 128, "Relu"]', '[784, 128, "relu"]', 'unprepared.toml, line 4, [objects.fc1]: Dense(784 (number), 128 (number), "relu" (text)) fits none of the public ones: Dense(int inputs, int outputs, None|Relu activation = None)'),
        ("[128, 10]", "[128.0, 10]", "unprepared.toml, line 8, [objects.fc2]: Dense(128 (number), 10 (number)) fits none of the public ones: Dense(int inputs, int outputs, None|Relu activation = None)"),
        ("[128, 10]", "[128]", "unprepared.toml, line 8, [objects.fc2]: Dense(128 (number)) fits none of the public ones: "),
        ("[128, 10]", '[128, { object = "fc3" }]', "unprepared.toml, line 8, [objects.fc2]: nothing is called fc3 here; known: fc1, iteration, result, step"),
        ("fc1.Parameters[b]\"\n\"fc2.w", "fc1.parameters[b]\"\n\"fc2.w", "unprepared.toml, line 26, [parameters], fc1.b: Dense has no public member parameters; did you mean Parameters?"),
        ("fc1.Parameters[b]\"\n\"fc2.w", "fc1.Parameters\"\n\"fc2.w", "unprepared.toml, line 26, [parameters], fc1.b: fc1.Parameters is a Dictionary<string, NDArray>; a parameter is an NDArray"),
        ("fc2.Forward(fc1.Output)", "fc2.Forward(fc1)", "unprepared.toml, line 35, [[calls]] number 2, call: fc2.Forward(fc1 (Dense)) fits none of the public ones: fc2.Forward(NDArray x)"),
        ("fc2.Forward(fc1.Output)", "fc2.Forward()", "unprepared.toml, line 35, [[calls]] number 2, call: fc2.Forward() fits none of the public ones: fc2.Forward(NDArray x)"),
        ("fc2.Forward(fc1.Output)", "fc2.Forward(fc1.Outputs)", "unprepared.toml, line 35, [[calls]] number 2, call: Dense has no public member Outputs; it has Grads, Input, InputGrad, Output, Parameters"),
        ("cost.Backward(", "cost.Backwards(", "unprepared.toml, line 44, [[calls]] number 4, call: SoftmaxCost has no public method Backwards; it has Backward, Forward"),
        ('"loss.grad" = "grad"', '"loss.grad" = "gradient"', "unprepared.toml, line 46, [[calls]] number 4, taps, loss.grad: nothing is called gradient here; known: "),
        ('"fc2.output" = "fc2.Output"', '"fc2.output" = "result"', "unprepared.toml, line 36, [[calls]] number 2, taps, fc2.output: result is nothing here: no call returns a value at this place"),
        ('call = "fc2.Backward(grad)"', 'call = "fc2.Backward(grad)"\nresult = "r"', "unprepared.toml, line 49, [[calls]] number 5, call: fc2.Backward returns nothing that could be called r"),
        ("fc2.Grads[b]", "fc2.Grads[0]", "unprepared.toml, line 52, [[calls]] number 5, taps, fc2.grad.b: Dictionary<string, NDArray> has no element by position: [0]"),
    ],
)  # fmt: skip
def test_what_the_assembly_lacks(runtime: Runtime, mapping: MakeMapping, old: str, new: str, said: str) -> None:
    with pytest.raises(CotrainError) as error:
        Adapted(mapping((old, new)))
    assert str(error.value).startswith(said)
    assert error.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"fc1.b" = "fc1', '"fc1.bias" = "fc1', "unprepared.toml, line 26, [parameters], fc1.bias: the reference's state has no fc1.bias; near names: fc1."),
        ('"fc1.b" = "fc1.Parameters[b]"', '"fc1.b" = { member = "fc1.Parameters[b]", initial = "init.b" }', "unprepared.toml, line 26, [parameters], fc1.b: the reference has no tap init.b before step 0; near names: init.fc"),
        ('"loss.mean"', '"loss.means"', "unprepared.toml, line 41, [[calls]] number 3, taps, loss: the reference has no tap loss.means in step 0; near names: loss.mean"),
        ('x = "data.train.x"', 'x = "data.x"', "unprepared.toml, line 21, [feed], x: the reference has no tap data.x in step 0; near names: data.t"),
        ("one_hot = 10", "one_hot = 9", "unprepared.toml, line 22, [feed], y: one_hot takes a vector of whole numbers from 0 to 8; the reference's data.train.y is uint8[6000], up to 9"),
    ],
)  # fmt: skip
def test_what_the_reference_lacks(runtime: Runtime, mapping: MakeMapping, old: str, new: str, said: str) -> None:
    file = mapping((old, new))
    with Pair.load(candidate=str(file), options={"steps": 2}) as pair, pytest.raises(CotrainError) as error:
        pair.run()
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"fc2.Output" }', '"fc2.InputGrad" }', "unprepared.toml, line 36, [[calls]] number 2, taps, fc2.output: fc2.InputGrad is null"),
        ('"fc2.Output" }', '"fc2.Grads[w]" }', "unprepared.toml, line 36, [[calls]] number 2, taps, fc2.output: fc2.Grads has no w"),
        ('"fc2.Output" }', '"fc2.Parameters[c]" }', "unprepared.toml, line 36, [[calls]] number 2, taps, fc2.output: fc2.Parameters has no c; it has w, b"),
        ('"fc2.Output" }', '"fc2.Parameters" }', "unprepared.toml, line 36, [[calls]] number 2, taps, fc2.output: fc2.Parameters is a Dictionary<string, NDArray>; a tap takes an NDArray or a number"),
        ("fc1.Backward(fc2.InputGrad)", "fc1.Backward(fc1.InputGrad)", "NullReferenceException: "),
    ],
)  # fmt: skip
def test_what_is_not_there_in_a_step(runtime: Runtime, mapping: MakeMapping, old: str, new: str, said: str) -> None:
    with Pair.load(candidate=str(mapping((old, new))), options={"steps": 2}) as pair:
        error = pair.run().error
    assert error is not None
    place, _, reason = error.partition(": ")
    assert place.startswith("the candidate threw in step 0, after tap fc")
    assert reason.startswith(said)


def test_an_array_is_cut_into_batches_unless_it_is_handed_over_whole(runtime: Runtime, mapping: MakeMapping) -> None:
    whole = (
        ('x = "data.train.x"', 'x = { tap = "data.train.x", whole = true }'),
        ("one_hot = 10", "one_hot = 10, whole = true"),
    )
    with Pair.load(candidate=str(mapping(*whole)), options={"steps": 2}) as pair:
        result = pair.run()
    assert result.structural is not None
    assert result.structural.candidate[0].shape == (6000, 128)


def test_an_adaptation_can_be_given_up(runtime: Runtime, mapping: MakeMapping) -> None:
    adapted = Adapted(mapping())
    adapted.close()
    adapted.close()
