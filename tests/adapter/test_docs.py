"""The mappings that the documentation shows."""

from __future__ import annotations

import re
from pathlib import Path

from cotrain.adapter.mapping import read

ROOT = Path(__file__).parents[2]


def test_the_documented_example_is_the_tested_one(mapping_text: str) -> None:
    [shown] = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "unprepared.md").read_text("utf-8"), re.DOTALL)
    assert shown == mapping_text


def test_the_mapping_of_numsharps_own_demo_is_one(mapping_text: str) -> None:
    mapping = read(ROOT / "docs" / "mappings" / "upstream.toml")
    assert {each.type for each in mapping.objects} == {
        "NeuralNetwork.NumSharp.MnistMlp.FullyConnectedFused",
        "NeuralNetwork.NumSharp.MnistMlp.SoftmaxCrossEntropy",
        "NeuralNetwork.NumSharp.Optimizers.Adam",
    }
    # But for the objects it is the example: the same calls and taps.
    text = (ROOT / "docs" / "mappings" / "upstream.toml").read_text("utf-8")
    assert text.partition("[feed]")[2] == mapping_text.partition("[feed]")[2]
