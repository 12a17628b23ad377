"""The command that shows a divergence again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cotrain import pins
from cotrain.adapter import is_mapping
from cotrain.lockstep.injection import Injection
from cotrain.lockstep.own_pair import FLAGSHIP_DEFAULTS
from cotrain.lockstep.result import Result

FLAGSHIP = ("twin.mnist_mlp:create", "MnistMlp.dll:MnistMlp.MlpTrainer")
"""The pair that is stepped when no other is named."""


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
    reference, candidate = FLAGSHIP
    # An assembly without taps stands beside the flagship's twin, whose options and defaults hold then.
    mapped = settings.reference == reference and is_mapping(settings.candidate)
    own = (settings.reference, settings.candidate) != FLAGSHIP and not mapped
    words = ["python", "-m", "cotrain.lockstep"]
    if own:
        words += ["--trainer", settings.reference, "--candidate", settings.candidate, *_options(settings.options)]
    if not own or not {"steps", "epochs"} & {name for name, value in settings.options.items() if value is not None}:
        words += ["--steps", str(max(0, place.step if place else 0) + 1)]
    for option, value, default in (
        *(() if own else (("--candidate", settings.candidate, candidate), *_flagship_options(settings.options))),
        ("--gemm", settings.gemm, "openblas"),
        ("--math", settings.math, "parity"),
        ("--numsharp", settings.numsharp, None),
        ("--taps", taps, "all"),
        ("--allow", allow, ""),
    ):
        if value is not None and value != default:
            words += [option, str(value)]
    for injection in inject:
        words += ["--inject", str(injection)]
    return shlex.join([*_environment(), *words])


def _flagship_options(options: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name, default in FLAGSHIP_DEFAULTS.items():
        yield f"--{name.replace('_', '-')}", options.get(name), default


def _options(options: Mapping[str, Any]) -> list[str]:
    """All options of somebody else's trainer, the length included: what it computes may depend on it."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        known = name in ("steps", "epochs", *FLAGSHIP_DEFAULTS)
        words += [f"--{name.replace('_', '-')}", str(value)] if known else ["--option", f"{name}={value}"]
    return words


def _environment() -> list[str]:
    """The variables set in this process that decide bits, as a shell takes them before a command."""
    return [f"{name}={os.environ[name]}" for name in pins.VARIABLES if name in os.environ]
