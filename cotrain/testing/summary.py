"""The section ``cotrain`` at the end of a test run. Loaded in every run, so it imports nothing itself."""

from __future__ import annotations

import pytest

SKIPPED = "cotrain: "
"""How the reasons of the plugin's skips begin."""


class Summary:
    """Adds up what the tests compared, over all workers, and shows it at the end."""

    def __init__(self, reports: str) -> None:
        """``reports`` is the folder of ``--cotrain-report``; empty without one."""
        self._reports = reports
        self._tests = 0
        self._totals = {"taps": 0, "bytes": 0, "differing": 0}
        self._skips: dict[str, int] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Reads a test's properties, once it is over."""
        if report.skipped and isinstance(report.longrepr, tuple):
            _, marked, reason = report.longrepr[2].partition(f"Skipped: {SKIPPED}")
            if marked:
                self._skips[reason] = self._skips.get(reason, 0) + 1
        if report.when != "teardown":
            return
        found = [(name, value) for name, value in report.user_properties if name.startswith("cotrain_")]
        self._tests += any(name == "cotrain_taps" for name, _ in found)
        for name, value in found:
            key = name.removeprefix("cotrain_")
            if key in self._totals and isinstance(value, int):
                self._totals[key] += value

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The section, when there is something to tell."""
        if not self._tests and not self._skips:
            return
        terminalreporter.section("cotrain")
        if self._tests:
            from cotrain.report.summary import size

            taps, nbytes, differing = self._totals.values()
            text = f"compared {_counted(taps, 'tap')}, {size(nbytes)}, bit for bit in {_counted(self._tests, 'test')}"
            terminalreporter.write_line(f"{text}: {f'{differing:,} differ' if differing else 'all equal'}")
        for reason, count in self._skips.items():
            terminalreporter.write_line(f"skipped {_counted(count, 'test')}: {reason}")
        if self._tests and self._reports:
            terminalreporter.write_line(f"reports in {self._reports}")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
