"""The bridge's exact functions against NumSharp's own, in the same run.

``python benchmarks/kernels.py [--repeats 30] [--json FILE]``. Each round times every function of both sides in turn,
over as many calls as take some milliseconds; a call makes its result array, as in a trainer, and has pythonnet's few
microseconds in it, which are measured too (a sqrt of one element). The figures are medians of the rounds, the ratio is
the median of the rounds' ratios.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from _measure import arguments, write_json

from cotrain import clr
from cotrain.clr import assemblies
from cotrain.clr.arrays import nd

SIZES = {"a batch's logits": (128, 10), "10,000": (10_000,), "1,000,000": (1_000_000,)}
FUNCTIONS = ("Exp", "Log", "Sqrt", "Sum", "Mean")
ROUND_SECONDS = 0.004


def main() -> None:
    """Measures and prints."""
    options = arguments(__doc__, repeats=30)
    clr.start()
    kernels = assemblies.namespace("Cotrain.Kernels")
    sides = {"bridge": kernels.ParityMath(), "numsharp": kernels.NumSharpMath()}
    empty = _call(sides["bridge"].Sqrt, nd(np.ones(1, np.float32)))
    overhead = _time(empty, _calls(empty))
    rows: list[dict[str, Any]] = []
    print(f"{'function':<9} {'elements':<17} {'bridge':>11} {'NumSharp':>11}   bridge / NumSharp")
    for label, shape in SIZES.items():
        operand = nd(np.random.default_rng(1).uniform(0.01, 5, shape).astype(np.float32))
        for name in FUNCTIONS:
            calls = {side: _call(getattr(math, name), operand) for side, math in sides.items()}
            counts = {side: _calls(call) for side, call in calls.items()}
            rounds = [{side: _time(call, counts[side]) for side, call in calls.items()} for _ in range(options.repeats)]
            medians = {side: statistics.median(each[side] for each in rounds) for side in sides}
            ratio = statistics.median(each["bridge"] / each["numsharp"] for each in rounds)
            rows.append({"function": name, "shape": shape, "seconds": medians, "ratio": ratio})
            bridge, own = (f"{1e6 * medians[side]:,.2f} us" for side in ("bridge", "numsharp"))
            print(f"{name.lower():<9} {label:<17} {bridge:>11} {own:>11}   {ratio:.2f}")
    print(f"of each call, pythonnet takes about {1e6 * overhead:.2f} us")
    write_json(options.json, {"rows": rows, "call_seconds": overhead})


def _call(function: Any, operand: Any) -> Callable[[], None]:
    def call() -> None:
        function(operand).Dispose()

    return call


def _calls(call: Callable[[], None]) -> int:
    """How many calls make a round."""
    for _ in range(20):
        call()
    return max(1, round(ROUND_SECONDS / _time(call, 20)))


def _time(call: Callable[[], None], count: int) -> float:
    start = perf_counter()
    for _ in range(count):
        call()
    return (perf_counter() - start) / count


if __name__ == "__main__":
    main()
