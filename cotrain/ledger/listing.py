"""The ledger for people and for programs: a table, one entry in full, JSON, the page docs/ledger.md."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from cotrain.ledger.entry import Entry

COLUMNS = ("name", "operation", "bound", "shown by")
_WIDTH = 80
_PAGE_WIDTH = 116
_LABEL = 16


_OFF_THE_PATH = (
    "exp2, tan, sinh, cosh, arctan, arctan2 and cbrt: 1 to 4 ulp where NumPy computes with AVX-512; exp2 elsewhere too",
    "NaN operands of power, mod, arctan2 and exp2: NaN of the other sign",
    "cumsum: a leading -0 becomes +0",
    "var and std of a float32 array of one element and one axis: NumSharp's result is float64",
    "np.random.binomial: other draws. Equal: rand, randn, normal, uniform, exponential, gamma, beta, poisson, laplace, "
    "lognormal, permutation, shuffle, and randint's values",
)
"""What probing found beside a trainer's path, for the page."""


def bound_text(entry: Entry) -> str:
    """``2 ulp``; ``none`` where the condition alone decides."""
    return "none" if entry.bound is None else f"{entry.bound} ulp"


def shown_text(entry: Entry) -> str:
    """Where a run shows it: the bundled trainer's options, or which setting another trainer needs."""
    return entry.shown_by or entry.setting.value


def rows(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """The table's cells, in the order of :data:`COLUMNS`."""
    return [(entry.name, entry.operation, bound_text(entry), shown_text(entry)) for entry in entries]


def print_table(console: Console, entries: Sequence[Entry]) -> None:
    """A table on a terminal; two plain lines per entry elsewhere, none over 80 columns."""
    if not console.is_terminal:
        for line in plain_table(entries):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False)
    for column in COLUMNS:
        # Names are what one copies: never broken.
        table.add_column(column, no_wrap=column in ("name", "bound"), overflow="fold")
    for cells in rows(entries):
        table.add_row(*cells)
    console.print(table)


def plain_table(entries: Sequence[Entry]) -> Iterator[str]:
    """Name, bound and options on one line, the operation under it."""
    for name, operation, bound, shown in rows(entries):
        yield f"{name:<22}{bound:<8}{shown}"
        yield f"  {operation}"


def fields(entry: Entry) -> list[tuple[str, str]]:
    """What an entry says, as labelled texts."""
    example = entry.example
    return [
        ("operation", entry.operation),
        ("dtype", ", ".join(entry.dtypes)),
        ("layout", entry.layout),
        ("bound", bound_text(entry)),
        ("condition", entry.condition),
        ("cause", entry.cause),
        ("smallest input", f"{example.op} with {' and '.join(str(each) for each in example.operands)}"),
        ("  NumPy", str(example.reference)),
        ("  NumSharp", str(example.candidate)),
        ("upstream", entry.upstream),
        ("applies in", entry.setting.value),
        (
            "shown by",
            f"python -m cotrain.lockstep {entry.shown_by}" if entry.shown_by else "no tap of the bundled trainer",
        ),
        ("hosts", entry.host.value),
        ("--allow all", "accepts it" if entry.in_all else f"does not accept it; --allow {entry.name} does"),
    ]


def full(entry: Entry) -> Iterator[str]:
    """One entry in full, at most 80 columns wide."""
    yield entry.name
    for label, text in fields(entry):
        yield from textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"  {label:<{_LABEL}}",
            subsequent_indent=" " * (_LABEL + 2),
            break_on_hyphens=False,
        )


def as_json(entry: Entry) -> dict[str, Any]:
    """An entry as JSON's types; bit patterns as ``0x…``."""
    example = entry.example
    return {
        "name": entry.name,
        "operation": entry.operation,
        "operations": sorted(entry.operations),
        "dtypes": list(entry.dtypes),
        "layout": entry.layout,
        "bound_ulp": entry.bound,
        "condition": entry.condition,
        "cause": entry.cause,
        "smallest_input": {
            "op": example.op,
            "operands": [each.as_json() for each in example.operands],
            "reference": example.reference.as_json(),
            "candidate": example.candidate.as_json(),
        },
        "upstream": entry.upstream,
        "setting": entry.setting.value,
        "shown_by": entry.shown_by,
        "hosts": entry.host.value,
        "in_all": entry.in_all,
    }


def markdown(entries: Sequence[Entry]) -> Iterator[str]:
    """The lines of docs/ledger.md."""
    yield "# The ledger"
    yield ""
    yield "The known differences of NumSharp 0.70.0 from NumPy 2.4.2 on a trainer's path. This page is generated:"
    yield "`python -m cotrain.ledger --markdown > docs/ledger.md`."
    yield ""
    yield from textwrap.wrap(
        "An entry names a difference in a report. It accepts it only when asked: `--allow NAME,NAME`, or `--allow all` "
        "for those marked *all*. It explains a tap when every differing element is inside its condition and bound; "
        "in ulp, +0 and -0 are 0 apart. A difference beyond a condition stays a divergence, also where the entry says "
        "that there are such. Tests (`tests/ledger/`) fail when one of these is gone, is larger than said, or reaches "
        "further.",
        _PAGE_WIDTH,
    )
    yield ""
    yield "| name | operation | dtype | bound | applies in | all |"
    yield "|---|---|---|---|---|---|"
    for entry in entries:
        yield (
            f"| [{entry.name}](#{entry.name}) | {_cell(entry.operation)} | {', '.join(entry.dtypes)} | "
            f"{bound_text(entry)} | {entry.setting.value} | {'all' if entry.in_all else ''} |"
        )
    for entry in entries:
        yield ""
        yield f"## {entry.name}"
        yield ""
        for label, text in fields(entry):
            code = label.strip() in ("NumPy", "NumSharp", "smallest input")
            yield f"- **{label.strip()}**: {f'`{text}`' if code else _cell(text)}"
    yield ""
    yield "## Seen, and not in the ledger"
    yield ""
    for text in _OFF_THE_PATH:
        yield f"- {text}"


def _cell(text: str) -> str:
    """Text whose stars and bars are not Markdown's."""
    return text.replace("*", "\\*").replace("|", "\\|")
