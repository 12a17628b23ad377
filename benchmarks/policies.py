"""What each policy and a trace cost when nothing differs, as ratios to the run that stops at a difference.

``python benchmarks/policies.py [--steps 920] [--repeats 5]``; every round runs all of them, in turn, in one process.
"""

from __future__ import annotations

import argparse
import statistics
from time import perf_counter

from cotrain import Pair
from cotrain.trace import Recording

BOUNDS = {"continue": 1.3, "resync": 1.3, "stop, traced": 1.25}


def seconds(pair: Pair, steps: int, policy: str) -> float:
    """Seconds of the next steps of a pair under a policy."""
    recorder = Recording() if policy.endswith("traced") else None
    begun = perf_counter()
    result = pair.run(steps, on_diff=policy.removesuffix(", traced"), recorder=recorder)
    elapsed = perf_counter() - begun
    if result.verdict != "identical":
        raise SystemExit("the two sides differ here: these numbers would mean nothing")
    return elapsed


def main() -> None:
    """Prints milliseconds per step and ratios: median, least and most over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=920, help="steps of each run")
    parser.add_argument("--repeats", type=int, default=5, help="rounds")
    options = parser.parse_args()
    policies = ("stop", *BOUNDS)
    times: dict[str, list[float]] = {policy: [] for policy in policies}
    with Pair.load() as pair:
        pins = pair.result.pins
        dispatch, kernel = pins["numpy"]["dispatch"], pins["blas"]["kernel"]
        print(f"{pins['processor']}, OpenBLAS kernel {kernel}, NumPy dispatch {dispatch}")
        seconds(pair, 300, "stop")  # the first steps compile
        for _ in range(options.repeats):
            for policy in policies:
                times[policy].append(seconds(pair, options.steps, policy))
    for policy, measured in times.items():
        each = [1e3 * time / options.steps for time in measured]
        line = f"{policy:<14} {statistics.median(each):.3f} ({min(each):.3f} to {max(each):.3f}) ms a step"
        if policy in BOUNDS:
            ratios = [a / b for a, b in zip(measured, times["stop"], strict=True)]
            line += f"   {statistics.median(ratios):.3f} of stop   bound {BOUNDS[policy]:.2f}"
        print(line)


if __name__ == "__main__":
    main()
