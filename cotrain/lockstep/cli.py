"""``python -m cotrain.lockstep``: parses, runs a pair, reports."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cotrain import blas, preflight
from cotrain.errors import CotrainError
from cotrain.lockstep import own_pair
from cotrain.lockstep.arguments import parser
from cotrain.lockstep.outputs import Outputs, check_folder
from cotrain.lockstep.signals import Interrupted, Signals


def main(arguments: Sequence[str], signals: Signals) -> int:
    """Parses, runs, reports; returns the exit code. Nothing but a bug gives a traceback."""
    outputs: Outputs | None = None
    try:
        options = parser().parse_args(arguments)
        outputs = Outputs(options)
        if options.checkpoint_every is not None:
            check_folder(Path(options.checkpoints), "--checkpoints", "choose another folder")
        return _run(options, outputs, signals)
    except CotrainError as error:
        signals.ignore()
        message = _say(str(error))
        if outputs is not None:
            outputs.failed(message)
        return int(error.exit_code)
    except Interrupted as interrupt:
        _say("interrupted before the first step")
        if outputs is not None:
            outputs.interrupted(interrupt.signum)
        return 128 + interrupt.signum


def _run(options: argparse.Namespace, outputs: Outputs, signals: Signals) -> int:
    if options.gemm != "sequential":
        blas.set_single_thread()  # before anything imports numpy
    preflight.before_start()  # before anything needs numpy to be there
    from cotrain.lockstep.injection import Injection
    from cotrain.lockstep.pair import Pair

    signals.check()
    injections = [Injection.parse(text) for text in options.inject]
    made_from = own_pair.trainer_options(options)
    with Pair.load(
        **own_pair.sides(options),
        options=made_from,
        gemm=options.gemm,
        math=options.math,
        numsharp=options.numsharp,
    ) as pair:
        signals.install()
        signals.check()
        if options.from_step is not None:
            pair.go_on_from(options.checkpoints, options.from_step)
        if options.checkpoint_every is not None:
            pair.checkpoint_every(options.checkpoint_every, options.checkpoints)
        outputs.track(pair.result, {**made_from, "on_diff": options.on_diff, "inject": options.inject})
        signals.during(pair.interrupt, rescue=outputs.interrupted)
        result = pair.run(
            own_pair.length(pair, options),
            on_diff=options.on_diff,
            taps=options.taps,
            inject=injections,
            mode=options.mode,
            observer=signals.until_finished(outputs.observer()),
            recorder=outputs.recorder(),
            reader=outputs.reader(pair.stages, pair.total_steps),
            allow=options.allow,
        )
        if result.error is not None:
            _say(result.error)
        outputs.finished()
    return result.exit_code


def _say(message: str) -> str:
    """Prints what went wrong, on one line (.NET's messages may have several), and returns that line."""
    line = " ".join(message.split())
    print(f"cotrain: {line}", file=sys.stderr)
    return line
