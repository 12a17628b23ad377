"""What a reference trainer calls for a matrix product, so that ``--gemm`` can choose how it is computed.

A trainer that calls ``np.dot`` itself works as well, but for ``--gemm sequential``. .NET is not needed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from cotrain import sequential

_FUNCTIONS: dict[str, Callable[..., Any]] = {"openblas": np.dot, "sequential": sequential.dot}
_dot = np.dot


def dot(a: npt.ArrayLike, b: npt.ArrayLike, out: npt.NDArray[Any] | None = None) -> Any:
    """``np.dot(a, b, out)``, or :func:`cotrain.sequential.dot` where that is chosen."""
    return _dot(a, b, out)  # type: ignore[arg-type]


@contextmanager
def computed_by(name: str) -> Iterator[None]:
    """Has :func:`dot` computed by ``openblas`` (NumPy's own ``np.dot``) or ``sequential`` inside the block.

    For the whole process; both sides of a pair are set by :func:`cotrain.gemm.backend`, which calls this.
    """
    global _dot
    before, _dot = _dot, _FUNCTIONS[name]
    try:
        yield
    finally:
        _dot = before
