"""Some steps of a pair as a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cotrain.errors import CotrainError
from cotrain.lockstep.pair import CANDIDATE, REFERENCE, Pair
from cotrain.lockstep.reference import Factory
from cotrain.lockstep.result import Result, Verdict
from cotrain.testing.failure import Diverged, trimmed
from cotrain.testing.gemm import Gemm


class StepTest:
    """Called, runs steps of a pair and fails with the divergence card where the two sides differ."""

    def __init__(self, *, gemm: str | Gemm = "openblas", math: str = "parity") -> None:
        """The backend (a :class:`Gemm`: the one it has then) and the functions of pairs that do not name their own."""
        self.gemm = gemm
        self.math = math
        self.results: list[Result] = []
        """Of all runs so far, those that failed too."""

    def __call__(
        self,
        steps: int,
        *,
        reference: str | Factory = REFERENCE,
        candidate: str = CANDIDATE,
        options: Mapping[str, Any] | None = None,
        gemm: str | None = None,
        math: str | None = None,
        check: bool = True,
        **run: Any,
    ) -> Result:
        """Compares the first ``steps`` steps of a new pair and closes it.

        ``reference``, ``candidate``, ``options``, ``gemm`` and ``math`` are those of :meth:`cotrain.Pair.load`; the
        option ``steps`` is the number of steps unless the options say how long the run is. Other keywords
        (``on_diff``, ``taps``, ``inject``, ``allow``) are those of :meth:`cotrain.Pair.run`.

        Raises :class:`Diverged` unless the verdict is ``identical`` or ``excused``; with ``check=False`` the result
        is returned whatever it says. CotrainError when the pair cannot be made or an argument does not fit.
        """
        __tracebackhide__ = True
        options = dict(options or {})
        if not {"steps", "epochs"} & options.keys():
            options["steps"] = steps
        gemm = gemm or (self.gemm if isinstance(self.gemm, str) else self.gemm.current)
        chosen = {"gemm": gemm, "math": math or self.math}
        try:
            with Pair.load(reference, candidate, options=options, **chosen) as pair:
                self.results.append(pair.result)
                result = pair.run(steps, **run)
        except CotrainError as error:
            raise trimmed(error) from error.__cause__
        if check and result.verdict not in (Verdict.IDENTICAL, Verdict.EXCUSED):
            raise Diverged(_lines(result), result)
        return result


def _lines(result: Result) -> list[str]:
    from cotrain.report import card, summary  # only a failure draws

    return card.plain(result) or [summary.verdict_line(result), *filter(None, [result.error])]
