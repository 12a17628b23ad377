"""The flagship: the factory that the lockstep driver loads, and a program that trains alone.

C#: ``dotnet/MnistMlp/Program.cs``, with the same options, and ``--openblas FILE``; it prints the same lines.

Products by OpenBLAS take one thread, by ``--gemm sequential`` none at all: the bits are those of the lockstep.

    python -m twin.mnist_mlp [--steps N | --epochs 100] [--batch-size 128] [--seed 1337]
                             [--data synthetic|DIR] [--gemm openblas|sequential]
                             [--dump-taps DIR] [--parity-dump DIR]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cotrain import blas, products
from cotrain.errors import CotrainError
from cotrain.parity_dump import ParityDump
from cotrain.protocol import Tap
from twin import mnist_loader
from twin.mlp_trainer import MlpTrainer
from twin.stages import INITIAL

_LARGEST_SEED = 2**32 - 1


def create(options: Mapping[str, Any]) -> MlpTrainer:
    """The trainer of ``steps`` or ``epochs`` (either or both None), ``batch_size``, ``seed`` and ``data``.

    CotrainError, one sentence, for options or data that cannot be used.
    """
    steps, epochs = options.get("steps"), options.get("epochs")
    batch_size, seed = options.get("batch_size", 128), options.get("seed", 1337)
    if steps is not None and epochs is not None:
        raise CotrainError("give a number of steps or of epochs, not both")
    for name, value in (("number of steps", steps), ("number of epochs", epochs), ("batch size", batch_size)):
        if value is not None and value < 1:
            raise CotrainError(f"the {name} must be at least 1, not {value}")
    if not 0 <= seed <= _LARGEST_SEED:
        raise CotrainError(f"the seed must be from 0 to {_LARGEST_SEED}, not {seed}")
    data = mnist_loader.load(options.get("data", "synthetic"))
    return MlpTrainer(data, steps=steps, epochs=epochs, batch_size=batch_size, seed=seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains alone and prints the loss of each step, with its bits; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.steps is None and options.epochs is None:
        options.epochs = 100
    try:
        if options.gemm == "openblas":
            blas.set_single_thread()
        with products.computed_by(options.gemm):
            trainer = create(vars(options))
            stages = options.parity_dump and ParityDump(options.parity_dump, trainer.stages, trainer.total_steps)
            _train(trainer, options.dump_taps, stages)
    except CotrainError as error:
        print(f"error: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m twin.mnist_mlp", description="Trains alone.")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=int, metavar="N")
    length.add_argument("--epochs", type=int, metavar="N", help="default: 100")
    parser.add_argument("--batch-size", type=int, default=128, metavar="N")
    parser.add_argument("--seed", type=int, default=1337, help="of the initial weights")
    parser.add_argument("--data", default="synthetic", help='"synthetic" or a directory with the MNIST files')
    parser.add_argument("--gemm", choices=["openblas", "sequential"], default="openblas", help="matrix products")
    parser.add_argument("--dump-taps", type=Path, metavar="DIR", help="write every tap to DIR/STEP/NAME.npy")
    parser.add_argument(
        "--parity-dump", type=Path, metavar="DIR", help="write the taps of each stage to DIR/STAGE/NAME.npy"
    )
    return parser


def _train(trainer: MlpTrainer, dump: Path | None, stages: ParityDump | None) -> None:
    initial: Iterable[Tap] = trainer.initial() if dump or stages else ()
    if dump is not None:
        initial = _save(dump / "initial", initial)
    for tap in initial:
        if stages is not None:
            stages.write(INITIAL, tap.name, tap.value)
    steps = trainer.total_steps or 0
    start = time.perf_counter()
    for step in range(steps):
        taps: Iterable[Tap] = trainer.step(step)
        if dump is not None:
            taps = _save(dump / str(step), taps)
        for tap in taps:
            _report(trainer, step, tap)
            if stages is not None:
                stages.write(step, tap.name, tap.value)
    took = time.perf_counter() - start
    print(f"{steps} steps, {1e3 * took / steps:.3f} ms per step", file=sys.stderr)


def _report(trainer: MlpTrainer, step: int, tap: Tap) -> None:
    """Prints the loss of a step with its bits, and the accuracy of an evaluation."""
    loss, accuracy = trainer.metrics["loss"], trainer.metrics["test accuracy"]
    if tap.name == loss.tap:
        value = np.float32(loss.compute(step, tap.value))
        print(f"step {step} loss {value:.8f} 0x{int(value.view(np.uint32)):08X}")
    elif tap.name == accuracy.tap:
        print(f"step {step} test accuracy {accuracy.compute(step, tap.value):.4f}")


def _save(directory: Path, taps: Iterable[Tap]) -> list[Tap]:
    """Writes each tap as the step yields it, before later operations can change it; returns them."""
    saved = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for tap in taps:
            np.save(directory / f"{tap.name}.npy", np.asarray(tap.value, order="C"))
            saved.append(tap)
    except OSError as error:
        raise CotrainError(f"{directory} cannot be written: {error.strerror or error}") from None
    return saved


if __name__ == "__main__":
    sys.exit(main())
