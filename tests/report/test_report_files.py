"""``--report`` and ``--junit``: tried before the run, written whole, whatever became of the run."""

import argparse
import json
import os
from pathlib import Path

import pytest
from report import results

from cotrain.errors import CotrainError
from cotrain.lockstep.outputs import Outputs
from cotrain.report import json_report


def outputs(**options) -> Outputs:
    known = {
        "json": None,
        "trace": None,
        "report": None,
        "junit": None,
        "quiet": True,
        "stages": False,
        "parity_dump": None,
    }
    return Outputs(argparse.Namespace(**known | {name: str(value) for name, value in options.items()}))


def finish(made: Outputs, result) -> None:
    made.track(result, {})
    made.finished()


def test_all_files_are_written_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    finish(outputs(report=folder, junit=tmp_path / "junit.xml", json=folder / "result.json"), results.red())
    assert sorted(each.name for each in folder.iterdir()) == ["report.html", "report.json", "result.json"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["junit.xml", "new"]
    mask = os.umask(0)
    os.umask(mask)
    assert (folder / "report.html").stat().st_mode & 0o777 == 0o666 & ~mask


def test_the_report_json_is_the_json_with_taps_and_map(tmp_path: Path) -> None:
    finish(outputs(report=tmp_path, json=tmp_path / "result.json"), results.red())
    full = json.loads((tmp_path / "report.json").read_text())
    rest = {name: value for name, value in full.items() if name not in ("taps", "map")}
    assert rest == json.loads((tmp_path / "result.json").read_text())
    assert full["taps"][1] == {
        "tap": results.SCRIPT,
        "op": "exp(x) & more",
        "dtype": "float32",
        "shape": [128, 10],
        "selected": True,
        "steps": 92,
        "reference": 1.2,
        "candidate": 0.1,
        "compare": 0.05,
    }
    assert full["map"]["first_step"] == 0
    row = full["map"]["rows"][1]
    assert row["cells"] == "." * 7 + "o" + "." * 42 + "o" + "." * 41
    assert (row["elements"], row["ulps"]) == ([3, 3], [1 << 7, 1 << 50])
    assert full["differences"][1] == {
        "tap": "adam.p",
        "op": 'p - "lr" * g',
        "origin": {
            "steps": 0,
            "accepted_steps": 0,
            "elements": 0,
            "max_ulp": None,
            "first_step": None,
            "last_step": None,
        },
        "inherited": {
            "steps": 42,
            "accepted_steps": 0,
            "elements": 2961,
            "max_ulp": 8281,
            "first_step": 50,
            "last_step": 91,
        },
    }


def test_the_map_of_a_stopped_run_says_what_came_after() -> None:
    rows = {row["tap"]: row for row in json_report._map(results.stopped())["rows"]}
    assert "loss.mean" not in rows
    assert rows["adam.p"]["cells"] == ".......a"
    assert rows["adam.p"]["elements"] == [0]


@pytest.mark.parametrize("option", ["report", "junit"])
def test_a_place_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path, option: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CotrainError, match=f"cannot write --{option} .*; choose another"):
        outputs(**{option: tmp_path / "file" / "below"})
    if option == "report":
        with pytest.raises(CotrainError, match=r"cannot write --report .*; choose another folder"):
            outputs(report=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_trying_leaves_nothing_behind(tmp_path: Path) -> None:
    outputs(report=tmp_path, junit=tmp_path / "junit.xml")
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_written_is(tmp_path: Path) -> None:
    made = outputs(report=tmp_path / "report", junit=tmp_path / "junit.xml", json=tmp_path / "result.json")
    (tmp_path / "junit.xml").mkdir()
    with pytest.raises(CotrainError, match=r"cannot write the report .*junit\.xml"):
        finish(made, results.red())
    assert (tmp_path / "result.json").exists()
    assert (tmp_path / "report" / "report.html").exists()
    made.failed("said already")  # must not raise: the command is ending for the first reason
    assert json.loads((tmp_path / "result.json").read_text())["error"] == "said already"


def test_a_run_that_could_not_start_is_reported(tmp_path: Path) -> None:
    made = outputs(report=tmp_path, junit=tmp_path / "junit.xml")
    made.failed("no such <data>")
    assert "no such &lt;data&gt;" in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "error"
    assert "no such &lt;data&gt;" in (tmp_path / "junit.xml").read_text()
    made.interrupted(15)
    assert json.loads((tmp_path / "report.json").read_text())["exit_code"] == 143
