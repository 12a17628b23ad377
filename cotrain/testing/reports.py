"""``--cotrain-report DIR``: a folder per test with the reports of what it compared."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from cotrain import pins
from cotrain.errors import CotrainError
from cotrain.lockstep.outputs import check_folder
from cotrain.lockstep.result import Result

_LONGEST = 100


def folder(config: pytest.Config) -> Path:
    """The folder: as the command line says from where pytest was started, as the ini file says from where that is."""
    given = config.getoption("cotrain_report")
    if given is not None:
        return Path(config.invocation_params.dir, given)
    return Path(config.rootpath, config.getini("cotrain_report"))


def check(path: Path) -> None:
    """ValueError when nothing can be written there."""
    try:
        check_folder(path, "--cotrain-report", "choose another folder")
    except CotrainError as error:
        raise ValueError(str(error)) from None


def write(results: Sequence[Result], item: pytest.Item, *, gemm: str, math: str) -> None:
    """Writes ``TEST/report.html`` and ``TEST/report.json``, numbered from the second result of a test on."""
    from cotrain.report import html_report, json_report

    compared = [result for result in results if result.steps]
    for number, result in enumerate(compared):
        result.pins = result.pins or pins.collect(gemm=gemm, math=math)
        place = folder(item.config) / (_name(item.nodeid) + (f"-{number + 1}" if number else ""))
        place.mkdir(parents=True, exist_ok=True)
        html_report.write(result, place / "report.html")
        json_report.write_full(result, place / "report.json")


def _name(node: str) -> str:
    """A test's id as a folder's name; what is too long ends in a hash, so that two do not become one."""
    plain = re.sub(r"[^\w.-]+", "-", node).strip("-.")
    if len(plain) <= _LONGEST and plain == node.replace("::", "-").replace("/", "-"):
        return plain
    return f"{plain[:_LONGEST]}-{hashlib.sha256(node.encode()).hexdigest()[:8]}"
