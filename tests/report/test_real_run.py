"""What the reports need of a run, from a run."""

from collections.abc import Callable
from xml.etree import ElementTree

from report.test_html_report import Page

from cotrain.lockstep.pair import Pair
from cotrain.report import json_report, junit


def test_every_report_of_a_run_of_the_flagship(flagship: Callable[..., Pair]) -> None:
    result = flagship(48, math="numsharp").run(on_diff="continue", taps="loss.*,weights,eval.*")
    page = Page(result)
    assert "loss.mean mean(per_sample) origin" in page.text
    assert "adam.fc2.b.p p - (lr * m_hat) / (sqrt(v_hat) + eps) equal" in page.text
    assert "fc1.preact x @ w not selected" in page.text
    assert result.tap_times["loss.softmax"].shape == (128, 10)
    assert result.tap_times["metrics.argmax"].dtype == "int64"
    assert {name: series.at for name, series in result.epoch_series.items()} == {
        "accuracy": [0, 1],
        "test accuracy": [1],
    }
    assert result.series["loss"].at == list(range(48))

    (row,) = (row for row in json_report._map(result)["rows"] if row["tap"] == "loss.mean")
    assert row["cells"].count("o") == result.differences.taps["loss.mean"].origin.steps > 0
    suite = ElementTree.fromstring(junit.to_xml(result))[0]
    assert suite.attrib["failures"] == "1"
    assert int(suite.attrib["skipped"]) == sum(not tap.selected for tap in result.tap_times.values()) > 20
