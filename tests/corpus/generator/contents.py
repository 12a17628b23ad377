"""The content of every corpus file, by name, made by the NumPy that runs here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from corpus.generator import cases, files, inputs, kernels
from corpus.generator.layouts import common_values

from twin import mnist_loader, scalars
from twin.mlp_trainer import MlpTrainer


class Content(NamedTuple):
    holds: str
    """One sentence for the manifest."""
    make: Callable[[], bytes]


def contents() -> dict[str, Content]:
    """All files, in the order in which they can be made: later ones may load earlier ones."""
    products = f"cases.json's {len(cases.products())} products of operands.npy"
    under = {
        kernels.file_of(kernel): Content(
            f"{products} by OpenBLAS's kernel {kernel} on one thread, as np.dot calls it",
            lambda kernel=kernel: kernels.multiply(kernel),  # type: ignore[misc]
        )
        for kernel in kernels.NEEDS
    }
    return {
        "cases.json": Content(
            "what is drawn, multiplied and added, with which operands",
            lambda: files.text({"draws": cases.draws(), "products": cases.products(), "sums": cases.sums()}),
        ),
        "operands.npy": Content("the float32 values that operands are made of", lambda: files.npy(common_values())),
        "draws.npz": Content("cases.json's streams of the legacy MT19937", lambda: files.npz(cases.draw())),
        "data.json": Content(
            "hashes and ends of the flagship's data sets and initial weights", lambda: files.text(data())
        ),
        "scalars.json": Content(
            "the trainer's scalars with their bits at every rounding point", lambda: files.text(scalars.table())
        ),
        "exp.npz": Content("x and float32 exp(x)", lambda: files.npz(elementwise("exp"))),
        "log.npz": Content("x and float32 log(x)", lambda: files.npz(elementwise("log"))),
        "sqrt.npz": Content("x and float32 sqrt(x)", lambda: files.npz(elementwise("sqrt"))),
        "sums.npz": Content(
            "cases.json's sums and means of operands.npy", lambda: files.npz(cases.add_up(files.load("operands.npy")))
        ),
        "products/sequential.npz": Content(
            f"{products} as chains over ascending k, each product and each sum rounded: NumPy's without a BLAS",
            lambda: files.npz(cases.multiply_in_sequence(files.load("operands.npy"))),
        ),
        **under,
    }


def elementwise(function: str) -> dict[str, np.ndarray]:
    """Inputs ``x`` and results ``y``."""
    x = inputs.of(function)
    with np.errstate(all="ignore"):
        return {"x": x, "y": getattr(np, function)(x)}


def data() -> dict[str, dict[str, Any]]:
    """The tensors before step 0: dtype, shape, SHA-256 of the bytes in C order, bits of the first and last elements."""
    trainer = MlpTrainer(mnist_loader.load("synthetic"))
    names = ("data.train.x", "data.train.y", "data.test.x", "data.test.y", "init.fc1.w", "init.fc2.w")
    return {tap.name: _summary(tap.value) for tap in trainer.initial() if tap.name in names}


def _summary(array: np.ndarray) -> dict[str, Any]:
    ends = array.reshape(-1).view(f"u{array.itemsize}")
    digits = 2 * array.itemsize
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "sha256": files.sha256(array.tobytes()),
        "first": [f"0x{int(bits):0{digits}X}" for bits in ends[:4]],
        "last": [f"0x{int(bits):0{digits}X}" for bits in ends[-4:]],
    }


def manifest(hashes: Mapping[str, Mapping[str, Any]], pins: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says of files whose hashes and sizes are given."""
    about = contents()
    return {
        "command": "scripts/make_corpus",
        "made_under": pins,
        "files": {name: {**each, "holds": about[name].holds} for name, each in sorted(hashes.items())},
    }
