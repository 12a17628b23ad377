"""cotrain: trains in NumPy and in NumSharp side by side and compares every operation bit for bit."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as typing.TYPE_CHECKING, whose module would take half of this one's import time
if TYPE_CHECKING:
    from cotrain.checking import Checked, check
    from cotrain.clr.arrays import nd, view
    from cotrain.clr.interop import interop
    from cotrain.errors import CotrainError, ExitCode
    from cotrain.lockstep.injection import Injection
    from cotrain.lockstep.observer import Observer
    from cotrain.lockstep.pair import Pair
    from cotrain.lockstep.result import Divergence, Result
    from cotrain.protocol import Metric, Tap, Trainer
    from cotrain.same_bits import assert_same_bits

# Where each public name is defined. It is imported when it is first used: `import cotrain` loads neither
# numpy nor .NET, so what must be set before numpy loads (BLAS threads) still can be.
_PUBLIC = {
    "Checked": "cotrain.checking",
    "CotrainError": "cotrain.errors",
    "Divergence": "cotrain.lockstep.result",
    "ExitCode": "cotrain.errors",
    "Injection": "cotrain.lockstep.injection",
    "Metric": "cotrain.protocol",
    "Observer": "cotrain.lockstep.observer",
    "Pair": "cotrain.lockstep.pair",
    "Result": "cotrain.lockstep.result",
    "Tap": "cotrain.protocol",
    "Trainer": "cotrain.protocol",
    "assert_same_bits": "cotrain.same_bits",
    "check": "cotrain.checking",
    "interop": "cotrain.clr.interop",
    "nd": "cotrain.clr.arrays",
    "view": "cotrain.clr.arrays",
}

__all__ = [
    "Checked",
    "CotrainError",
    "Divergence",
    "ExitCode",
    "Injection",
    "Metric",
    "Observer",
    "Pair",
    "Result",
    "Tap",
    "Trainer",
    "assert_same_bits",
    "check",
    "interop",
    "nd",
    "view",
]


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'cotrain' has no attribute {name!r}")
    if module != "cotrain.errors":
        # Before NumPy is imported: it does not always refuse a sub-interpreter, and may bring the process down there.
        importlib.import_module("cotrain.interpreter").require_main()
    value: object = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
