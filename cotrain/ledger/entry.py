"""What an entry of the ledger is, and what it is asked about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from cotrain.ledger.operation import Array, Operation


class Setting(Enum):
    """What must be chosen for NumSharp's own code to compute the operation."""

    MATH = "--math numsharp"
    GEMM = "--gemm native"
    ANY = "any run"

    def in_force(self, *, gemm: str, math: str) -> bool:
        """Whether a run with these options has it."""
        if self is Setting.MATH:
            return math == "numsharp"
        return self is Setting.ANY or gemm == "native"


class Host(Enum):
    """On which hosts the difference shows."""

    ANY = "any x86-64 host with AVX2"
    AVX512 = "NumPy with AVX-512 (X86_V4); without it the results are equal"
    FMA_KERNEL = "any; the bits of the smallest input are those of OpenBLAS's Haswell and SkylakeX kernels"


class Case(NamedTuple):
    """An operation with its operands and both results, as a condition sees it."""

    operation: Operation
    arguments: tuple[Array | None, ...]
    """The operands in the order of the op text; all of the results' dtype. None where unknown."""
    reference: Array
    candidate: Array


Condition = Callable[[Case], Array]
"""For which elements of the result the difference is known: a boolean array of the result's shape."""


@dataclass(frozen=True, slots=True)
class Bits:
    """A small array by its bit patterns."""

    dtype: str
    shape: tuple[int, ...]
    words: tuple[int, ...]
    """One per element, in the order in memory."""
    backwards: bool = False
    """Whether it is a reversed view of that memory: ``x[::-1]`` along every axis."""

    def array(self) -> Array:
        """The array, newly made."""
        unsigned = f"u{np.dtype(self.dtype).itemsize}"
        values = np.array(self.words, unsigned).view(self.dtype).reshape(self.shape)
        return values[(slice(None, None, -1),) * values.ndim] if self.backwards else values

    def hex(self) -> list[str]:
        """The words as ``0x…``, two digits per byte."""
        digits = 2 * np.dtype(self.dtype).itemsize
        return [f"0x{word:0{digits}X}" for word in self.words]

    def as_json(self) -> dict[str, Any]:
        """For programs: dtype, shape, the words in memory order, and whether it is a reversed view of them."""
        return {"dtype": self.dtype, "shape": list(self.shape), "bits": self.hex(), "reversed": self.backwards}

    def __str__(self) -> str:
        """For people; of a long array that is nearly all zeros only what is not."""
        words = self.hex()
        if len(words) == 1:
            return words[0]
        filled = [i for i, word in enumerate(self.words) if word]
        if len(self.shape) == 1 and len(filled) < len(words) // 2:
            return ", ".join(f"[{i}] {words[i]}" for i in filled) + f", else 0 up to [{len(words) - 1}]"
        shape = "x".join(map(str, self.shape)) + ": " if len(self.shape) > 1 else ""
        return f"{shape}{' '.join(words)}" + (", reversed" if self.backwards else "")


@dataclass(frozen=True, slots=True)
class Example:
    """The smallest input known to differ, with both results."""

    op: str
    """As in a tap: ``sum(x, axis=0)``."""
    operands: tuple[Bits, ...]
    reference: Bits
    candidate: Bits


@dataclass(frozen=True, slots=True)
class Entry:
    """One known difference of NumSharp from NumPy.

    It explains a differing element when ``holds`` says so of it and it is at most ``bound`` ulp away.
    """

    name: str
    """As ``--allow`` takes it: kebab-case, unique."""
    operation: str
    """In words."""
    operations: frozenset[str]
    """The names of :class:`cotrain.ledger.operation.Operation` that it is about."""
    dtypes: tuple[str, ...]
    layout: str
    bound: int | None
    """Largest distance in ulp. None: the condition alone decides (it fixes the bits, or there is no bound)."""
    condition: str
    """What ``holds`` tests, in words."""
    holds: Condition
    cause: str
    example: Example
    upstream: str
    """Where in SciSharp/NumSharp it happens, and the issue there if there is one."""
    setting: Setting
    shown_by: str
    """Options of ``python -m cotrain.lockstep`` that can show it with the bundled trainer; "" when its taps do not
    contain the operation."""
    host: Host = Host.ANY
    in_all: bool = True
    """Whether ``--allow all`` means it too. False where there is no bound worth the name."""

    def applies(self, name: str, dtype: str, *, gemm: str, math: str) -> bool:
        """Whether it is about this operation and dtype, in a run with these options."""
        return name in self.operations and dtype in self.dtypes and self.setting.in_force(gemm=gemm, math=math)
