"""What the pytest fixtures are made of; each class can be used without pytest as well.

Nothing is imported before it is used, as in :mod:`cotrain`.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in cotrain/__init__.py
if TYPE_CHECKING:
    from cotrain.testing.failure import Diverged
    from cotrain.testing.gemm import Gemm
    from cotrain.testing.layer_pair import ComparedTap, LayerPair
    from cotrain.testing.same_bits import SameBits
    from cotrain.testing.step_test import StepTest

_PUBLIC = {
    "ComparedTap": "cotrain.testing.layer_pair",
    "Diverged": "cotrain.testing.failure",
    "Gemm": "cotrain.testing.gemm",
    "LayerPair": "cotrain.testing.layer_pair",
    "SameBits": "cotrain.testing.same_bits",
    "StepTest": "cotrain.testing.step_test",
}

__all__ = ["ComparedTap", "Diverged", "Gemm", "LayerPair", "SameBits", "StepTest"]


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'cotrain.testing' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
