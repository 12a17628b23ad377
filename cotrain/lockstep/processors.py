"""How many processors this process may really use."""

from __future__ import annotations

import os
from pathlib import Path


def available_processors() -> float:
    """The smaller of the CPU affinity and, on Linux, the control group's quota (which may be a fraction)."""
    if hasattr(os, "sched_getaffinity"):
        count = float(len(os.sched_getaffinity(0)))
    else:
        count = float(os.cpu_count() or 1)
    quota = _cgroup_quota()
    return count if quota is None else min(count, quota)


def _cgroup_quota() -> float | None:
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError):
        return None
