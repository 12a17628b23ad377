"""What the page's template shows: sentences, rows and bars made from a result."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cotrain.lockstep.result import Birth, Divergence, Result, StructuralDivergence, Verdict
from cotrain.report import card, summary
from cotrain.report.standing import Outcome, Standing

SHOWN_LIST = 200
"""Taps listed of a structural divergence."""

Text = tuple[tuple[str, bool], ...]
"""Pieces of a text; those with True are marked."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a card."""

    label: str
    pieces: Text
    bits: Text = ()
    """The bit string at the end of a value's line, which a narrow page puts below."""


@dataclass(frozen=True, slots=True)
class CardView:
    """The card of one divergence."""

    tap: str
    step: int
    kind: str
    heading: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """A tap's line in the table of operations; times in microseconds a step, bars in percent of the longest."""

    tap: str
    op: str
    shape: str
    steps: int
    outcome: str
    reference: float
    candidate: float
    ratio: float | None
    reference_bar: float
    candidate_bar: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A labelled duration."""

    label: str
    seconds: float
    percent: float
    kind: str


def headline(result: Result) -> str:
    """One sentence under the verdict."""
    if result.verdict is Verdict.ERROR:
        return result.error or "The run ended with an error."
    if result.structural is not None:
        return f"At {_at(result.structural.place.step)}: {result.structural.reason}."
    first = result.first
    if first is not None:
        why = (
            "Its inputs are byte-equal, so the operation itself differs."
            if first.origin
            else "One of its inputs differs already, so that it was handed down."
        )
        which = "difference that is not accepted" if first is not result.divergences[0] else "difference"
        text = f"First {which}: {_at(first.place.step)}, {first.tap}. {why}"
        return text if result.verdict is not Verdict.EXCUSED else f"Every difference is known and accepted. {text}"
    if result.verdict is Verdict.INTERRUPTED:
        signal = f" by signal {result.signal}" if result.signal is not None else ""
        return f"The run was interrupted{signal}; everything compared up to there is byte-equal."
    return "Everything that was compared has the same bytes on both sides."


def facts(result: Result, taps: list[Standing]) -> list[tuple[str, str]]:
    """The figures under the headline: label, figure."""
    steps = f"{result.steps:,}"
    if result.total_steps and result.total_steps != result.first_step + result.steps:
        steps += f" of {result.total_steps - result.first_step:,}"
    found = [("steps", steps), ("taps compared", f"{result.compared.taps:,}")]
    found.append(("compared", summary.size(result.compared.bytes)))
    if any(tap.outcome is Outcome.UNSELECTED for tap in taps):
        selected = sum(tap.outcome is not Outcome.UNSELECTED for tap in taps)
        found.append(("operations selected", f"{selected:,} of {len(taps):,}"))
    elif taps:
        differing = sum(tap.outcome is not Outcome.EQUAL for tap in taps)
        found.append(("operations that differ", f"{differing:,} of {len(taps):,}" if differing else "none"))
    if result.weights_sha256:
        unequal = sum(each["reference"] != each["candidate"] for each in result.weights_sha256.values())
        found.append(
            ("final weights", f"{unequal} of {len(result.weights_sha256)} differ" if unequal else "byte-equal")
        )
    if result.timing.wall:
        found.append(("wall time", duration(result.timing.wall)))
        found.append(("steps a second", f"{result.steps / result.timing.wall:,.0f}"))
    return found


def settings(result: Result) -> list[tuple[str, str]]:
    """How the run was made, in few words."""
    found = [("at a difference", result.on_diff), ("mode", result.mode)]
    if result.first_step:
        found.append(("from", f"step {result.first_step}"))
    for what, count in (("initial taps", result.initial), ("occasional taps", result.occasional)):
        if count.taps:
            found.append((what, f"{count.taps:,} ({summary.size(count.bytes)})"))
    return found


def card_view(found: Divergence, command: str = "") -> CardView:
    """A divergence as its card's lines."""
    rows = list(card.rows(found))
    if command:
        rows.append(card.Row("again", command))
    kind = "origin" if found.origin else "inherited"
    return CardView(found.tap, found.place.step, kind, card.headline(found), tuple(map(_line, rows)))


