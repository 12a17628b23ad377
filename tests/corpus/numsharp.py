"""The corpus as NumSharp computes it, through the bridge: every function gives what one file holds.

``python -m corpus.numsharp`` writes the products under this process's kernel to standard output as .npz.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from corpus.generator import files
from corpus.generator.layouts import build

from cotrain import clr, gemm
from cotrain.clr import assemblies
from cotrain.clr.arrays import nd, view


def _np() -> Any:
    clr.start()
    return assemblies.namespace("NumSharp").np


def _parity() -> Any:
    clr.start()
    return assemblies.namespace("Cotrain.Kernels").ParityMath()


def _shape(*extents: int) -> Any:
    return assemblies.namespace("NumSharp").Shape(*map(assemblies.namespace("System").Int64, extents))


def _random(seed: int) -> Any:
    random = _np().random.RandomState()
    random.seed(assemblies.namespace("System").UInt32(seed))
    return random


def _call(random: Any, method: str, arguments: list[Any], *size: int) -> Any:
    if method == "random_sample":
        return random.random_sample(*map(assemblies.namespace("System").Int64, size))
    integer = (_np().int32,) if method == "randint" else ()
    return getattr(random, method)(*arguments, _shape(*size), *integer)


def randint(seed: int, low: int, high: int, count: int) -> np.ndarray:
    """int32 draws of a new stream."""
    return view(_call(_random(seed), "randint", [low, high], count))


def draws() -> dict[str, np.ndarray]:
    """draws.npz."""
    results = {}
    for case in files.load("cases.json")["draws"]:
        random = _random(case["seed"])
        for number, (method, arguments, count) in enumerate(case["calls"]):
            results[f"{case['name']}.{number}"] = view(_call(random, method, arguments, count))
    return results


def data() -> dict[str, np.ndarray]:
    """The arrays that data.json describes, drawn by the flagship's recipe."""
    numsharp = _np()
    uniform = view(_call(_random(42), "random_sample", [], 10, 784))
    templates = (uniform * 2.0 - 1.0).astype(np.float32)
    results = {}
    for part, seed, count in (("train", 43, 6000), ("test", 44, 1000)):
        random = _random(seed)
        labels = view(_call(random, "randint", [0, 10], count))
        noise = view(_call(random, "normal", [0.0, 2.5], count, 784)).astype(np.float32)
        results[f"data.{part}.x"] = view(numsharp.add(nd(templates[labels]), nd(noise)))
        results[f"data.{part}.y"] = labels.astype(np.uint8)
    random = _random(1337)
    for name, inputs, outputs, fans in (("fc1", 784, 128, 784), ("fc2", 128, 10, 138)):
        weights = view(_call(random, "normal", [0.0, (2 / fans) ** 0.5], inputs, outputs))
        results[f"init.{name}.w"] = weights.astype(np.float32)
    return results


def elementwise(function: str) -> dict[str, np.ndarray]:
    """exp.npz, log.npz or sqrt.npz: by the bridge where it has a function of its own, else by NumSharp's."""
    x = files.load(f"{function}.npz")["x"]
    own = getattr(_parity(), function.capitalize(), None) or getattr(_np(), function)
    return {"x": x, "y": view(own(nd(x)))}


def sums() -> dict[str, np.ndarray]:
    """sums.npz: whole arrays by the bridge, along an axis by NumSharp."""
    values, parity, results = files.load("operands.npy"), _parity(), {}
    for case in files.load("cases.json")["sums"]:
        array, axis = nd(build(values, case["operand"])), case["axis"]
        if axis is None:
            result = getattr(parity, case["function"].capitalize())(array)
        else:
            result = getattr(_np(), case["function"])(array, assemblies.namespace("System").Int32(axis))
        results[case["name"]] = view(result)
    return results


def products(backend: str) -> dict[str, np.ndarray]:
    """One of products/*.npz, by a GEMM backend of cotrain; ``openblas`` under this process's kernel."""
    values, results = files.load("operands.npy"), {}
    clr.start()
    with gemm.backend(backend):
        for case in files.load("cases.json")["products"]:
            left, right = (nd(build(values, case[side])) for side in ("left", "right"))
            results[case["name"]] = view(_np().dot(left, right))
    return results


if __name__ == "__main__":
    sys.stdout.buffer.write(files.npz(products("openblas")))
