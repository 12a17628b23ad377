"""The same layer on both sides, called with the same arrays and compared tap by tap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple

from cotrain import clr
from cotrain.errors import CotrainError
from cotrain.lockstep.result import Divergence, Place, Result, StructuralDivergence, TapShape, TapTime, Verdict
from cotrain.protocol import ArrayLike
from cotrain.testing.candidates import candidate as make_candidate
from cotrain.testing.copies import mapped, same_layout
from cotrain.testing.differences import difference
from cotrain.testing.failure import Diverged, trimmed
from cotrain.testing.gemm import Gemm
from cotrain.testing.sides import Reference, Value


class ComparedTap(NamedTuple):
    """A tap of both sides."""

    reference: ArrayLike
    candidate: ArrayLike


class LayerPair:
    """A layer in NumPy and the same layer in NumSharp, with equal weights. End it with :meth:`close`.

    ``reference`` is a Python class (or a function, or a ready object); ``candidate`` is ``"DLL:TYPE"`` for a .NET
    class, which must be public, or a Python class or function that uses NumSharp. Both are made with the remaining
    arguments; each side gets copies of the arrays (also of those in dicts, lists and tuples), byte for byte and of the
    same layout, the candidate as NDArrays.

    :meth:`forward`, :meth:`backward` and :meth:`call` then call the method of that name on both sides (``Forward`` in
    C#) and compare every tap of it, in order. The taps of a call are, in this order of preference:

    - what it hands to an ``ITaps`` (a C# method with such a parameter, a Python candidate with one named ``taps``) and
      what it yields as a generator: :class:`cotrain.Tap` or ``(name, value)``;
    - the items of the dictionary that it returns;
    - the array or number that it returns, named after the method; several are numbered.

    A C# parameter of type ``IMath``, or a Python candidate's parameter ``math``, gets the functions that ``math``
    chooses. ``gemm`` chooses who multiplies until the pair is closed; None leaves that as it is.
    """

    def __init__(
        self,
        reference: Any,
        candidate: Any,
        /,
        *arguments: Any,
        math: str = "parity",
        gemm: str | None = "openblas",
        **named: Any,
    ) -> None:
        """CotrainError when a layer cannot be made, or the machine cannot compare; starts .NET if need be."""
        __tracebackhide__ = True
        clr.start()
        self.result = Result(mode="sequence", on_diff="continue")
        """What the calls so far have found; a step is a call."""
        self.taps: dict[str, ComparedTap] = {}
        """Each tap of both sides, as it was last."""
        self._differing: set[str] = set()
        try:
            with ExitStack() as stack:
                if gemm is not None:
                    stack.enter_context(Gemm(gemm))
                self._reference = Reference(reference, *_own(arguments, named))
                self._candidate = make_candidate(candidate, *_own(arguments, named), math=math)
                stack.callback(self._candidate.close)
                self._cleanup = stack.pop_all()
        except CotrainError as error:
            raise trimmed(error) from error.__cause__

    def forward(self, *arguments: Any, **named: Any) -> dict[str, ArrayLike]:
        """:meth:`call` of ``forward``."""
        __tracebackhide__ = True
        return self.call("forward", *arguments, **named)

    def backward(self, *arguments: Any, **named: Any) -> dict[str, ArrayLike]:
        """:meth:`call` of ``backward``."""
        __tracebackhide__ = True
        return self.call("backward", *arguments, **named)

    def call(self, method: str, /, *arguments: Any, **named: Any) -> dict[str, ArrayLike]:
        """Calls a method on both sides, each with its own copies of the arrays, and compares its taps.

        Returns the reference's taps by name. Raises :class:`Diverged` with the divergence card; CotrainError when
        nothing was tapped, there is no such method, or the C# method throws.
        """
        __tracebackhide__ = True
        try:
            reference = self._reference.call(method, *_own(arguments, named))
            candidate = self._candidate.call(method, *_own(arguments, named))
            failure = self._compare(method, reference, candidate)
        except CotrainError as error:
            raise trimmed(error) from error.__cause__
        if failure is not None:
            raise failure
        return {value.name: value.array for value in reference}

    def close(self) -> None:
        """Disposes the C# layer and restores the GEMM backend. Safe to call twice."""
        self._cleanup.close()

    def __enter__(self) -> LayerPair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _compare(self, method: str, reference: list[Value], candidate: list[Value]) -> Diverged | None:
        if not reference and not candidate:
            raise CotrainError(f"{method} gives nothing to compare: neither side returns, yields or taps anything")
        for values, side in ((reference, "reference"), (candidate, "candidate")):
            names = [value.name for value in values]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise CotrainError(f"the {side}'s {method} taps {twice} twice; tap names are unique in a call")
        place = Place(self.result.steps, None, None)
        found: list[Divergence] = []
        aligned = 0
        for left, right in zip(reference, candidate, strict=False):
            if _shape(left) != _shape(right):
                break
            divergence = self._compare_tap(place, left, right, [value.name for value in reference[:aligned]])
            if divergence is not None:
                found.append(divergence)
            aligned += 1
        structural = None
        if aligned < max(len(reference), len(candidate)):
            rest = (tuple(map(_shape, values[aligned:])) for values in (reference, candidate))
            structural = StructuralDivergence(place, aligned, *rest)
        return self._judge(method, found, structural)

    def _compare_tap(self, place: Place, left: Value, right: Value, earlier: Sequence[str]) -> Divergence | None:
        result = self.result
        result.compared.add(1, left.array.nbytes)
        self.taps[left.name] = ComparedTap(left.array, right.array)
        time = result.tap_times.setdefault(left.name, TapTime(left.op, left.array.dtype.name, left.array.shape))
        time.steps += 1
        # What is not declared may have been read: the call's taps so far, and what earlier calls left differing.
        inputs = left.inputs if left.inputs is not None else dict.fromkeys([*earlier, *sorted(self._differing)])
        divergence = difference(
            left.name,
            left.array,
            right.array,
            place=place,
            op=left.op,
            inputs={name: name not in self._differing for name in inputs},
            sources=(left.source, right.source),
        )
        self._differing.discard(left.name)
        if divergence is not None:
            self._differing.add(left.name)
            result.differences.add(
                place.step,
                left.name,
                left.op,
                origin=divergence.origin,
                elements=divergence.differing,
                max_ulp=divergence.max_ulp,
            )
        return divergence

    def _judge(self, method: str, found: list[Divergence], structural: StructuralDivergence | None) -> Diverged | None:
        result = self.result
        result.steps += 1
        if not found and structural is None:
            return None
        result.verdict = Verdict.DIVERGED
        result.divergences += found
        result.structural = result.structural or structural
        return Diverged(self._card(method, found, structural), result)

    def _card(self, method: str, found: list[Divergence], structural: StructuralDivergence | None) -> list[str]:
        from cotrain.report import card  # only a failure draws

        where = f"{method}, call {self.result.steps - 1}, of {self._reference.title} and {self._candidate.title}"
        rows = [card.Row("where", where)]
        title = f"structural divergence in {method}"
        if found:
            first = replace(found[0], also_differing=tuple(each.tap for each in found[1:]))
            rows += list(card.rows(first))[1:]
            title = f"divergence in {method}, {first.tap} ({'origin' if first.origin else 'inherited'})"
        if structural:
            rows += list(card.structural_rows(structural))[1:]
        return card.plain_lines(title, rows)


def _shape(value: Value) -> TapShape:
    return TapShape(value.name, value.array.dtype.name, value.array.shape)


def _own(arguments: Sequence[Any], named: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The same arguments with arrays of one's own."""
    copied = {key: mapped(value, same_layout) for key, value in named.items()}
    return [mapped(value, same_layout) for value in arguments], copied
