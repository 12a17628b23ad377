"""A sweep over a range of bit patterns, block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cotrain.sweep.functions import Pair
from cotrain.sweep.progress import END, Progress

BLOCK = 1 << 21
"""Patterns of one call of each side: both results stay in the processor's cache or near it."""


def sweep(pair: Pair, progress: Progress, *, end: int = END, stepped: Callable[[Progress], bool]) -> bool:
    """Goes on from where the progress stands up to (excluding) pattern ``end``.

    ``stepped`` is called after each block; False from it ends the sweep there. Returns whether the end was reached.
    """
    reference, candidate = (np.empty(BLOCK, np.uint32) for _ in range(2))
    while progress.position < end:
        size = min(BLOCK, end - progress.position)
        inputs = np.arange(progress.position, progress.position + size, dtype=np.uint32)
        pair.reference(inputs, reference[:size])
        pair.candidate(inputs, candidate[:size])
        progress.add(inputs, reference[:size], candidate[:size])
        if not stepped(progress):
            return progress.position >= end
    return True
