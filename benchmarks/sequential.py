"""What products in a fixed order cost: the lockstep with ``--gemm sequential`` against the one with OpenBLAS.

    python benchmarks/sequential.py [--steps 230] [--repeats 5] [--json FILE]

Also the six products of a step alone, on each side. All are measured in turn in one process, in one pair whose
backend is changed between measures (both sides change, so they stay equal); what is bounded is the ratio of the two
locksteps.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from _measure import arguments, host, rounds, show_load, spread, write_json

BOUND = 15.0
CALLS = 20
BACKENDS = ("openblas", "sequential")


def main() -> None:
    """Prints milliseconds per step and ratios: median, least and most over the rounds."""
    options = arguments(__doc__, steps=230, repeats=5)
    from cotrain import Pair

    with Pair.load() as pair:
        print(*host(pair.result.pins), sep="\n")
        measures: dict[str, Callable[[], float]] = {}
        for backend in BACKENDS:
            measures[f"lockstep, {backend}"] = lockstep(pair, backend, options.steps)
            for side, dot in (("NumPy", numpy_products), ("NumSharp", numsharp_products)):
                measures[f"{side}'s products, {backend}"] = products(dot(), backend)
        for measure in measures.values():
            measure()  # compiled and warm
        series = rounds(measures, options.repeats)
        pins = dict(pair.result.pins)
    for name in measures:
        scale = options.steps if name.startswith("lockstep") else 1
        print(f"{name:<32} {spread([1e3 * seconds / scale for seconds in series.seconds[name]])} ms a step")
    ratios = {}
    for what in ("lockstep", "NumPy's products", "NumSharp's products"):
        ratios[what] = series.ratios(f"{what}, sequential", series.at(f"{what}, openblas"))
        bound = f", bound {BOUND:.0f}" if what == "lockstep" else ""
        print(f"{what + ', sequential / openblas':<42} {spread(ratios[what], 2)}{bound}")
    show_load(series)
    write_json(options.json, {"steps": options.steps, "pins": pins, "seconds": series.seconds, "ratios": ratios})


def lockstep(pair: Any, backend: str, steps: int) -> Callable[[], float]:
    """Seconds of the next steps, all taps compared."""
    from cotrain import gemm

    def measure() -> float:
        with gemm.backend(backend):
            begun = perf_counter()
            result = pair.run(steps)
            took = perf_counter() - begun
        if result.exit_code:
            raise SystemExit(f"the run is {result.verdict}: nothing to measure")
        return took

    return measure


def products(dots: list[Callable[[], Any]], backend: str) -> Callable[[], float]:
    """Seconds of the six products of a step: the median of some calls of all six."""
    from cotrain import gemm

    def measure() -> float:
        with gemm.backend(backend):
            times = []
            for _ in range(CALLS):
                begun = perf_counter()
                for dot in dots:
                    dot()
                times.append(perf_counter() - begun)
        return sorted(times)[CALLS // 2]

    return measure


def operands() -> list[tuple[Any, Any]]:
    """The operands of a step's products, in the layouts that the trainers have."""
    import numpy as np

    random = np.random.RandomState(1)

    def normal(*shape: int) -> Any:
        return random.normal(size=shape).astype(np.float32)

    x, hidden, w1, w2 = normal(128, 784), normal(128, 128), normal(784, 128), normal(128, 10)
    g1, g2 = normal(128, 128), normal(128, 10)
    return [(x, w1), (hidden, w2), (hidden.T, g2), (g2, w2.T), (x.T, g1), (g1, w1.T)]


def numpy_products() -> list[Callable[[], Any]]:
    """Into buffers, as the trainer calls them."""
    import numpy as np

    from cotrain import products

    def bound(a: Any, b: Any) -> Callable[[], Any]:
        out = np.empty((len(a), b.shape[1]), a.dtype)
        return lambda: products.dot(a, b, out=out)

    return [bound(a, b) for a, b in operands()]


def numsharp_products() -> list[Callable[[], Any]]:
    """As the trainer calls them, with pythonnet's few microseconds a call."""
    from cotrain import nd
    from cotrain.clr import assemblies

    dot = assemblies.namespace("NumSharp").np.dot

    def bound(a: Any, b: Any) -> Callable[[], Any]:
        return lambda: dot(a, b).Dispose()

    return [bound(nd(a), nd(b)) for a, b in operands()]


if __name__ == "__main__":
    main()