def aligned(found: StructuralDivergence) -> list[tuple[str, str, bool]]:
    """Both sides' taps from where they part, side by side; True where they are equal."""
    left, right = ([str(tap) for tap in side[:SHOWN_LIST]] for side in (found.reference, found.candidate))
    rows: list[tuple[str, str, bool]] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for offset in range(max(j - i, m - k)):
            a = left[i + offset] if i + offset < j else ""
            b = right[k + offset] if k + offset < m else ""
            rows.append((a, b, tag == "equal"))
    return rows


def operations(taps: list[Standing]) -> list[Operation]:
    """The taps of the steps, with the time that each takes."""
    timed = [tap for tap in taps if tap.about.steps]
    longest = max((max(tap.about.reference, tap.about.candidate) for tap in timed), default=0.0) or 1.0
    return [
        Operation(
            tap.tap,
            tap.about.op,
            f"{tap.about.dtype}{list(tap.about.shape)}",
            tap.about.steps,
            str(tap.outcome),
            tap.about.reference / tap.about.steps * 1e6,
            tap.about.candidate / tap.about.steps * 1e6,
            tap.about.candidate / tap.about.reference if tap.about.reference else None,
            100 * tap.about.reference / longest,
            100 * tap.about.candidate / longest,
        )
        for tap in timed
    ]


def bars(result: Result) -> list[Bar]:
    """How the two sides' time is spent; the sides may overlap, so they do not add up to the wall time."""
    timing = result.timing
    parts = (
        ("wall", timing.wall, "wall"),
        ("reference (NumPy)", timing.reference, "reference"),
        ("candidate (NumSharp)", timing.candidate, "candidate"),
        ("comparing", timing.compare, "compare"),
        ("start-up", sum(timing.startup.values()), "startup"),
    )
    longest = max(seconds for _, seconds, _ in parts) or 1.0
    return [Bar(label, seconds, 100 * seconds / longest, kind) for label, seconds, kind in parts]


def births(found: list[Birth]) -> list[tuple[str, str, str]]:
    """Kind, first place in the reference, first place in the candidate."""
    kinds = list(dict.fromkeys(birth.kind for birth in found))
    places = {(birth.kind, birth.side): f"{_at(birth.place.step)}, {birth.tap}[{birth.flat_index}]" for birth in found}
    return [
        (kind, places.get((kind, "reference"), "never"), places.get((kind, "candidate"), "never")) for kind in kinds
    ]


def flat(pins: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Pins as label and text; what is in them is joined with dots."""
    for key, value in pins.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        elif value not in (None, "", [], ()):
            yield f"{prefix}{key}", " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def pin_groups(pins: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Pins by their first name; single values under a group without one."""
    single = {key: value for key, value in pins.items() if not isinstance(value, Mapping)}
    groups = [(key, list(flat(value))) for key, value in pins.items() if isinstance(value, Mapping)]
    return [(name, rows) for name, rows in [*groups, ("", list(flat(single)))] if rows]


def duration(seconds: float) -> str:
    """``8.2 s``, ``3 min 20 s``."""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.0f} ms"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def _line(row: card.Row) -> Line:
    if row.label not in ("reference", "candidate"):
        return Line(row.label, ((row.text, False),))
    cut = row.text.rindex("  ") + 2
    marks = {mark - cut for mark in row.marks}
    return Line(row.label, ((row.text[:cut], False),), _marked(row.text[cut:], marks))


def _marked(text: str, marks: set[int]) -> Text:
    pieces: list[tuple[str, bool]] = []
    for position, character in enumerate(text):
        marked = position in marks
        if pieces and pieces[-1][1] is marked:
            pieces[-1] = (pieces[-1][0] + character, marked)
        else:
            pieces.append((character, marked))
    return tuple(pieces)


def _at(step: int) -> str:
    return f"step {step}" if step >= 0 else "the state before step 0"
