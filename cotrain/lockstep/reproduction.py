"""The command that shows a divergence again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cotrain import pins
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.result import Result

_REFERENCE = "twin.mnist_mlp:create"
_CANDIDATE = "MnistMlp.dll:MnistMlp.MlpTrainer"


@dataclass(frozen=True)
class Settings:
    """How a pair was loaded; what the command that shows a divergence again is made from."""

    reference: str
    candidate: str
    options: Mapping[str, Any]
    gemm: str
    math: str
    numsharp: str | None


def command(settings: Settings, result: Result, taps: str, inject: tuple[Injection, ...], allow: str) -> str:
    """A shell line that runs up to the first divergence again: options that differ from their defaults, and the
    variables that decide bits."""
    place = result.first.place if result.first else None
    place = place or (result.structural.place if result.structural else None)
    words = ["python", "-m", "cotrain.lockstep", "--steps", str(max(0, place.step if place else 0) + 1)]
    for option, value, default in (
        ("--trainer", settings.reference, _REFERENCE),
        ("--candidate", settings.candidate, _CANDIDATE),
        ("--batch-size", settings.options.get("batch_size"), 128),
        ("--seed", settings.options.get("seed"), 1337),
        ("--data", settings.options.get("data"), "synthetic"),
        ("--gemm", settings.gemm, "openblas"),
        ("--math", settings.math, "parity"),
        ("--numsharp", settings.numsharp, None),
        ("--taps", taps, "all"),
        ("--allow", allow, ""),
    ):
        if value is not None and value != default:
            words += [option, str(value)]
    for name, value in settings.options.items():
        if name not in ("steps", "epochs", "batch_size", "seed", "data"):
            words += ["--option", f"{name}={value}"]
    for injection in inject:
        words += ["--inject", str(injection)]
    return shlex.join([*_environment(), *words])


def _environment() -> list[str]:
    """The variables set in this process that decide bits, as a shell takes them before a command."""
    return [f"{name}={os.environ[name]}" for name in pins.VARIABLES if name in os.environ]
