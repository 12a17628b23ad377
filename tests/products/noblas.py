"""A NumPy without BLAS, in a process of its own: what ``--gemm sequential`` is held against.

Its wheel is no part of the checkout: it is looked for in ../shared/wheels-noblas, or in the folder that
COTRAIN_NOBLAS_WHEELS names. Operands are handed over with their memory and strides.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "COTRAIN_NOBLAS_WHEELS"

_CHILD = """
import os, pickle, sys
import numpy as np
assert np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"] == "none", np.__file__
np.seterr(all="ignore")
answers = os.fdopen(os.dup(1), "wb")
while True:
    try:
        op, operands = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    arrays = [np.ndarray(shape, dtype, memory, offset, strides) for memory, dtype, offset, shape, strides in operands]
    try:
        result = np.asarray(getattr(np, op)(*arrays))
        answer = result.tobytes(), result.dtype.str, result.shape
    except ValueError as error:
        answer = str(error)
    pickle.dump(answer, answers)
    answers.flush()
"""


class Oracle:
    """np.<op> of that NumPy, operand by operand with the same strides."""

    def __init__(self, packages: Path) -> None:
        # -P and an empty folder of its own: nothing else named numpy may come first.
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(packages)},
            cwd=packages,
        )

    def __call__(self, op: str, *operands: np.ndarray) -> np.ndarray:
        """The result; ValueError with its message."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        pickle.dump((op, [_packed(each) for each in operands]), self._child.stdin)
        self._child.stdin.flush()
        answer: Any = pickle.load(self._child.stdout)
        if isinstance(answer, str):
            raise ValueError(answer)
        memory, dtype, shape = answer
        return np.frombuffer(memory, dtype).reshape(shape)

    def close(self) -> None:
        """Ends the process."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait(30)


def wheel() -> Path | None:
    """The wheel for this interpreter, or None."""
    folder = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "wheels-noblas")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    found = sorted(folder.glob(f"numpy-{np.__version__}-{tag}-*.whl"))
    return found[0] if found else None


def unpack(wheel: Path, folder: Path) -> Path:
    """The wheel's packages, unpacked."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def _packed(array: np.ndarray) -> tuple[Any, ...]:
    """An array's memory from its lowest byte to its highest, and where in it each element is."""
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = bytearray(ctypes.string_at(low, high - low)) if array.size else bytearray(0)
    return memory, array.dtype.str, array.ctypes.data - low if array.size else 0, array.shape, array.strides
