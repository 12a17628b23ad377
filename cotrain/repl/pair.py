"""``pair`` at the prompt: a pair of trainers, loaded when it is first used, that is pleasant to look at."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

import numpy as np

from cotrain.lockstep.observer import Observer, Progress
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result
from cotrain.lockstep.slots import Slot
from cotrain.protocol import ArrayLike
from cotrain.repl.taps import Taps, aligned
from cotrain.report import card, summary


class Outcome:
    """A :class:`~cotrain.Result` that shows its card, or its verdict in a line; its attributes are the result's."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self.result)]

    def __repr__(self) -> str:
        last = [self.result.error] if self.result.error else []
        return "\n".join([*card.plain(self.result), *last, summary.verdict_line(self.result)])


class Side(Mapping[str, Any]):
    """One side of the pair: what lives across its steps, by name. Other attributes are the trainer's own."""

    def __init__(self, title: str, trainer: Any, state: Callable[[], Mapping[str, Any]], step: int) -> None:
        self._title = title
        self.trainer = trainer
        self._state = state
        self._step = step

    def __getitem__(self, name: str) -> Any:
        return self._state()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._state())

    def __len__(self) -> int:
        return len(self._state())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trainer, name)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        rows: list[tuple[str, ...]] = []
        for name, value in self._state().items():
            array = np.asarray(value)
            flat = array.reshape(-1)
            shown = " ".join(str(element) for element in flat[:3]) + (" ..." if flat.size > 3 else "")
            rows.append((f"  {name}", f"{array.dtype}{list(array.shape)}", shown))
        return "\n".join([f"{self._title}, before step {self._step}", *aligned(rows)])


class PromptPair:
    """The pair. ``step()`` compares a step, ``run(n)`` n of them; ``taps`` are the last one's.

    ``reference`` and ``candidate`` are the two sides; ``restart()`` begins anew. All else is :class:`cotrain.Pair`'s.
    """

    def __init__(self, load: Callable[[], Pair], observer: Observer | None, defaults: Mapping[str, Any]) -> None:
        """``load`` makes the pair, when it is first needed; ``observer`` watches its runs, ``defaults`` are the
        keywords of :meth:`cotrain.Pair.run` where none are given.
        """
        self._load = load
        self._defaults = {"observer": observer, "reader": _Watcher(), **defaults}
        self._loaded: Pair | None = None
        self._taps: Taps | None = None

    @property
    def loaded(self) -> Pair:
        """The :class:`cotrain.Pair` itself."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    @property
    def position(self) -> int:
        """The next step."""
        result = self.loaded.result
        return result.first_step + result.steps

    def step(self, n: int = 1, **keywords: Any) -> Outcome:
        """Compares the next ``n`` steps; keywords are those of :meth:`cotrain.Pair.run`."""
        return self.run(n, **{"mode": "sequence", **keywords})

    def run(self, steps: int | None = None, **keywords: Any) -> Outcome:
        """Compares the next ``steps`` steps, or all that are left; keywords as in :meth:`cotrain.Pair.run`.

        Ctrl-C ends it after the steps in flight.
        """
        pair = self.loaded
        self._taps = None
        with _ended_by_ctrl_c(pair):
            return Outcome(pair.run(steps, **{**self._defaults, **keywords}))

    @property
    def taps(self) -> Taps:
        """The last compared step's taps."""
        if self._taps is None:
            self._taps = Taps(self.position - 1, self._loaded.taps) if self._loaded else Taps(-1, None)
        return self._taps

    @property
    def reference(self) -> Side:
        """The NumPy side: its state by name, as NumPy arrays."""
        trainer = self.loaded.reference
        state: Callable[[], Mapping[str, ArrayLike]] = trainer.state
        return Side(f"reference {self.loaded.settings.reference}", trainer, state, self.position)

    @property
    def candidate(self) -> Side:
        """The NumSharp side: its state by name, as NDArrays."""
        session = self.loaded.candidate

        def state() -> dict[str, Any]:
            return {str(item.Key): item.Value for item in session.State}

        return Side(f"candidate {self.loaded.settings.candidate}", session, state, self.position)

    def restart(self) -> None:
        """Begins anew before step 0, with the options given at the start."""
        self.close()

    def close(self) -> None:
        """Ends the pair; it is loaded again when it is next used."""
        self._taps = None
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # a prompt asks objects for much; nothing of it may load the pair
        return getattr(self.loaded, name)

    def __dir__(self) -> list[str]:
        # Tab completion looks at each of these: before the pair is loaded, nothing that would load it.
        more = dir(Pair) if self._loaded is not None else []
        return [name for name in {*super().__dir__(), *more} if not name.startswith("_")]

    def __repr__(self) -> str:
        if self._loaded is None:
            return "<pair: not loaded yet; pair.step() loads it and compares step 0>"
        about = self._loaded.settings
        return (
            f"<pair: {about.reference} and {about.candidate}, before step {self.position}, "
            f"{self._loaded.result.verdict}; gemm {about.gemm}, math {about.math}>"
        )


class _Watcher:
    """Has the candidate's value of every tap copied out, so that both sides of the last step can be looked at."""

    class _Everything:
        def __contains__(self, name: object) -> bool:
            return True

    _all = _Everything()

    def wants(self, step: int) -> Container[str]:
        """Every tap of every step."""
        return self._all

    def read(self, step: int, slot: Slot) -> None:
        """Nothing: the last step's slot is looked at when the run has ended."""


@contextlib.contextmanager
def _ended_by_ctrl_c(pair: Pair) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: pair.interrupt(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Dots:
    """An observer that says on a terminal how far a longer run has come."""

    def started(self, result: Result, progress: Progress) -> None:
        """Nothing yet."""

    def stepped(self, progress: Progress) -> None:
        """Tells every hundred steps."""
        if progress.step % 100 == 0 and sys.stderr.isatty():
            print(f"\r{summary.position(progress)} ", end="", file=sys.stderr, flush=True)

    def finished(self, result: Result) -> None:
        """Leaves an empty line for what follows."""
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
