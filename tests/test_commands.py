"""``cotrain COMMAND``: each command is there, and is the module of its name."""

from __future__ import annotations

import pytest
from lockstep.command import python

from cotrain.__main__ import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = python("-m", "cotrain", name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: " in done.stdout


def test_the_list_of_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert main([]) == 2
    assert capsys.readouterr().out.count("  check ") == 2


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chekc"]) == 2
    assert capsys.readouterr().err.startswith("cotrain: there is no command 'chekc'; commands: lockstep, check, ")
