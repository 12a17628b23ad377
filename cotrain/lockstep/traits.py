"""What a reference trainer declares, read once with the protocol's defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cotrain.errors import CotrainError
from cotrain.protocol import Metric, Stage, Trainer


@dataclass(frozen=True, slots=True)
class Traits:
    """The optional attributes of :class:`cotrain.protocol.Trainer`."""

    total_steps: int | None
    steps_per_epoch: int | None
    stable_buffers: bool
    occasional_taps: tuple[str, ...]
    parameters: tuple[str, ...]
    tap_groups: Mapping[str, str]
    metrics: Mapping[str, Metric]
    stages: tuple[Stage, ...]
    any_order: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, trainer: Trainer) -> Traits:
        """CotrainError when the object is no trainer."""
        missing = [name for name in ("initial", "step", "state") if not callable(getattr(trainer, name, None))]
        if missing:
            raise CotrainError(
                f"{type(trainer).__qualname__} is no trainer: it lacks {', '.join(missing)} "
                "(see cotrain.Trainer for the three methods)"
            )
        return cls(
            total_steps=getattr(trainer, "total_steps", None),
            steps_per_epoch=getattr(trainer, "steps_per_epoch", None),
            stable_buffers=bool(getattr(trainer, "stable_buffers", False)),
            occasional_taps=tuple(getattr(trainer, "occasional_taps", ())),
            parameters=tuple(getattr(trainer, "parameters", ())),
            tap_groups=dict(getattr(trainer, "tap_groups", {})),
            metrics=dict(getattr(trainer, "metrics", {})),
            stages=tuple(getattr(trainer, "stages", ())),
            any_order=_groups(getattr(trainer, "any_order", ())),
        )


def _groups(declared: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    groups = tuple(declared)
    if any(isinstance(group, str) for group in groups):
        raise CotrainError(
            f"any_order is a tuple of groups, and a group a tuple of tap names or globs, not the text {groups[0]!r}: "
            "any_order = (('grad.w', 'grad.b'),) is one group"
        )
    return tuple(tuple(group) for group in groups)
