"""What the prompt knows: NumPy, NumSharp, views between them, and the pair."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from cotrain.clr.arrays import nd, view
from cotrain.lockstep.own_pair import trainer_options
from cotrain.lockstep.pair import Pair
from cotrain.repl.difference import diff
from cotrain.repl.pair import Dots, PromptPair


def make(ns: Any, options: argparse.Namespace) -> dict[str, Any]:
    """The names, by name; ``ns`` is NumSharp's np, ``options`` are the command line's."""

    def load() -> Pair:
        chosen = {
            keyword: value
            for keyword, option in (("reference", "trainer"), ("candidate", "candidate"))
            if (value := getattr(options, option, None)) is not None
        }
        return Pair.load(
            **chosen, options=trainer_options(options), gemm=options.gemm, math=options.math, numsharp=options.numsharp
        )

    return {
        "__name__": "__console__",
        "np": np,
        "ns": ns,
        "nd": nd,
        "view": view,
        "diff": diff,
        "pair": PromptPair(load, Dots(), {key: getattr(options, key) for key in ("on_diff", "taps", "allow")}),
    }
