"""Fixtures for all tests. The .NET runtime starts once per process, when the first test asks for it."""

from __future__ import annotations

import os

# Before any test module imports numpy: one BLAS thread, as every cotrain command sets it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cotrain.clr import Runtime


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    """The started runtime, with NumSharp and the bridge loaded."""
    from cotrain import clr

    return clr.start()


@pytest.fixture(scope="session")
def numsharp(runtime: Runtime) -> Any:
    """The namespace NumSharp as a Python module: ``numsharp.np.arange(3)``."""
    from cotrain.clr import assemblies

    return assemblies.namespace("NumSharp")
