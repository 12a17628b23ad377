"""Runs an expression on both sides and says what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from cotrain import bits, clr, gemm, ledger, preflight
from cotrain.checking import expression as expressions
from cotrain.lockstep.result import Divergence, Place
from cotrain.protocol import ArrayLike
from cotrain.report import card


@dataclass(frozen=True)
class Checked:
    """What :func:`check` found; as text it is the card."""

    expression: str
    reference: tuple[ArrayLike, ...]
    """NumPy's results."""
    candidate: tuple[ArrayLike, ...]
    """NumSharp's, copied."""
    divergence: Divergence | None
    """The first differing result's first element; None when all bytes are equal, or nothing can be compared."""
    problem: str
    """One sentence when dtypes, shapes or the number of results differ; else empty."""
    operands: dict[str, ArrayLike]

    @property
    def equal(self) -> bool:
        """Whether every result has the same dtype, shape and bytes on both sides."""
        return self.divergence is None and not self.problem

    def __str__(self) -> str:
        if self.problem:
            return f"{self.expression}: {self.problem}"
        if self.divergence is None:
            size = sum(each.size for each in self.reference)
            return f"equal: {self.expression}, {size:,} elements of {_shapes(self.reference)}"
        rows = [row for row in card.rows(self.divergence) if row.label not in ("where", "tap", "inputs")]
        heading = f"differs: {self.expression}  {self.divergence.dtype}{list(self.divergence.shape)}"
        return "\n".join(card.plain_lines(heading, [*rows, *self._operand_rows()]))

    __repr__ = __str__

    def _operand_rows(self) -> Iterator[card.Row]:
        """The operands' elements at the differing place, where they have one."""
        found = self.divergence
        assert found is not None
        for name, operand in self.operands.items():
            if operand.shape == found.shape:
                element = operand[found.index]
                pattern = bits.hex_bits(np.asarray(element).tobytes())
                yield card.Row("operand", f"{name}{list(found.index)} = {element!s}  {pattern}")


def check(
    expression: str,
    *operands: Any,
    gemm_backend: str = "openblas",
    numsharp: str | PathLike[str] | None = None,
    **named: Any,
) -> Checked:
    """``check("exp", a)`` or ``check("np.sum(a, axis=0)", a=a)``: both sides' results, compared to the bit.

    A bare function takes the positional operands, which an expression calls a, b, c …; others are passed by name.
    Operands are NumPy arrays (of any layout, shared with NumSharp without a copy) or Python numbers. CotrainError
    when a side cannot compute it, and when .NET cannot be started.
    """
    text = expressions.spell(expression, len(operands), named)
    values = dict(zip(expressions.NAMES, operands, strict=False)) | named
    preflight.before_start()
    clr.start(numsharp)
    with gemm.backend(gemm_backend):
        left = expressions.reference(text, values)
        right = expressions.candidate(text, values)
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    problem = _problem(left, right)
    found = None if problem else _first_difference(text, left, right, arrays, gemm_backend)
    return Checked(text, tuple(left), tuple(right), found, problem, arrays)


def _problem(left: list[ArrayLike], right: list[ArrayLike]) -> str:
    if len(left) != len(right):
        return f"NumPy gives {len(left)} results, NumSharp {len(right)}"
    for x, y in zip(left, right, strict=True):
        if (x.dtype, x.shape) != (y.dtype, y.shape):
            return f"NumPy gives {_shapes([x])}, NumSharp {_shapes([y])}"
    return ""


def _shapes(arrays: Any) -> str:
    return ", ".join(f"{each.dtype.name}{list(each.shape)}" for each in arrays)


def _first_difference(
    text: str, left: list[ArrayLike], right: list[ArrayLike], operands: dict[str, ArrayLike], backend: str
) -> Divergence | None:
    for number, (x, y) in enumerate(zip(left, right, strict=True)):
        found = bits.compare(x, y)
        if found.equal:
            continue
        op = expressions.as_op(text)
        occurrence = ledger.Occurrence(op, tuple(operands.values()), x, y, gemm=backend, math="numsharp")
        entry = ledger.match(occurrence) if len(left) == 1 else None
        index = bits.unflatten(found.first_index, x.shape)
        return Divergence(
            place=Place(0, None, None),
            tap=f"result {number}" if len(left) > 1 else "result",
            op=op,
            dtype=x.dtype.name,
            shape=x.shape,
            index=index,
            flat_index=found.first_index,
            reference_bits=bits.hex_bits(found.reference_bits),
            candidate_bits=bits.hex_bits(found.candidate_bits),
            reference=x[index],
            candidate=y[index],
            ulp=bits.ulp(x[index], y[index]),
            max_ulp=found.max_ulp if found.ulp_defined else None,
            differing=found.differing,
            size=x.size,
            origin=True,
            inputs=dict.fromkeys(operands, True),
            excuse=None if entry is None else entry.name,
            reference_value=x,
            candidate_value=y,
        )
    return None
