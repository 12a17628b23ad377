"""The reference as the mapping shows it: the taps that exist at layer level, and what the calls are fed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, Protocol

import numpy as np

from cotrain.adapter.mapping import Feed, MappedTap
from cotrain.adapter.mapping import Mapping as MappingFile
from cotrain.adapter.places import Spot
from cotrain.errors import CotrainError
from cotrain.lockstep.selection import near_names
from cotrain.protocol import ArrayLike, Metric, Stage, Tap, Trainer

_PREVIOUS = "@-1"


class Supply(Protocol):
    """Takes what the candidate is given; :class:`cotrain.adapter.candidate.Candidate` is one."""

    def give(self, name: str, value: ArrayLike) -> None:
        """A parameter's or a feed's array of before step 0; the candidate may write to it."""

    def give_step(self, name: str, step: int, value: ArrayLike) -> None:
        """A feed's array of a step; copied."""


class SelectedTrainer:
    """A :class:`cotrain.protocol.Trainer` made of another: its taps that the mapping names, in its own order.

    A tap's inputs become those of the selected taps that it depends on; a state that no tap shows, an optimizer's
    moments say, counts as a part of the operation.
    """

    def __init__(self, inner: Trainer, mapping: MappingFile, supply: Supply) -> None:
        self._inner = inner
        self._mapping = mapping
        self._supply = supply
        self._by_source = {tap.of: tap for tap in mapping.taps}
        self._feeds = list(mapping.feeds)
        self._initial: list[Tap] | None = None
        self._start: set[str] = set()
        """Names by which steps refer to what is tapped before step 0."""
        self._inputs: dict[str, tuple[str, ...] | None] = {}
        """Of each tap of the inner trainer, by its name: the selected taps that it depends on."""
        self._known: dict[str, Tap] = {}
        self._fed: set[str] = set()
        """The feeds that the running step has brought."""
        self.parameters: tuple[str, ...] = tuple(each.name for each in mapping.parameters)
        self.total_steps: int | None = getattr(inner, "total_steps", None)
        self.steps_per_epoch: int | None = getattr(inner, "steps_per_epoch", None)
        self.stable_buffers: bool = getattr(inner, "stable_buffers", False)
        self.tap_groups: Mapping[str, str] = getattr(inner, "tap_groups", {})
        self.stages: tuple[Stage, ...] = ()
        self.any_order: tuple[tuple[str, ...], ...] = ()
        self.occasional_taps: tuple[str, ...] = tuple(
            self._by_source[name].name for name in getattr(inner, "occasional_taps", ()) if name in self._by_source
        )
        self.metrics: Mapping[str, Metric] = {
            name: _renamed(metric, self._by_source[metric.tap])
            for name, metric in dict(getattr(inner, "metrics", {})).items()
            if metric.tap in self._by_source
        }

    def initial(self) -> Iterable[Tap]:
        """The parameters' first values and the feeds' arrays; hands both over as it yields them."""
        taps = self._initial_taps()
        self.state()
        for parameter in self._mapping.parameters:
            tap = _find(taps, parameter.initial, parameter.at.text)
            self._supply.give(parameter.name, np.array(tap.value))
            yield self._shown(tap, parameter.initial, tap.value)
        for feed in self._mapping.feeds:
            if feed.tap in taps:
                value = _prepared(feed, taps[feed.tap].value)
                self._supply.give(feed.name, np.array(value))
                yield self._shown(taps[feed.tap], f"feed.{feed.name}", value)

    def step(self, step: int) -> Iterator[Tap]:
        """The step's selected taps."""
        self._fed.clear()
        return _Steps(self._inner.step(step), self, step)

    def state(self) -> Mapping[str, ArrayLike]:
        """The mapped parameters."""
        state = self._inner.state()
        for parameter in self._mapping.parameters:
            if parameter.name not in state:
                raise CotrainError(
                    f"{parameter.at.text}: the reference's state has no {parameter.name}; "
                    f"{near_names(parameter.name, state)}"
                )
        return {name: state[name] for name in self.parameters}

    def take(self, tap: Tap, step: int) -> Tap | None:
        """What becomes of a tap of the inner trainer; None for one that the mapping does not name."""
        for feed in self._feeds:
            if feed.tap == tap.name:
                self._supply.give_step(feed.name, step, _prepared(feed, tap.value))
                self._fed.add(feed.name)
        known = self._known.get(tap.name)
        if known is None:
            known = self._meet(tap)
        mapped = self._by_source.get(tap.name)
        if mapped is None:
            return None
        return known._replace(value=_negated(tap.value) if mapped.negate else tap.value)

    def check(self, step: int) -> None:
        """After a step: CotrainError when it lacked a tap that the mapping names.

        Of the taps that are compared only the first step's are checked: later ones are for the structural check.
        """
        occasional = getattr(self._inner, "occasional_taps", ())
        for tap in self._mapping.taps if step == 0 else ():
            if tap.of not in self._known and tap.of not in occasional:
                self._missing(tap.of, tap.at, step)
        for feed in self._feeds:
            if feed.name not in self._fed:
                self._missing(feed.tap, feed.at, step)

    def _missing(self, name: str, at: Spot, step: int) -> NoReturn:
        names = near_names(name, [*self._known, *self._initial_taps()])
        raise CotrainError(f"{at.text}: the reference has no tap {name} in step {step}; {names}")

    def _meet(self, tap: Tap) -> Tap:
        inputs = self._inputs[tap.name] = self._expand(tap.inputs)
        mapped = self._by_source.get(tap.name)
        named = tap if mapped is None else tap._replace(name=mapped.name, op=mapped.call, inputs=inputs)
        self._known[tap.name] = named
        return named

    def _expand(self, inputs: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if inputs is None:
            return None
        found: dict[str, None] = {}
        for name in inputs:
            source = name.removesuffix(_PREVIOUS)
            if source in self._by_source:
                found[name.replace(source, self._by_source[source].name, 1)] = None
            elif name in self._start:
                found[name] = None
            elif name in self._inputs:
                further = self._inputs[name]
                if further is None:
                    return None
                found.update(dict.fromkeys(further))
        return tuple(found)

    def _initial_taps(self) -> dict[str, Tap]:
        if self._initial is None:
            # What a trainer without stable buffers yields is to be read at once.
            stable = bool(getattr(self._inner, "stable_buffers", False))
            self._initial = [
                tap if stable else tap._replace(value=np.array(tap.value)) for tap in self._inner.initial()
            ]
            self._feeds = [feed for feed in self._feeds if feed.tap not in {tap.name for tap in self._initial}]
        return {tap.name: tap for tap in self._initial}

    def _shown(self, tap: Tap, name: str, value: ArrayLike) -> Tap:
        source = tap.as_input.removesuffix(_PREVIOUS)
        shown = tap.as_input
        if source in self._by_source and shown != source:
            shown = self._by_source[source].name + _PREVIOUS
        self._start.add(shown)
        return tap._replace(name=name, value=value, as_input=shown)


class _Steps:
    """The selected taps of a step. Not a generator, so that the line of the inner trainer's yield is found."""

    def __init__(self, taps: Iterator[Tap], trainer: SelectedTrainer, step: int) -> None:
        self._taps = taps
        self._trainer = trainer
        self._step = step

    @property
    def gi_yieldfrom(self) -> Iterator[Tap]:
        """The generator that stands at its yield."""
        return self._taps

    def __iter__(self) -> _Steps:
        return self

    def __next__(self) -> Tap:
        for tap in self._taps:
            taken = self._trainer.take(tap, self._step)
            if taken is not None:
                return taken
        self._trainer.check(self._step)
        raise StopIteration


def _prepared(feed: Feed, value: ArrayLike) -> ArrayLike:
    """The array as calls get it; float32 rows with a single 1 when the mapping asks for that."""
    if feed.one_hot is None:
        return value
    if value.ndim != 1 or value.dtype.kind not in "iu" or (value.size and int(value.max()) >= feed.one_hot):
        raise CotrainError(
            f"{feed.at.text}: one_hot takes a vector of whole numbers from 0 to {feed.one_hot - 1}; the reference's "
            f"{feed.tap} is {value.dtype.name}{list(value.shape)}, up to {value.max() if value.size else 'nothing'}"
        )
    return np.equal(value[:, np.newaxis], np.arange(feed.one_hot)).astype(np.float32)


def _negated(value: ArrayLike) -> ArrayLike:
    """An array also where NumPy would give a scalar."""
    return np.negative(value, out=np.empty_like(value))


def _find(taps: Mapping[str, Tap], name: str, where: str) -> Tap:
    if name not in taps:
        raise CotrainError(f"{where}: the reference has no tap {name} before step 0; {near_names(name, taps)}")
    return taps[name]


def _renamed(metric: Metric, tap: MappedTap) -> Metric:
    """The same number from the candidate's tap, which may be the negated one."""

    def compute(step: int, value: ArrayLike) -> Any:
        return metric.compute(step, _negated(value) if tap.negate else value)

    return Metric(tap.name, compute, metric.per_step)
