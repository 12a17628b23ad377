"""``python -m cotrain.lockstep``: the command line. Signals are handled from the first line on."""

from __future__ import annotations

import os
import sys

from cotrain.lockstep.signals import Signals


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code. Without ``arguments`` it is the process's own, and its last."""
    if arguments is None:
        _put_working_directory_last()
    with Signals(to_the_end=arguments is None) as signals:
        # Imported here: numpy must not be loaded before the number of BLAS threads is set, and an interrupt
        # during the imports must find the handlers in place.
        from cotrain.lockstep import cli

        code = cli.main(sys.argv[1:] if arguments is None else arguments, signals)
    _close_output()
    return code


def _put_working_directory_last() -> None:
    """``python -m`` looks for every module in the working directory first; a ``random.py`` or ``twin`` that a user has
    there must not take the place of another. The trainer's module is found there all the same.
    """
    try:
        here = os.getcwd()
    except OSError:  # removed meanwhile
        return
    if not sys.flags.safe_path and sys.path and sys.path[0] == here:
        sys.path.append(sys.path.pop(0))


def _close_output() -> None:
    """A reader that went away (``| head``) is no failure: what is left to write goes nowhere.

    Nor does what a full disk left in the buffer; that it did not fit has been said.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
