"""``python -m cotrain.ledger``: the list, one entry, JSON, and the page in docs/."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from cotrain.ledger import entries, listing
from cotrain.ledger.__main__ import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_list_names_every_entry_in_80_columns(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [entry.name for entry in entries()]
    assert max(map(len, lines)) <= 80
    assert "exp-float32           2 ulp   --math numsharp" in lines


def test_a_terminal_gets_a_table_whose_names_are_whole():
    console = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
    listing.print_table(console, entries())
    lines = console.file.getvalue().splitlines()
    assert lines[0].split() == ["name", "operation", "bound", "shown", "by"]
    assert max(map(len, lines)) <= 80
    assert [line.split(" ")[0] for line in lines[1:] if line[0] != " "] == [entry.name for entry in entries()]


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_one_entry_in_full(entry, capsys):
    assert main([entry.name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == entry.name
    assert max(map(len, lines)) <= 80
    words = " ".join(lines).split()
    for text in (entry.operation, entry.condition, entry.cause, entry.upstream, entry.example.op):
        assert " ".join(text.split()) in " ".join(words)


def test_exp_in_full(capsys):
    assert main(["exp-float32"]) == 0
    shown = capsys.readouterr().out
    assert "smallest input  exp(x) with 0x3F851592\n    NumPy         0x403504F2\n    NumSharp      0x403504F4" in shown
    assert "bound           2 ulp" in shown
    assert "--allow all     accepts it" in shown


def test_json(capsys):
    assert main(["--json"]) == 0
    everything = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in everything] == [entry.name for entry in entries()]
    assert main(["gemm-native-float32", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert one in everything
    assert (one["bound_ulp"], one["in_all"], one["setting"]) == (None, False, "--gemm native")
    assert one["smallest_input"]["reference"]["bits"][0] == "0x4B1C3D48"


def test_an_unknown_name_is_one_sentence(capsys):
    assert main(["exp-float23"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("cotrain: the ledger has no entry 'exp-float23'; near names: exp-float32, exp-float64")
    assert shown.err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -m cotrain.ledger --json | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("[\n", "")


def test_the_page_in_docs_is_current(capsys):
    """After a change: python -m cotrain.ledger --markdown > docs/ledger.md"""
    assert main(["--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "ledger.md").read_text("utf-8")
