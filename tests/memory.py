"""Collecting garbage on both sides, and having freed memory overwritten."""

from __future__ import annotations

import gc
from typing import Any


def collect() -> None:
    """Collects on both sides until nothing more can become garbage; .NET must run."""
    from cotrain.clr import arrays, assemblies

    collector = assemblies.namespace("System").GC
    for _ in range(4):
        gc.collect()
        collector.Collect()
        collector.WaitForPendingFinalizers()
        # Lets go of what NumSharp has released; that may in turn be a view of NumSharp's memory.
        arrays.live()


def use_freed_memory(numsharp: Any, length: int) -> list[int]:
    """Overwrites what arange(length) freed; NumSharp gives it to the next arrays of that many bytes."""
    from cotrain.clr.arrays import view

    others = [numsharp.np.arange(float(length)) for _ in range(8)]
    for other in others:
        other.fill(-1.0)
    addresses = [view(other).__array_interface__["data"][0] for other in others]
    for other in others:
        other.Dispose()
    return addresses
