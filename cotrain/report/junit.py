"""The result as JUnit XML: a test case per tap, in the form that pytest writes and CI systems read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from cotrain import files
from cotrain.lockstep.result import Result, Verdict
from cotrain.report import card, summary
from cotrain.report.standing import Outcome, Standing, standings

SUITE = "cotrain.lockstep"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document may hold, escaped or not."""


def write(result: Result, path: Path) -> None:
    """Writes the file, whole or not at all. CotrainError when it cannot be written."""
    files.write_text(path, to_xml(result))


def to_xml(result: Result) -> str:
    """The document. A tap that differs is a failure with its card; one that was not selected is skipped."""
    suite = ET.Element("testsuite", name=SUITE)
    cases = list(_cases(result))
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(result):
        ET.SubElement(properties, "property", name=_text(name), value=_text(value))
    suite.extend(cases)
    suites = ET.Element("testsuites", name="cotrain")
    for element in (suites, suite):
        for name, count in counts.items():
            element.set(name, str(count))
        element.set("time", _seconds(result.timing.wall))
    suites.append(suite)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _cases(result: Result) -> Iterator[ET.Element]:
    run = _case("run", 0.0)
    if result.verdict is Verdict.ERROR:
        _outcome(run, "error", "error", str(result.error), "")
    elif result.verdict is Verdict.INTERRUPTED:
        text = f"interrupted by signal {result.signal} after {result.steps} steps"
        _outcome(run, "error", "interrupted", text, "")
    yield run
    structure = _case("the taps of both sides line up", 0.0)
    if result.structural is not None:
        rows = list(card.structural_rows(result.structural))
        heading = f"structural divergence: {result.structural.reason}"
        _outcome(structure, "failure", "structural", heading, "\n".join(card.plain_lines(heading, rows)))
    yield structure
    if result.initial.taps:
        yield _initial(result)
    for standing in standings(result):
        yield _tap(standing, result)


def _initial(result: Result) -> ET.Element:
    case = _case(f"initial state ({result.initial.taps} taps, {summary.size(result.initial.bytes)})", 0.0)
    first = next((found for found in result.divergences if found.place.step < 0), None)
    if first is not None and not first.accepted:
        _outcome(case, "failure", "initial", f"{first.tap} differs before step 0", "")
    return case


def _tap(standing: Standing, result: Result) -> ET.Element:
    about = standing.about
    name = f"{standing.tap} = {about.op}" if about.op else standing.tap
    case = _case(name, about.reference + about.candidate + about.compare)
    outcome = standing.outcome
    if outcome is Outcome.UNSELECTED:
        _outcome(case, "skipped", "", "not among the selected taps", "")
    elif outcome is Outcome.EXCUSED:
        _outcome(case, "skipped", "", f"a known difference: {standing.divergences[0].excuse}", "")
    elif outcome is Outcome.AFTER:
        first = result.first
        what = f"in step {first.place.step}, after {first.tap}" if first else "later"
        _outcome(case, "failure", "after", f"differs too {what}", "")
    elif outcome is not Outcome.EQUAL:
        lines = list(_table(standing))
        for found in standing.divergences:
            lines += ["", *card.plain_lines(card.headline(found), list(card.rows(found)))]
        if result.command and result.first in standing.divergences:
            lines.append(f"  again  {result.command}")
        told = next((one for one in standing.divergences if not one.accepted), None)
        heading = card.headline(told) if told else "differs"
        _outcome(case, "failure", str(outcome), heading, "\n".join(lines))
    return case


def _table(standing: Standing) -> Iterator[str]:
    """How often and how much the tap differs, a line per kind."""
    row = standing.differences
    for kind, tally in () if row is None else (("origin", row.origin), ("inherited", row.inherited)):
        if tally.steps:
            ulp = "" if tally.max_ulp is None else f", at most {tally.max_ulp:,} ulp apart"
            where = f"step {tally.first_step}"
            if tally.steps > 1:
                where = f"{tally.steps:,} steps from {tally.first_step} to {tally.last_step}"
            yield f"{kind} in {where}: {tally.elements:,} element{'s' * (tally.elements != 1)}{ulp}"


def _case(name: str, seconds: float) -> ET.Element:
    return ET.Element("testcase", classname=SUITE, name=_text(name), time=_seconds(seconds))


def _outcome(case: ET.Element, tag: str, kind: str, message: str, text: str) -> None:
    element = ET.SubElement(case, tag, message=_text(message))
    if kind:
        element.set("type", kind)
    element.text = _text(text) or None


def _properties(result: Result) -> Iterator[tuple[str, str]]:
    yield "verdict", str(result.verdict)
    yield "steps", str(result.steps)
    yield "taps_compared", str(result.compared.taps)
    yield "bytes_compared", str(result.compared.bytes)
    yield "on_diff", result.on_diff
    for number, warning in enumerate(result.warnings, 1):
        yield f"warning.{number}", warning
    yield from _flat("pins", result.pins)


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(f"{name}.{key}", item)
    else:
        yield name, " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _seconds(value: float) -> str:
    return f"{value:.6f}"


def _text(value: str) -> str:
    """Text that XML can hold: what it forbids becomes U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", value)
