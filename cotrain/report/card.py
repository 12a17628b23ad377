"""The divergence card: where the two sides part, to the bit, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cotrain import bits
from cotrain.lockstep.result import Divergence, Place, Result, StructuralDivergence

_SHOWN_TAPS = 6
_FLOAT_FIELDS = {"float16": (1, 5, 10), "float32": (1, 8, 23), "float64": (1, 11, 52)}


@dataclass(frozen=True)
class Row:
    """A line of the card: a label, and what stands beside it."""

    label: str
    text: str
    marks: tuple[int, ...] = ()
    """Character positions of the text that are emphasised (and underlined by a line of carets in plain text)."""


def rows(found: Divergence) -> Iterator[Row]:
    """The card's lines for a tap that differs."""
    yield Row("where", place(found.place))
    yield Row("tap", f"{found.tap}  {found.dtype}{list(found.shape)}" + (f"  = {found.op}" if found.op else ""))
    yield Row("element", f"{list(found.index)}  (flat {found.flat_index})")
    reference, marks = _bit_string(found, found.reference_bits)
    candidate, _ = _bit_string(found, found.candidate_bits)
    width = max(len(str(found.reference)), len(str(found.candidate)))
    for label, value, pattern, spelled in (
        ("reference", found.reference, found.reference_bits, reference),
        ("candidate", found.candidate, found.candidate_bits, candidate),
    ):
        head = f"{value!s:>{width}}  {pattern}  "
        yield Row(label, head + spelled, tuple(len(head) + mark for mark in marks))
    yield Row("distance", _distance(found))
    yield Row("differing", f"{found.differing:,} of {found.size:,} elements{_largest(found)}")
    yield Row("inputs", _inputs(found))
    if found.also_differing:
        yield Row("after it", _names(found.also_differing) + " differ too")
    if found.reference_source:
        yield Row("NumPy", str(found.reference_source))
    if found.candidate_source:
        yield Row("NumSharp", str(found.candidate_source))
    if found.excuse:
        yield Row("known", _known(found))


def _known(found: Divergence) -> str:
    """What the ledger says, and how to read it there."""
    name = str(found.excuse)
    text = name if found.origin else f"inherited from {name}"
    if found.accepted:
        return f"{text}; accepted"
    return f"{text}; python -m cotrain.ledger explains it, --allow {name.replace(', ', ',')} accepts it"


def structural_rows(found: StructuralDivergence) -> Iterator[Row]:
    """The card's lines for taps that do not line up: both lists side by side from where they part."""
    yield Row("where", place(found.place) + f", tap number {found.position}")
    yield Row("structure", found.reason)
    left = [str(tap) for tap in found.reference[:_SHOWN_TAPS]]
    right = [str(tap) for tap in found.candidate[:_SHOWN_TAPS]]
    width = max([len("reference"), *map(len, left)])
    yield Row("", f"{'reference':<{width}}  | candidate")
    for index in range(max(len(left), len(right))):
        a = left[index] if index < len(left) else ""
        b = right[index] if index < len(right) else ""
        yield Row("", f"{a:<{width}}  | {b}")


def result_rows(result: Result) -> list[Row]:
    """The card of a result that diverged; empty for one that did not."""
    found: list[Row] = []
    if result.first:
        found += rows(result.first)
    if result.structural:
        found += structural_rows(result.structural)
    if found and result.command:
        found.append(Row("again", result.command))
    return found


def title(result: Result) -> str:
    """The card's headline."""
    if result.first:
        return headline(result.first)
    if result.structural:
        return f"structural divergence {_when(result.structural.place)}"
    return ""


def headline(found: Divergence) -> str:
    """``divergence at step 351, loss.exps (origin)``."""
    kind = "origin" if found.origin else "inherited"
    return f"divergence {_when(found.place)}, {found.tap} ({kind})"


def plain(result: Result) -> list[str]:
    """The card as lines of plain text; carets under the differing bits."""
    table = result_rows(result)
    return plain_lines(title(result), table) if table else []


def plain_lines(heading: str, table: list[Row]) -> list[str]:
    """Any card as lines of plain text."""
    width = max(len(row.label) for row in table)
    lines = [heading]
    for row in table:
        lines.append(f"  {row.label:<{width}}  {row.text}".rstrip())
        if row.marks and row.label == "candidate":
            carets = "".join("^" if i in row.marks else " " for i in range(max(row.marks) + 1))
            lines.append(f"  {'':<{width}}  {carets}")
    return lines


def rich_card(result: Result) -> RenderableType:
    """The card for a terminal."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for row in result_rows(result):
        text = Text(row.text)
        for mark in row.marks:
            text.stylize("bold red reverse", mark, mark + 1)
        if row.label == "again":
            text.stylize("green")
        grid.add_row(row.label, text)
    # A Text, not a string: a tap's name is no markup.
    heading = Text(title(result), style="bold red")
    return Group(Panel(grid, title=heading, title_align="left", border_style="red"))


def place(where: Place) -> str:
    """``step 351 (epoch 7, batch 29)``."""
    if where.step < 0:
        return "before step 0 (initial state)"
    if where.epoch is None:
        return f"step {where.step}"
    return f"step {where.step} (epoch {where.epoch}, batch {where.batch})"


def _when(where: Place) -> str:
    return f"at step {where.step}" if where.step >= 0 else "before step 0"


def _bit_string(found: Divergence, pattern: str) -> tuple[str, tuple[int, ...]]:
    """The bits, sign, exponent and fraction apart for floats, and the positions of those that differ."""
    size = (len(pattern) - 2) // 2
    if size > 8:
        return "", ()
    word = f"{int(pattern, 16):0{8 * size}b}"
    fields = _FLOAT_FIELDS.get(found.dtype, (8,) * size)
    spelled, positions, at = "", {}, 0
    for field in fields:
        spelled += " " if spelled else ""
        for character in word[at : at + field]:
            positions[8 * size - 1 - at] = len(spelled)
            spelled += character
            at += 1
    raw = [bytes.fromhex(each[2:])[::-1] for each in (found.reference_bits, found.candidate_bits)]
    return spelled, tuple(sorted(positions[bit] for bit in bits.differing_bits(*raw)))


def _distance(found: Divergence) -> str:
    left, right = (int(each, 16) for each in (found.reference_bits, found.candidate_bits))
    flipped = (left ^ right).bit_count()
    spelled = f"{flipped} bit{'s' if flipped != 1 else ''}"
    return f"{spelled}, no ulp distance" if found.ulp is None else f"{found.ulp:,} ulp, {spelled}"


def _largest(found: Divergence) -> str:
    return "" if found.max_ulp is None or found.differing < 2 else f", at most {found.max_ulp:,} ulp apart"


def _inputs(found: Divergence) -> str:
    unequal = tuple(name for name, equal in found.inputs.items() if not equal)
    if found.origin:
        among = f": {_names(tuple(found.inputs))}" if found.inputs else ""
        return f"all byte-equal{among}. The operation itself differs (origin)"
    return f"{_names(unequal)} differ already (inherited)"


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN_TAPS])
    return shown if len(names) <= _SHOWN_TAPS else f"{shown} and {len(names) - _SHOWN_TAPS} more"
