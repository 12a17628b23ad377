"""What a person sees while a run goes on: pins, a progress bar, the card, a summary.

rich on a terminal; plain lines, a few per run, everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from cotrain.errors import CotrainError
from cotrain.lockstep.observer import Progress
from cotrain.lockstep.result import Result, StageState, Verdict
from cotrain.report import card, summary

_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 10.0


class Terminal:
    """An observer that prints to a stream."""

    def __init__(self, stream: TextIO, *, quiet: bool = False, stages: bool = False) -> None:
        """``quiet``: only a divergence and the verdict. ``stages``: each stage as it is passed."""
        self._stream = stream
        self._quiet = quiet
        self._stages = stages
        self._result = Result()
        self._told = 0
        self._console = Console(file=stream, highlight=False, soft_wrap=False)
        self._rich = self._console.is_terminal and not self._console.is_dumb_terminal
        self._live: Live | None = None
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(compact=True),
            expand=True,
        )
        self._task: TaskID = self._bar.add_task("", total=None)
        self._closed = False
        self._warned = 0
        self._next_draw = 0.0
        self._started = 0.0

    def started(self, result: Result, progress: Progress) -> None:
        """Pins and warnings, then the bar."""
        self._result = result
        self._told = sum(each.state is not StageState.NOT_REACHED for each in result.stages)
        self._started = monotonic()
        self._next_draw = self._started + (_REDRAW_SECONDS if self._rich else _LINE_SECONDS)
        self._warn(result)
        if self._quiet:
            return
        for line in summary.pin_lines(result):
            self._print(line, style="dim")
        if self._rich:
            self._bar.update(self._task, total=progress.total_steps, description=summary.position(progress))
            # Drawn from stepped(): a thread that draws would take the reference's GIL at any moment.
            self._live = Live(self._bar, console=self._console, auto_refresh=False, transient=True)
            self._live.start(refresh=True)

    def stepped(self, progress: Progress) -> None:
        """Redraws now and then."""
        if self._stages:
            self._tell_stages()
        now = monotonic()
        if now < self._next_draw or self._quiet:
            return
        rate = (progress.step - progress.first_step) / (now - self._started)
        if self._live is not None:
            self._next_draw = now + _REDRAW_SECONDS
            self._bar.update(self._task, completed=progress.step, description=summary.position(progress))
            numbers = Text(summary.numbers(progress, rate), style="dim")
            self._live.update(Group(self._bar, numbers), refresh=True)
        else:
            self._next_draw = now + _LINE_SECONDS
            self._print(f"{summary.position(progress)}  {summary.numbers(progress, rate)}")

    def _warn(self, result: Result) -> None:
        """The warnings that have come up since the last call."""
        for warning in result.warnings[self._warned :]:
            self._print(f"warning: {warning}", style="yellow")
        self._warned = len(result.warnings)

    def finished(self, result: Result) -> None:
        """The card when the run diverged, then the summary."""
        if self._live is not None:
            self._live.stop()
        if self._stages:
            self._tell_stages(all_of_them=True)
        self._warn(result)
        if result.verdict is Verdict.DIVERGED:
            if self._rich:
                self._console.print(card.rich_card(result))
            else:
                for line in card.plain(result):
                    self._print(line)
        style = "bold green" if result.exit_code == 0 else "bold red"
        lines: Iterator[str] = iter([summary.verdict_line(result)] if self._quiet else summary.lines(result))
        for line in lines:
            self._print(line, style=style)
            style = ""

    def _tell_stages(self, *, all_of_them: bool = False) -> None:
        """Prints those that were decided since the last call; at the end those that were not reached too."""
        for outcome in self._result.stages[self._told :]:
            if outcome.state is StageState.NOT_REACHED and not all_of_them:
                return
            self._told += 1
            style = {StageState.HOLDS: "green", StageState.FAILED: "bold red"}.get(outcome.state, "dim")
            for line in summary.stage_lines(outcome):
                self._print(line, style=style)
                style = "dim"

    def _print(self, line: str, style: str = "") -> None:
        if self._rich:
            self._console.print(line, style=style or None, markup=False, soft_wrap=True)
        elif not self._closed:
            try:
                print(line, file=self._stream, flush=True)
            except BrokenPipeError:
                self._closed = True  # the reader went away (`| head`); the run and its exit code go on
            except OSError as error:
                raise CotrainError(f"cannot print how the run goes: {error.strerror}") from None
