"""What a run found: one object that the terminal, JSON and every other report read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from cotrain.errors import ExitCode
from cotrain.lockstep.differences import Differences
from cotrain.lockstep.names import SourceLine
from cotrain.protocol import ArrayLike, Stage


class Verdict(StrEnum):
    """The one-word outcome of a run."""

    IDENTICAL = "identical"
    EXCUSED = "excused"
    DIVERGED = "diverged"
    INTERRUPTED = "interrupted"
    ERROR = "error"


_EXIT = {
    Verdict.IDENTICAL: ExitCode.IDENTICAL,
    Verdict.EXCUSED: ExitCode.IDENTICAL,
    Verdict.DIVERGED: ExitCode.DIVERGED,
    Verdict.INTERRUPTED: ExitCode.INTERRUPTED,
    Verdict.ERROR: ExitCode.TRAINER_FAILED,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A step, and where it lies in the epochs; all count from 0. Step -1 is the state before step 0."""

    step: int
    epoch: int | None
    batch: int | None

    @classmethod
    def of(cls, step: int, steps_per_epoch: int | None) -> Place:
        """The place of a step; epoch and batch are None without epochs and before step 0."""
        if steps_per_epoch is None or step < 0:
            return cls(step, None, None)
        return cls(step, step // steps_per_epoch, step % steps_per_epoch)


@dataclass(frozen=True, slots=True)
class Divergence:
    """A tap whose bytes differ, described by its first differing element in C order."""

    place: Place
    tap: str
    op: str
    dtype: str
    shape: tuple[int, ...]
    index: tuple[int, ...]
    flat_index: int
    reference_bits: str
    candidate_bits: str
    reference: Any
    """The reference's element as a NumPy scalar."""
    candidate: Any
    """The candidate's element as a NumPy scalar."""
    ulp: int | None
    """Distance of the two elements on the ordered integers; None for NaN and non-floats."""
    max_ulp: int | None
    """The largest such distance in the tap."""
    differing: int
    """Elements of the tap whose bytes differ."""
    size: int
    origin: bool
    """True when every input was byte-equal, so that the operation itself differs."""
    inputs: Mapping[str, bool]
    """Whether each input was byte-equal on the two sides."""
    also_differing: tuple[str, ...] = ()
    """Later taps of the same step that differ too."""
    reference_source: SourceLine | None = None
    candidate_source: SourceLine | None = None
    excuse: str | None = None
    """Names of the ledger's entries that explain it, of an inherited one those that explain its inputs."""
    accepted: bool = False
    """Whether ``--allow`` accepts them all."""
    reference_value: ArrayLike | None = field(default=None, compare=False, repr=False)
    """A copy of the reference's whole tap."""
    candidate_value: ArrayLike | None = field(default=None, compare=False, repr=False)
    """A copy of the candidate's whole tap."""


@dataclass(frozen=True, slots=True)
class TapShape:
    """A tap as one side has it, for the comparison of structures."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)}"


@dataclass(frozen=True, slots=True)
class StructuralDivergence:
    """The two sides' taps do not line up: one is missing or extra, or has another name, dtype or shape."""

    place: Place
    position: int
    """Position in the step's taps at which the two lists part."""
    reference: tuple[TapShape, ...]
    """The reference's taps from that position on."""
    candidate: tuple[TapShape, ...]
    """The candidate's taps from that position on."""

    @property
    def reason(self) -> str:
        """One sentence: what is different at the first place."""
        # The lists may begin with taps of an any-order group that are in order.
        pairs = zip(self.reference, self.candidate, strict=False)
        equal = next(
            (i for i, (left, right) in enumerate(pairs) if left != right), min(len(self.reference), len(self.candidate))
        )
        reference, candidate = self.reference[equal:], self.candidate[equal:]
        if not candidate:
            return f"the candidate ends the step without the tap {reference[0]}"
        if not reference:
            return f"the candidate has the tap {candidate[0]}, which the reference lacks"
        right = candidate[0]
        left = next((tap for tap in reference if tap.name == right.name and tap != right), reference[0])
        if left.name == right.name:
            what = "dtype" if left.dtype != right.dtype else "shape"
            return f"{left.name} has another {what}: {left} in the reference, {right} in the candidate"
        later = {tap.name for tap in candidate}
        earlier = {tap.name for tap in reference}
        if left.name in later and right.name in earlier:
            return f"the taps come in another order: {left.name} in the reference, {right.name} in the candidate"
        if left.name not in later:
            return f"the candidate lacks the tap {left.name}; in its place stands {right.name}"
        return f"the candidate has the tap {right.name}, which the reference lacks, before {left.name}"


@dataclass(frozen=True, slots=True)
class Birth:
    """The first time a side had a NaN, an infinity or a denormal in a tap, whether the sides differ or not."""

    side: str
    kind: str
    place: Place
    tap: str
    flat_index: int


@dataclass(slots=True)
class Count:
    """How much was compared."""

    taps: int = 0
    bytes: int = 0

    def add(self, taps: int, nbytes: int) -> None:
        """Adds to both."""
        self.taps += taps
        self.bytes += nbytes


class StageState(StrEnum):
    """What became of a stage."""

    HOLDS = "holds"
    FAILED = "failed"
    NOT_REACHED = "not reached"


@dataclass(slots=True)
class StageOutcome:
    """A stage of the run."""

    stage: Stage
    step: int | None
    """The step it stands at; -1: the state before step 0; None: a run without end has no such step."""
    state: StageState = StageState.NOT_REACHED


@dataclass(slots=True)
class ExcuseCount:
    """How often an entry of the ledger explains a difference of a selected tap."""

    accepted: bool = False
    origin_taps: int = 0
    origin_elements: int = 0
    inherited_taps: int = 0
    max_ulp: int | None = None
    """Of the origins; what is handed down has no bound."""

    def add(self, elements: int, max_ulp: int | None, *, origin: bool, accepted: bool) -> None:
        """Takes in a tap of a step."""
        self.accepted = accepted
        if not origin:
            self.inherited_taps += 1
            return
        self.origin_taps += 1
        self.origin_elements += elements
        if max_ulp is not None:
            self.max_ulp = max(max_ulp, self.max_ulp or 0)


@dataclass(slots=True)
class Timing:
    """Seconds. ``reference`` and ``candidate`` are each side's own work, without comparing and waiting."""

    reference: float = 0.0
    candidate: float = 0.0
    compare: float = 0.0
    wall: float = 0.0
    startup: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class TapTime:
    """A tap of the steps: what it is, and seconds that its operation took on each side over the run."""

    op: str = ""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    selected: bool = True
    """Whether its differences count."""
    steps: int = 0
    reference: float = 0.0
    candidate: float = 0.0
    compare: float = 0.0


@dataclass(slots=True)
class Series:
    """A metric of both sides, one number per step or per epoch."""

    at: list[int] = field(default_factory=list)
    """The step, or the epoch, of each number."""
    reference: list[float] = field(default_factory=list)
    candidate: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Result:
    """The outcome of a run so far; complete and valid at any moment."""

    verdict: Verdict = Verdict.IDENTICAL
    first_step: int = 0
    """The step the run began at: 0, or that of the checkpoint it went on from."""
    steps: int = 0
    """Steps compared to their end on both sides."""
    total_steps: int | None = None
    steps_per_epoch: int | None = None
    mode: str = "overlap"
    compared: Count = field(default_factory=Count)
    """Selected taps of the steps, occasional ones apart."""
    initial: Count = field(default_factory=Count)
    """Selected taps of the state before step 0."""
    occasional: Count = field(default_factory=Count)
    """Selected taps that only some steps have."""
    on_diff: str = "stop"
    divergences: list[Divergence] = field(default_factory=list)
    """Under ``stop`` the one that ended the run; else the first origin and the first inherited one of each tap.
    Accepted ones are listed beside those that are not."""
    excuses: dict[str, ExcuseCount] = field(default_factory=dict)
    """By entry of the ledger."""
    differences: Differences = field(default_factory=Differences)
    """Under ``continue`` and ``resync``: how often, how much and where each tap differs."""
    stages: list[StageOutcome] = field(default_factory=list)
    """The gates that the reference declares, in its order."""
    births: list[Birth] = field(default_factory=list)
    """At most one per side and kind."""
    tap_times: dict[str, TapTime] = field(default_factory=dict)
    """By tap, in the order of the step."""
    structural: StructuralDivergence | None = None
    weights_sha256: dict[str, dict[str, str]] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    """Per-step metrics by name."""
    epoch_series: dict[str, Series] = field(default_factory=dict)
    """Other metrics, a mean per epoch."""
    error: str | None = None
    """What a trainer threw, or which signal ended the run."""
    signal: int | None = None
    command: str = ""
    """The command that shows the divergence again."""
    pins: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    timing: Timing = field(default_factory=Timing)

    @property
    def first_unaccepted(self) -> Divergence | None:
        """The first divergence that nothing accepts."""
        return next((found for found in self.divergences if not found.accepted), None)

    @property
    def first(self) -> Divergence | None:
        """The divergence that a report tells of: the first that nothing accepts, else the first."""
        return self.first_unaccepted or (self.divergences[0] if self.divergences else None)

    @property
    def exit_code(self) -> int:
        """The process exit code for this outcome."""
        if self.verdict is Verdict.INTERRUPTED and self.signal is not None:
            return 128 + self.signal
        return int(_EXIT[self.verdict])
