"""The command line's options for a pair of the user's own: its two sides, its options, and how long it runs."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from cotrain.errors import CotrainError

if TYPE_CHECKING:
    from cotrain.lockstep.pair import Pair

FLAGSHIP_DEFAULTS = {"batch_size": 128, "seed": 1337, "data": "synthetic"}
FLAGSHIP_EPOCHS = 100
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in ("steps", "epochs", *FLAGSHIP_DEFAULTS)}


def sides(options: argparse.Namespace) -> dict[str, str]:
    """``--trainer`` and ``--candidate``, as ``Pair.load`` calls them: both, or neither for the flagship.

    A mapping file alone stands beside the flagship's twin.
    """
    if options.trainer is None and options.candidate is not None:
        from cotrain.adapter import is_mapping  # with NumPy, which must not be loaded before its threads are set

        if is_mapping(options.candidate):
            return {"candidate": options.candidate}
    if (options.trainer is None) != (options.candidate is None):
        here, other = ("--trainer", "--candidate") if options.candidate is None else ("--candidate", "--trainer")
        raise CotrainError(f"{here} without {other}: a pair needs both sides")
    return {} if options.trainer is None else {"reference": options.trainer, "candidate": options.candidate}


def trainer_options(options: argparse.Namespace) -> dict[str, Any]:
    """What both trainers are made from. The flagship's defaults are nobody else's."""
    made: dict[str, Any] = {name: getattr(options, name) for name in ("steps", "epochs", *FLAGSHIP_DEFAULTS)}
    if options.trainer is None:
        made |= {name: value for name, value in FLAGSHIP_DEFAULTS.items() if made[name] is None}
        if made["steps"] is None and made["epochs"] is None:
            made["epochs"] = FLAGSHIP_EPOCHS
        if options.option:
            raise CotrainError(f"--option {options.option[0]}: the MNIST trainers have no such options (see --help)")
        return made
    made = {name: value for name, value in made.items() if value is not None}
    return made | _extra(options.option)


def _extra(texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not _KEY.fullmatch(key):
            raise CotrainError(f"--option {text!r} is not KEY=VALUE, as in --option hidden=64")
        known = _OPTIONS.get(key.replace("-", "_"))
        if known is not None:
            raise CotrainError(f"--option {text}: that is {known} {value}")
        if key in found:
            raise CotrainError(f"--option {key} is given twice, with {found[key]!r} and {value!r}")
        found[key] = value
    return found


def length(pair: Pair, options: argparse.Namespace) -> int | None:
    """How many steps to run from where the pair stands; None: up to the trainer's own last step."""
    end = options.steps
    if end is None and options.epochs is not None and pair.total_steps is None:
        if pair.result.steps_per_epoch is None:
            raise CotrainError("this trainer has no epochs (steps_per_epoch): give --steps N instead of --epochs")
        end = options.epochs * pair.result.steps_per_epoch
    if end is None or end == pair.total_steps:
        return None
    if pair.total_steps is not None and end > pair.total_steps:
        raise CotrainError(f"--steps {end}: this trainer ends after {pair.total_steps} steps (total_steps)")
    if end <= pair.position:
        raise CotrainError(f"the run ends with step {end - 1}; there is no step {pair.position}")
    return int(end) - pair.position
