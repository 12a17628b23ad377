"""Memory layout of what Python and the candidate's worker exchange for a step.

Mirrors ``TapEntry``, ``TapOutcome`` and ``StepReport`` in ``dotnet/NumSharpBridge/Lockstep``; the sizes are
checked when a session starts, so that the two cannot drift apart unseen.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum

import numpy as np

MAX_RANK = 16
SELECTED = 1
"""The tap counts and can stop the run."""
WATCHED = 2
"""The candidate's value is copied out."""
KEPT = 4
"""The candidate's value is copied out where it differs."""

FINDING = np.dtype(
    [
        ("differing", np.int64),
        ("first_index", np.int64),
        ("max_ulp", np.uint64),
        ("ulp_defined", np.int64),
        ("reference_bits", np.uint8, (16,)),
        ("candidate_bits", np.uint8, (16,)),
    ]
)
TAP_ENTRY = np.dtype(
    [
        ("address", np.uintp),
        ("watch", np.uintp),
        ("size", np.int64),
        ("name_id", np.int32),
        ("type_code", np.int32),
        ("item_size", np.int32),
        ("rank", np.int32),
        ("flags", np.int32),
        ("group", np.int32),
        ("shape", np.int64, (MAX_RANK,)),
        ("strides", np.int64, (MAX_RANK,)),
    ]
)
TAP_OUTCOME = np.dtype(
    [
        ("finding", FINDING),
        ("reference_hash", np.uint8, (16,)),
        ("candidate_hash", np.uint8, (16,)),
        ("operation_ns", np.int64),
        ("compare_ns", np.int64),
        ("state", np.int32),
        ("injected", np.int32),
    ]
)


class TapState(IntEnum):
    """What became of a published tap on the candidate's side."""

    MISSING = 0
    EQUAL = 1
    DIFFERS = 2
    STRUCTURAL = 3


class StepStatus(IntEnum):
    """How a job of the candidate's worker ended."""

    DONE = 0
    PENDING = 1
    FAILED = 2
    SKIPPED = 3


class StepReport(ctypes.Structure):
    """Summary of one job; times in nanoseconds."""

    _fields_ = (
        ("step", ctypes.c_int64),
        ("total_ns", ctypes.c_int64),
        ("compare_ns", ctypes.c_int64),
        ("seen", ctypes.c_int32),
        ("differing", ctypes.c_int32),
        ("structural", ctypes.c_int32),
        ("first_selected", ctypes.c_int32),
        ("status", ctypes.c_int32),
        ("reordered", ctypes.c_int32),
    )

    step: int
    total_ns: int
    compare_ns: int
    seen: int
    differing: int
    structural: int
    first_selected: int
    status: int
    reordered: int


SIZES = (TAP_ENTRY.itemsize, TAP_OUTCOME.itemsize, ctypes.sizeof(StepReport))
