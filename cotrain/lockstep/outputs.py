"""Where the result goes: the terminal, and the files that were asked for, each tried before the run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from cotrain.errors import CotrainError

STDOUT = "-"


class Outputs:
    """The reports of one command. Nothing heavy is imported before something is to be written."""

    def __init__(self, options: argparse.Namespace) -> None:
        """CotrainError when a file cannot be written."""
        self._json: str | None = options.json
        self._trace: Path | None = None if options.trace is None else Path(options.trace)
        self._quiet: bool = options.quiet
        self._result: Any = None
        self._recording: Any = None
        self._about: dict[str, object] = {}
        if self._json not in (None, STDOUT):
            check_writable(Path(str(self._json)), "--json", "choose another file, or - for the standard output")
        if self._trace is not None:
            check_writable(self._trace, "--trace", "choose another file")

    def observer(self) -> Any:
        """The terminal, on stderr when the JSON goes to stdout."""
        from cotrain.report.terminal import Terminal

        return Terminal(sys.stderr if self._json == STDOUT else sys.stdout, quiet=self._quiet)

    def recorder(self) -> Any:
        """The recording of ``--trace``; None without it."""
        if self._trace is None:
            return None
        from cotrain.trace import Recording

        self._recording = Recording()
        return self._recording

    def track(self, result: Any, about: dict[str, object]) -> None:
        """The result that is filled while the run goes on, and the options it runs under."""
        self._result = result
        self._about = about

    def finished(self) -> None:
        """Writes everything."""
        self._write(self._result)
        if self._recording is not None and self._trace is not None:
            from cotrain.trace import save

            about = {"options": self._about, "pins": self._result.pins}
            save(self._recording.trace(about), self._trace)

    def failed(self, message: str) -> None:
        """Writes the reports of a run that could not start or go on."""
        if self._json is None:
            return
        from cotrain.lockstep.result import Result, Verdict

        result = self._result or Result()
        result.verdict, result.error = Verdict.ERROR, message
        self._write(result)

    def interrupted(self, signum: int) -> None:
        """Writes the reports of a run that was interrupted before its first step."""
        if self._json is None:
            return
        from cotrain.lockstep.result import Result, Verdict

        result = self._result or Result()
        result.verdict, result.signal = Verdict.INTERRUPTED, signum
        self._write(result)

    def _write(self, result: Any) -> None:
        if self._json is None:
            return
        from cotrain.report.json_report import write

        write(result, self._json)


def check_writable(path: Path, option: str, advice: str) -> None:
    """CotrainError when the file cannot be written; leaves no file behind that was not there."""
    existed = path.exists()
    try:
        with path.open("a"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise CotrainError(f"cannot write {option} {path}: {error.strerror}; {advice}") from None
