"""Where the result goes: the terminal, and the files that were asked for, each tried before the run."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from cotrain.errors import CotrainError

STDOUT = "-"


class Outputs:
    """The reports of one command. Nothing heavy is imported before something is to be written."""

    def __init__(self, options: argparse.Namespace) -> None:
        """CotrainError when a file cannot be written."""
        self._json: str | None = options.json
        self._trace: Path | None = None if options.trace is None else Path(options.trace)
        self._report: Path | None = None if options.report is None else Path(options.report)
        self._junit: Path | None = None if options.junit is None else Path(options.junit)
        self._dump: Path | None = None if options.parity_dump is None else Path(options.parity_dump)
        self._quiet: bool = options.quiet
        self._stages: bool = options.stages
        self._result: Any = None
        self._recording: Any = None
        self._about: dict[str, object] = {}
        files = {"--json": self._json, "--trace": options.trace, "--junit": options.junit}
        written: dict[str, str] = {}
        for option, file in files.items():
            if file in (None, STDOUT):
                continue
            other = written.setdefault(os.path.abspath(str(file)), option)
            if other != option:
                raise CotrainError(f"{other} and {option} both write {file}; choose another file for one of them")
        if self._report is not None:
            check_folder(self._report, "--report", "choose another folder")
            if importlib.util.find_spec("jinja2") is None:
                raise CotrainError("--report needs the Python package jinja2; scripts/lockstep and pip install it")
        if self._dump is not None:
            check_folder(self._dump, "--parity-dump", "choose another folder")
        if self._json == STDOUT and sys.stdout is None:
            raise CotrainError("cannot write --json to the standard output: it is closed; choose a file")
        if self._json not in (None, STDOUT):
            check_writable(Path(str(self._json)), "--json", "choose another file, or - for the standard output")
        if self._trace is not None:
            check_writable(self._trace, "--trace", "choose another file")
        if self._junit is not None:
            check_writable(self._junit, "--junit", "choose another file")

    def observer(self) -> Any:
        """The terminal, on stderr when the JSON goes to stdout."""
        from cotrain.report.terminal import Terminal

        return Terminal(self._stream, quiet=self._quiet, stages=self._stages)

    @property
    def _stream(self) -> TextIO:
        stream = sys.stderr if self._json == STDOUT else sys.stdout
        return stream or open(os.devnull, "w")  # None when it was closed

    def recorder(self) -> Any:
        """The recording of ``--trace``; None without it."""
        if self._trace is None:
            return None
        from cotrain.trace import Recording

        self._recording = Recording()
        return self._recording

    def reader(self, stages: Any, total_steps: int | None) -> Any:
        """What writes ``--parity-dump``; None without it."""
        if self._dump is None:
            return None
        from cotrain.parity_dump import ParityDump

        return ParityDump(self._dump, stages, total_steps)

    def track(self, result: Any, about: dict[str, object]) -> None:
        """The result that is filled while the run goes on, and the options it runs under."""
        self._result = result
        self._about = about

    def finished(self) -> None:
        """Writes everything."""
        try:
            self._write(self._result)
        finally:
            if self._recording is not None and self._trace is not None:
                from cotrain.trace import save

                about = {"options": self._about, "pins": self._result.pins}
                save(self._recording.trace(about), self._trace)
        if self._report is not None and not self._quiet:
            print(f"  report {self._report / 'report.html'}", file=self._stream)

    def failed(self, message: str) -> None:
        """Writes the reports of a run that could not start or go on."""
        self._end("ERROR", error=message)

    def interrupted(self, signum: int) -> None:
        """Writes the reports of a run that was interrupted before its first step."""
        self._end("INTERRUPTED", signal=signum)

    def _end(self, verdict: str, **facts: object) -> None:
        """What can be written is; the reason of the failure has been said, and it may be that nothing can."""
        if not any((self._json, self._report, self._junit)):
            return
        with contextlib.suppress(CotrainError, ModuleNotFoundError):
            from cotrain.lockstep.result import Result, Verdict

            result = self._result or Result()
            result.verdict = Verdict[verdict]
            for name, value in facts.items():
                setattr(result, name, value)
            self._write(result)

    def _write(self, result: Any) -> None:
        """Every file that can be written is, before CotrainError tells of the first that cannot."""
        failures = []
        for write in self._writers():
            try:
                write(result)
            except CotrainError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _writers(self) -> list[Callable[[Any], None]]:
        return [
            writer
            for target, writer in (
                (self._json, self._write_json),
                (self._junit, self._write_junit),
                (self._report, self._write_report),
            )
            if target is not None
        ]

    def _write_json(self, result: Any) -> None:
        from cotrain.report.json_report import write

        write(result, str(self._json))

    def _write_junit(self, result: Any) -> None:
        from cotrain.report.junit import write

        write(result, Path(str(self._junit)))

    def _write_report(self, result: Any) -> None:
        from cotrain.report import html_report, json_report

        folder = Path(str(self._report))
        json_report.write_full(result, folder / "report.json")
        html_report.write(result, folder / "report.html")


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


def check_folder(path: Path, option: str, advice: str) -> None:
    """Makes the folder if need be; CotrainError when no file can be written in it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path, prefix=".cotrain.")
        os.close(handle)
        os.unlink(name)
    except OSError as error:
        raise CotrainError(f"cannot write {option} {path}: {error.strerror}; {advice}") from None
