"""The result as one HTML page that needs nothing else: no network, no server, no second file.

The page's parts lie in ``page/``. Its content-security policy allows its own style and scripts, by their
hashes, and nothing to be fetched; a person's browser holds the page to that.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cotrain import files
from cotrain.lockstep.result import Result
from cotrain.report import html_context, summary
from cotrain.report.html_data import json_for_script, packed_map, packed_series
from cotrain.report.map_rows import tap_names
from cotrain.report.standing import Standing, standings

PAGE = Path(__file__).parent / "page"
STYLES = ("uplot/uPlot.min.css", "theme.css", "page.css", "cards.css", "tables.css", "figures.css")
SCRIPTS = (
    "data.js",
    "map_view.js",
    "map_canvas.js",
    "map_pointer.js",
    "map.js",
    "details.js",
    "chart.js",
    "charts.js",
    "page.js",
)

MAX_CARDS = 120
"""Divergences shown to the bit; the JSON report has all."""


def write(result: Result, path: Path) -> None:
    """Writes the page, whole or not at all. CotrainError when it cannot be written."""
    files.write_text(path, render(result))


def render(result: Result, *, written: datetime | None = None) -> str:
    """The page. ``written`` is the time it states, now by default."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only a run that asks for a page needs it

    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"count": "{:,}".format, "duration": html_context.duration}
    style = "\n".join(_part(name) for name in STYLES)
    licence = _part("uplot/LICENSE").replace("*/", "* /")
    script = "\n".join([f"/*!\n{licence}*/", _part("uplot/uPlot.iife.min.js"), *map(_part, SCRIPTS)])
    return environment.get_template("report.html.jinja").render(
        result=result,
        style=style,
        script=script,
        policy=_policy(style, script),
        data=json_for_script(_data(result)),
        written=(written or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC"),
        **_context(result),
    )


def _context(result: Result) -> dict[str, Any]:
    taps = list(standings(result))
    cards = [html_context.card_view(found) for found in result.divergences[:MAX_CARDS]]
    return {
        "headline": html_context.headline(result),
        "facts": html_context.facts(result, taps),
        "settings": html_context.settings(result),
        "first": html_context.card_view(result.first, result.command) if cards and result.first else None,
        "cards": cards,
        "left_out": len(result.divergences) - len(cards),
        "aligned": html_context.aligned(result.structural) if result.structural else [],
        "differences": [tap for tap in taps if tap.differences is not None],
        "operations": html_context.operations(taps),
        "bars": html_context.bars(result),
        "excuses": summary.excuse_lines(result),
        "births": html_context.births(result.births),
        "pins": html_context.pin_groups(result.pins),
        "with_map": bool(result.steps and tap_names(result) and result.differences.taps),
    }


def _data(result: Result) -> dict[str, Any]:
    """What the page's scripts read."""
    taps = {standing.tap: standing for standing in standings(result)}
    series = [("step", name, each) for name, each in result.series.items()]
    series += [
        ("epoch" if result.steps_per_epoch else "step", name, each) for name, each in result.epoch_series.items()
    ]
    return {
        "first_step": result.first_step,
        "steps": result.steps,
        "steps_per_epoch": result.steps_per_epoch,
        "taps": [_tap(taps[name]) for name in tap_names(result)],
        "map": packed_map(result),
        "cards": [
            {"tap": found.tap, "step": found.place.step, "origin": found.origin}
            for found in result.divergences[:MAX_CARDS]
        ],
        "series": [packed_series(name, unit, each) for unit, name, each in series if each.reference],
    }


def _tap(standing: Standing) -> dict[str, Any]:
    size = 1
    for length in standing.about.shape:
        size *= length
    row = standing.differences
    tallies = {} if row is None else {"origin": row.origin, "inherited": row.inherited}
    return {
        "name": standing.tap,
        "op": standing.about.op,
        "type": f"{standing.about.dtype}{list(standing.about.shape)}",
        "size": size,
        "outcome": str(standing.outcome),
        "kinds": {
            kind: {
                "steps": tally.steps,
                "first": tally.first_step,
                "last": tally.last_step,
                "ulp": None if tally.max_ulp is None else f"{tally.max_ulp:,}",
            }
            for kind, tally in tallies.items()
            if tally.steps
        },
    }


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _part(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8").replace("\r\n", "\n")
