"""The numbers shown while training, computed from the same taps of both sides."""

from __future__ import annotations

from collections.abc import Mapping

from cotrain.lockstep.observer import Progress
from cotrain.lockstep.result import Result, Series
from cotrain.lockstep.slots import Slot
from cotrain.protocol import Metric


class MetricLog:
    """Reads the trainer's metrics from each compared step into the result and the progress."""

    def __init__(self, metrics: Mapping[str, Metric], steps_per_epoch: int | None, result: Result) -> None:
        self._metrics = metrics
        self._steps_per_epoch = steps_per_epoch
        self._result = result
        self._sums: dict[str, tuple[int, float, float, int]] = {}
        """By metric: the epoch they are about, the two sums, and of how many numbers."""
        for name, metric in metrics.items():
            (result.series if metric.per_step else result.epoch_series)[name] = Series()

    @property
    def watched(self) -> frozenset[str]:
        """Taps whose candidate value must be copied out."""
        return frozenset(metric.tap for metric in self._metrics.values())

    def record(self, step: int, slot: Slot, progress: Progress, *, equal: bool) -> None:
        """Takes in a compared step. Taps that the step lacks leave their metric as it was.

        ``equal`` says that no tap differs: what is computed from the same bytes is computed once.
        """
        epoch = step // self._steps_per_epoch if self._steps_per_epoch else 0
        for name, metric in self._metrics.items():
            position = slot.find(metric.tap)
            value = slot.candidate(position) if position >= 0 else None
            if value is None:
                continue
            reference = metric.compute(step, slot.values[position])
            candidate = reference if equal else metric.compute(step, value)
            if metric.per_step:
                series = self._result.series[name]
                series.at.append(step)
                series.reference.append(reference)
                series.candidate.append(candidate)
                progress.metrics[name] = (reference, candidate)
            else:
                self._record_mean(name, epoch, reference, candidate, progress)

    def _record_mean(self, name: str, epoch: int, reference: float, candidate: float, progress: Progress) -> None:
        series = self._result.epoch_series[name]
        last, left, right, count = self._sums.get(name, (epoch, 0.0, 0.0, 0))
        if last != epoch:
            left, right, count = 0.0, 0.0, 0
        left, right, count = left + reference, right + candidate, count + 1
        self._sums[name] = (epoch, left, right, count)
        mean = (left / count, right / count)
        progress.metrics[name] = mean
        if count == 1:
            series.at.append(epoch)
            series.reference.append(mean[0])
            series.candidate.append(mean[1])
        else:
            series.reference[-1], series.candidate[-1] = mean
