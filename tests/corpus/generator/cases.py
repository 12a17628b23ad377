"""What is drawn, multiplied and added: ``cases.json``, from which both languages repeat it."""

from __future__ import annotations

from typing import Any

import numpy as np
from corpus.generator.layouts import Operand, build, operand

K = (255, 256, 257, 512, 784)
"""Inner dimensions around those at which products are cut into blocks, and the trainer's."""

_RIGHT = 8000  # where right operands start in the common values


def products() -> list[dict[str, Any]]:
    """Each: name, left, right."""
    cases = []
    for k in K:
        for name, (left, right) in _pairs(k).items():
            cases.append({"name": f"k{k}.{name}", "left": left, "right": right})
    return cases


def _pairs(k: int) -> dict[str, tuple[Operand, Operand]]:
    m, n = 9, 13
    left, right = operand([m, k]), operand([k, n], start=_RIGHT)
    left_t, right_t = operand([k, m], "T"), operand([n, k], "T", start=_RIGHT)
    return {
        "C_C": (left, right),
        "T_C": (left_t, right),
        "C_T": (left, right_t),
        "T_T": (left_t, right_t),
        # Rows apart, which BLAS can read; elements apart, which have to be copied; backwards.
        "padded": (operand([m, k + 5], ":, 3:-2"), operand([k, n + 3], ":, 1:-2", start=_RIGHT)),
        "stepped": (operand([m, 2 * k], ":, ::2"), operand([k, 2 * n], ":, ::2", start=_RIGHT)),
        "reversed": (operand([m, k], "::-1, ::-1"), operand([k, n], "::-1, :", start=_RIGHT)),
        "row": (operand([1, k]), right),
        "column": (left, operand([k, 1], start=_RIGHT)),
        "row_column": (operand([1, k]), operand([k, 1], start=_RIGHT)),
        "vector": (left, operand([k], start=_RIGHT)),
        "A_AT": (operand([24, k]), operand([24, k], "T")),
        "AT_A": (operand([k, 24], "T"), operand([k, 24])),
        # Beyond the size up to which OpenBLAS has kernels for small matrices, from K = 512.
        "large": (operand([48, k]), operand([k, 40], start=_RIGHT)),
    }


def sums() -> list[dict[str, Any]]:
    """Each: name, function (sum, mean), operand, axis (None: all elements, 0-d)."""
    cases: list[dict[str, Any]] = []

    def add(name: str, described: Operand, axis: int | None) -> None:
        cases.extend(
            {"name": f"{function}.{name}", "function": function, "operand": described, "axis": axis}
            for function in ("sum", "mean")
        )

    # 8 accumulators, halves from 128 on.
    around = (1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 136, 255, 256, 257, 784, 1000)
    for n in around:
        add(f"axis1.{n}", operand([3, n]), 1)
    for n in (1, 2, 8, 9, 64, 127, 128, 129, 300, 784):
        add(f"axis0.{n}", operand([n, 5]), 0)
    # NumPy's buffer holds 8,192 elements.
    for n in (*around, 4096, 8191, 8192, 8193, 16_384, 30_000):
        add(f"whole.{n}", operand([n], start=7), None)
    add("whole.transposed", operand([100, 120], "T"), None)
    add("whole.reversed", operand([9000], "::-1"), None)
    add("whole.stepped", operand([20_000], "::2"), None)
    add("whole.columns", operand([300, 100], ":, 1:-1"), None)
    add("axis0.hidden", operand([128, 128]), 0)
    add("axis0.classes", operand([128, 10]), 0)
    add("axis1.classes", operand([128, 10]), 1)
    return cases


def draws() -> list[dict[str, Any]]:
    """Each: name, seed, calls on one legacy RandomState of that seed: [method, arguments, count]."""
    odd = 257
    cases: list[dict[str, Any]] = []
    for seed in (0, 42, 43, 1337, 2**32 - 1):
        calls: dict[str, list[Any]] = {
            "random_sample": [["random_sample", [], odd]],
            "normal": [["normal", [0.0, 1.0], odd]],
            "normal_scaled": [["normal", [-0.25, 2.5], odd]],
            "uniform": [["uniform", [-3.0, 7.0], odd]],
            "randint": [["randint", [0, 10], odd]],
            # The widest range in which NumSharp 0.70.0 draws as NumPy does.
            "randint_wide": [["randint", [-5, 2**31 - 6], odd]],
            # Odd counts: a normal number is left over for the call after next.
            "mixed": [
                ["randint", [0, 10], 5],
                ["normal", [0.0, 2.5], 7],
                ["random_sample", [], 3],
                ["normal", [0.0, 1.0], 6],
                ["uniform", [0.0, 1.0], 1],
            ],
        }
        cases.extend({"name": f"seed{seed}.{name}", "seed": seed, "calls": each} for name, each in calls.items())
    return cases


def multiply(values: np.ndarray) -> dict[str, np.ndarray]:
    """The products by np.dot, whatever it computes with."""
    return {
        case["name"]: np.asarray(np.dot(build(values, case["left"]), build(values, case["right"])))
        for case in products()
    }


def multiply_in_sequence(values: np.ndarray) -> dict[str, np.ndarray]:
    """The same products as chains from 0 over ascending k, each product and each sum rounded to float32."""
    results = {}
    for case in products():
        left, right = build(values, case["left"]), build(values, case["right"])
        columns = right.reshape(len(right), -1)
        total = np.zeros((len(left), columns.shape[1]), np.float32)
        for k in range(len(columns)):
            total += left[:, k, np.newaxis] * columns[k]
        results[case["name"]] = total.reshape(left.shape[:1] + right.shape[1:])
    return results


def add_up(values: np.ndarray) -> dict[str, np.ndarray]:
    """The sums and means."""
    return {
        case["name"]: np.asarray(getattr(np, case["function"])(build(values, case["operand"]), axis=case["axis"]))
        for case in sums()
    }


def draw() -> dict[str, np.ndarray]:
    """The streams: ``NAME.0``, ``NAME.1``, one entry per call; randint with dtype int32."""
    results = {}
    for case in draws():
        random = np.random.RandomState(case["seed"])
        for number, (method, arguments, count) in enumerate(case["calls"]):
            integer = {"dtype": np.int32} if method == "randint" else {}
            results[f"{case['name']}.{number}"] = getattr(random, method)(*arguments, size=count, **integer)
    return results
