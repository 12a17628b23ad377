"""Who may step a pair, and what an interrupt leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from cotrain import CotrainError, Pair
from cotrain.lockstep.observer import Progress, Silent


class At(Silent):
    """Does something after a step."""

    def __init__(self, step: int, action: Callable[[], Any]) -> None:
        self._step = step
        self._action = action

    def stepped(self, progress: Progress) -> None:
        if progress.step == self._step:
            self._action()


def test_two_threads_do_not_step_one_pair(flagship: Callable[..., Pair]) -> None:
    pair = flagship(6)
    refused: list[str] = []

    def other() -> None:
        try:
            pair.step()
        except CotrainError as error:
            refused.append(str(error))

    def step_elsewhere() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    assert pair.run(3, observer=At(2, step_elsewhere)).steps == 3
    assert refused == ["this pair is being stepped at this moment; one thread at a time steps a pair"]
    step_elsewhere()
    assert pair.result.steps == 4
    assert pair.run(2, observer=At(5, other)).steps == 6
    assert len(refused) == 2


def test_a_keyboard_interrupt_leaves_no_job_to_wait_for(flagship: Callable[..., Pair]) -> None:
    pair = flagship(4600)
    session, wait = pair._session, pair._session._wait
    calls = iter(range(10))

    def interrupted_once(*arguments: Any) -> None:
        # As a Ctrl-C does that comes while the call waits in .NET: Python raises it when the call returns.
        wait(*arguments)
        if next(calls, 0) == 5:
            raise KeyboardInterrupt

    session._wait = interrupted_once
    with pytest.raises(KeyboardInterrupt):
        pair.run(mode="sequence")
    assert pair.result.verdict == "interrupted"
    assert session._pending == 0
