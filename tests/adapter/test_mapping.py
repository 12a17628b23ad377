"""A mapping file: what it says, and one sentence with line and key for what is wrong in it. No .NET here."""

# ruff: noqa: E501 (messages stand in one line, as they are printed)

from __future__ import annotations

from pathlib import Path

import pytest

from cotrain.adapter.mapping import read
from cotrain.errors import CotrainError, ExitCode

MINIMAL = """\
assembly = "bin/My.dll"

[objects.layer]
type = "My.Layer"
arguments = [2, 0.5, "tanh", true, { object = "layer" }]

[feed]
x = "data.x"

[parameters]
"layer.w" = "layer.Parameters[w]"

[[calls]]
call = "layer.Forward(x)"
result = "y"
taps = { "layer.y" = "y" }

[[calls]]
[calls.taps]
loss = { member = "layer.Loss", of = "loss.mean", negate = true }
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "model.toml"
    file.write_text(text)
    return file


def test_a_mapping_is_read(tmp_path: Path) -> None:
    mapping = read(written(tmp_path, MINIMAL))
    assert mapping.assembly == tmp_path / "bin" / "My.dll"
    [made] = mapping.objects
    assert (made.name, made.type, [str(each) for each in made.arguments]) == (
        "layer",
        "My.Layer",
        ["2", "0.5", "tanh", "True", "layer"],
    )
    [feed] = mapping.feeds
    assert (feed.name, feed.tap, feed.batches, feed.one_hot) == ("x", "data.x", True, None)
    [parameter] = mapping.parameters
    assert (parameter.name, str(parameter.path), parameter.initial) == (
        "layer.w",
        "layer.Parameters[w]",
        "init.layer.w",
    )
    output, loss = mapping.taps
    assert (output.name, output.of, output.negate, output.call) == ("layer.y", "layer.y", False, "layer.Forward(x)")
    assert (loss.name, loss.of, loss.negate, str(loss.path)) == ("loss", "loss.mean", True, "layer.Loss")


def test_taps_know_their_lines(tmp_path: Path) -> None:
    # The card shows them as the candidate's source.
    assert [tap.at.line for tap in read(written(tmp_path, MINIMAL)).taps] == [16, 20]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('assembly = "bin/My.dll"', "", "model.toml: assembly is missing"),
        ('"bin/My.dll"', "3", "model.toml, line 1, assembly: assembly must be a text, not 3"),
        ('"bin/My.dll"', '""', "model.toml, line 1, assembly: assembly is empty"),
        ("[feed]", "[fed]", "model.toml, line 7, fed: unknown key fed; known here: assembly, objects, feed, parameters, calls"),
        ('type = "My.Layer"', "", "model.toml, line 3, [objects.layer]: type is missing"),
        ("type =", "typ =", "model.toml, line 3, [objects.layer]: type is missing"),
        ("2, 0.5", "2, [1]", "model.toml, line 5, [objects.layer], arguments: an argument is a number, a text, true, false or { object = \"NAME\" }, not [1]"),
        ('x = "data.x"', "x = 1", "model.toml, line 8, [feed], x: this must be a text or a table with tap, not 1"),
        ('x = "data.x"', 'x = { tap = "d", one_hot = 0 }', "model.toml, line 8, [feed], x: one_hot must be a whole number of at least 1"),
        ('x = "data.x"', 'x = { tap = "d", hot = 1 }', "model.toml, line 8, [feed], x: unknown key hot; known here: tap, whole, one_hot"),
        ('x = "data.x"', 'step = "data.x"', "model.toml, line 8, [feed], step: the name step is taken"),
        ('x = "data.x"', 'layer = "data.x"', "model.toml, line 8, [feed], layer: the name layer is taken"),
        ('"layer.w" =', "layer.w =", "model.toml, line 11, [parameters], layer: member is missing (a name with dots stands in quotes: \"layer...\")"),
        ("Parameters[w]", "Parameters[w", "model.toml, line 11, [parameters], layer.w: 'layer.Parameters[w' is not a path such as fc1.Grads[w]"),
        ("Forward(x)", "Forward x", "model.toml, line 14, [[calls]] number 1, call: 'layer.Forward x' is not a call such as fc1.Forward(x)"),
        ('result = "y"', 'result = "y z"', "model.toml, line 15, [[calls]] number 1, result: 'y z' is no name; use letters, digits and _"),
        ('call = "layer.Forward(x)"', "", "model.toml, line 13, [[calls]] number 1: there is a result but no call"),
        ("loss = {", '"layer.y" = {', "model.toml, line 20, [[calls]] number 2, taps, layer.y: the tap layer.y stands in line 16 already"),
        ('of = "loss.mean"', 'of = "layer.y"', "model.toml, line 20, [[calls]] number 2, taps, loss: the reference's tap layer.y stands in line 16 already"),
        ("negate = true", "negate = 1", "model.toml, line 20, [[calls]] number 2, taps, loss: negate must be true or false, not 1"),
        ("negate = true", "sign = -1", "model.toml, line 20, [[calls]] number 2, taps, loss: unknown key sign; known here: member, of, negate"),
        ("[calls.taps]\n", "", "model.toml, line 19, [[calls]] number 2, loss: unknown key loss; known here: call, result, taps"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in MINIMAL
    with pytest.raises(CotrainError) as error:
        read(written(tmp_path, MINIMAL.replace(old, new, 1)))
    assert (str(error.value), error.value.exit_code) == (said, ExitCode.USAGE)


def test_what_is_no_toml(tmp_path: Path) -> None:
    with pytest.raises(CotrainError, match=r"^model\.toml is no TOML: Invalid value \(at line 20, column \d+\)$"):
        read(written(tmp_path, MINIMAL.replace("= true", "= True")))


def test_a_mapping_without_calls(tmp_path: Path) -> None:
    text = MINIMAL.partition("[[calls]]")[0]
    with pytest.raises(CotrainError, match=r"model\.toml, calls: there must be at least one table \[\[calls\]\]"):
        read(written(tmp_path, text))


def test_a_mapping_without_taps(tmp_path: Path) -> None:
    text = MINIMAL.replace('taps = { "layer.y" = "y" }', "").partition("[[calls]]\n[calls")[0]
    with pytest.raises(CotrainError, match="no call has taps, so there is nothing to compare"):
        read(written(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(CotrainError, match="cannot be read: No such file"):
        read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(CotrainError, match="is no text in UTF-8"):
        read(tmp_path / "binary.toml")
