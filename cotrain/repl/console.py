"""The prompt itself: IPython's when it is installed, else Python's own; or a piece of code, run to its end."""

from __future__ import annotations

import ast
import code
import contextlib
import importlib.util
import re
import rlcompleter
import sys
import traceback
from types import TracebackType
from typing import Any

from cotrain.errors import CotrainError, ExitCode

Names = dict[str, Any]


def interact(names: Names, banner: str, *, plain: bool = False) -> None:
    """Reads and runs lines until the end of the input or ``exit()``."""
    if not plain and importlib.util.find_spec("IPython") is not None:
        _ipython(names, banner)
    else:
        _complete_with_tab(names)
        _Console(names).interact(banner=banner, exitmsg="")


def run(source: str, names: Names) -> int:
    """Runs code; the last line, when it is an expression, is shown as at the prompt. Returns the exit code."""
    try:
        tree = ast.parse(source, "<-c>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<-c>", "exec"), names)
        if isinstance(last, ast.Expr):
            sys.displayhook(eval(compile(ast.Expression(last.value), "<-c>", "eval"), names))
    except CotrainError as error:
        print(sentence(error), file=sys.stderr)
        return int(error.exit_code)
    except KeyboardInterrupt:
        return int(ExitCode.INTERRUPTED)
    except Exception as error:
        _print_without_ours(error)
        return 1
    return 0


def sentence(error: CotrainError) -> str:
    """How a CotrainError is shown: what went wrong, on one line."""
    return f"cotrain: {' '.join(str(error).split())}"


def _print_without_ours(error: BaseException) -> None:
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


class _Console(code.InteractiveConsole):
    """Python's own prompt; a CotrainError is a sentence there."""

    def showtraceback(self) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, CotrainError):
            self.write(sentence(error) + "\n")
        else:
            super().showtraceback()


class Completer(rlcompleter.Completer):
    """Python's own, but for attributes: it would read each one, which a .NET class refuses and a pair is loaded by."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._names = names

    def attr_matches(self, text: str) -> list[str]:
        """The attributes of ``text``, a dotted name, as ``dir`` lists them."""
        if not re.fullmatch(r"\w+(\.\w+)*\.\w*", text):
            return []
        expression, _, begun = text.rpartition(".")
        try:
            value = eval(expression, self._names)
        except Exception:
            return []
        found = [name for name in dir(value) if name.startswith(begun) and (begun or not name.startswith("_"))]
        return [f"{expression}.{name}" for name in found]


def _complete_with_tab(names: Names) -> None:
    with contextlib.suppress(ImportError):  # Windows has no readline
        import readline

        readline.set_completer(Completer(names).complete)
        readline.parse_and_bind("tab: complete")


def _ipython(names: Names, banner: str) -> None:
    terminal = importlib.import_module("IPython.terminal.interactiveshell")
    config = importlib.import_module("traitlets.config").Config()
    config.TerminalInteractiveShell.banner1 = banner + "\n"
    config.TerminalInteractiveShell.confirm_exit = False
    config.TerminalInteractiveShell.enable_tip = False
    # jedi knows nothing of .NET classes, and would look at the objects themselves for seconds.
    config.Completer.use_jedi = False
    shell = terminal.TerminalInteractiveShell.instance(config=config, user_ns=names)

    def show(_: Any, kind: type, error: CotrainError, trace: TracebackType, tb_offset: int | None = None) -> None:
        print(sentence(error))

    shell.set_custom_exc((CotrainError,), show)
    shell.show_banner()
    shell.mainloop()
