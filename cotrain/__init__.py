"""cotrain: trains in NumPy and in NumSharp side by side and compares every operation bit for bit."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cotrain.clr.arrays import nd, view
    from cotrain.errors import CotrainError, ExitCode
    from cotrain.protocol import Metric, Tap, Trainer

# Where each public name is defined. They are imported when they are first used: neither numpy nor .NET is
# loaded by `import cotrain`, so what must be set before numpy loads (BLAS threads) still can be.
_PUBLIC = {
    "CotrainError": "cotrain.errors",
    "ExitCode": "cotrain.errors",
    "Metric": "cotrain.protocol",
    "Tap": "cotrain.protocol",
    "Trainer": "cotrain.protocol",
    "nd": "cotrain.clr.arrays",
    "view": "cotrain.clr.arrays",
}

__all__ = ["CotrainError", "ExitCode", "Metric", "Tap", "Trainer", "nd", "view"]


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'cotrain' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
