"""What a reference trainer is: the contract between a NumPy program and the lockstep driver.

The C# counterpart is ``dotnet/NumSharpBridge/Protocol``. A trainer is a program cut so that it can be
stepped; each intermediate result that both sides materialise is yielded as a :class:`Tap`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

ArrayLike = np.ndarray[Any, np.dtype[Any]]


class Tap(NamedTuple):
    """One named result of a step (or, from :meth:`Trainer.initial`, of the state before step 0)."""

    name: str
    """Stable, unique within a step; the candidate passes the same name."""
    value: ArrayLike
    """The result. Scalars are 0-d arrays."""
    op: str = ""
    """The operation or fused group that made it, as a person reads it: ``exp``, ``max(x + b, 0)``."""
    inputs: tuple[str, ...] | None = None
    """Names of the taps it was computed from. ``NAME@-1`` is the tap of the previous step. ``None``
    means every earlier tap of the step and everything that lives across steps."""
    as_input: str = ""
    """For initial taps only: the name by which steps refer to it (``data.x``, ``adam.w@-1``)."""
    occasional: bool = False
    """True for a tap that only some steps have, an evaluation say; counted apart."""


class Metric(NamedTuple):
    """A number shown while training and listed in the report, computed from one tap of either side."""

    tap: str
    """The tap it reads, of both sides."""
    compute: Callable[[int, ArrayLike], float]
    """``(step, value of the tap) -> number``."""
    per_step: bool = False
    """True: listed for every step in the report (the loss). False: shown as the mean over an epoch."""


class Stage(NamedTuple):
    """A gate of the training: a step, and the taps of that step that show what the training has proved up to there."""

    name: str
    """Short, and a folder's name: ``S2``."""
    title: str
    """What it is about: ``logits of the first batch``."""
    step: int | None
    """The step whose taps it shows; -1: the state before step 0; None: the last step of the run."""
    taps: tuple[str, ...]
    """Tap names or globs."""
    proves: str
    """One sentence: what has to be right for it to be equal."""


class Trainer(Protocol):
    """A stepped NumPy program. A factory ``create(options) -> Trainer`` makes one.

    Only the three methods are required. A trainer that can also go on from a checkpoint has
    ``restore(step: int, state: Mapping[str, ndarray]) -> None``: it copies the state, as :meth:`state` gave
    it before step ``step``, into its own arrays. The attributes below are read with these defaults, so a class
    that does not subclass this protocol may leave any of them out.
    """

    def initial(self) -> Iterable[Tap]:
        """The state before step 0: parameters, moments, data sets."""
        ...

    def step(self, step: int) -> Iterator[Tap]:
        """A generator that runs step ``step`` (from 0) and yields each tap as soon as it is computed.

        The array is read at the yield and not after, unless :attr:`stable_buffers` is declared.
        """
        ...

    def state(self) -> Mapping[str, ArrayLike]:
        """What lives across steps, by name; the same names as the candidate's ``State``."""
        ...

    total_steps: int | None = None
    """Steps of a whole run under the given options; None when it has no end."""
    steps_per_epoch: int | None = None
    """Steps of an epoch; None when the trainer has no epochs."""
    stable_buffers: bool = False
    """Declares that an array yielded in step n is not written before step n + 4 begins: the driver
    then reads it in place instead of copying it."""
    occasional_taps: tuple[str, ...] = ()
    """Names of all taps that some step may yield with ``occasional=True``."""
    parameters: tuple[str, ...] = ()
    """Keys of :meth:`state` whose final bytes are the result of training; default: all keys."""
    tap_groups: Mapping[str, str] = {}
    """Short names for tap patterns on the command line: ``{"weights": "adam.*.p"}``."""
    metrics: Mapping[str, Metric] = {}
    """What to show while training, by name, in order."""
    any_order: tuple[tuple[str, ...], ...] = ()
    """Groups of taps that the candidate may hand in in any order among themselves; each group is a tuple of tap names
    and globs, its taps come one right after another in :meth:`step`, and each declares its inputs. Taps of no group
    come in the order of :meth:`step`."""
    stages: tuple[Stage, ...] = ()
    """The gates, in order; those of one step in the order of its taps."""
