"""assert_same_bits: what passes, and what a failure says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from cotrain import assert_same_bits, nd
from cotrain.testing import SameBits

ONE = np.float32(1)
NEXT = np.nextafter(ONE, np.float32(2))


class Gradients(NamedTuple):
    w: Any
    b: Any


@dataclass
class Layer:
    name: str
    grads: Gradients


def test_equal_arrays_of_either_side_pass(numsharp: Any) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert_same_bits(array, array.copy(order="F"))
    assert_same_bits(array, nd(array))
    assert_same_bits(nd(array), numsharp.np.copy(nd(array)))
    assert_same_bits(np.float64(1.5), np.array(1.5))
    assert_same_bits(np.array([np.nan]), np.array([np.nan]))


def test_numbers_are_arrays_of_no_dimension(numsharp: Any) -> None:
    assert_same_bits(1.5, np.float64(1.5))
    assert_same_bits(np.array(True), True)
    assert_same_bits(1.5, numsharp.NDArray.Scalar(1.5))
    with pytest.raises(AssertionError, match=r"^dtypes differ: reference float32, candidate float64$"):
        assert_same_bits(np.float32(1.5), 1.5)


def test_a_failure_tells_where_and_how(numsharp: Any) -> None:
    reference = np.ones((2, 3), np.float32)
    candidate = reference.copy()
    candidate[1, 1] = NEXT
    candidate[1, 2] = 2.0
    expected = (
        "gradient: 2 of 6 elements differ\n"
        "  array      float32[2, 3]\n"
        "  element    [1, 1]  (flat 4)\n"
        "  reference        1.0  0x3F800000  0 01111111 00000000000000000000000\n"
        "  candidate  1.0000001  0x3F800001  0 01111111 00000000000000000000001\n"
        "                                                                     ^\n"
        "  distance   1 ulp, 1 bit\n"
        "  differing  2 of 6 elements, at most 8,388,608 ulp apart"
    )
    for other in (candidate, nd(candidate)):
        with pytest.raises(AssertionError) as caught:
            assert_same_bits(reference, other, "gradient")
        assert str(caught.value) == expected


def test_containers_are_walked_together_and_a_failure_names_the_way(numsharp: Any) -> None:
    def layers(value: Any, convert: Any = lambda array: array) -> dict[str, Any]:
        grads = Gradients(convert(np.array([ONE, value])), [convert(np.zeros(2)), None, 1.0])
        return {"layers": (Layer("fc1", grads),), "loss": np.float32(value)}

    assert_same_bits(layers(ONE), layers(ONE, nd))
    assert_same_bits({"a": ONE, "b": ONE}, {"b": ONE, "a": ONE})
    assert_same_bits([ONE], (ONE,))
    check = SameBits()
    with pytest.raises(AssertionError) as caught:
        check(layers(ONE), layers(NEXT, nd), "state")
    assert str(caught.value).splitlines()[0] == "state['layers'][0].grads.w: 1 of 2 elements differ"
    assert str(caught.value).splitlines()[-1] == "  after it   state['loss'] differ too"
    assert (check.compared.taps, check.compared.bytes, check.differing) == (4, 8 + 16 + 8 + 4, 2)


def test_containers_of_dotnet(numsharp: Any) -> None:
    from System.Collections.Generic import Dictionary, List

    array = np.arange(3.0)
    named = Dictionary[str, numsharp.NDArray]()
    named["w"] = nd(array)
    listed = List[numsharp.NDArray]()
    listed.Add(nd(array))
    assert_same_bits({"w": array}, named)
    assert_same_bits([array], listed)
    with pytest.raises(AssertionError, match=r"^\['w'\]: 1 of 3 elements differ"):
        assert_same_bits({"w": np.array([0.0, 1.0, 3.0])}, named)


@pytest.mark.parametrize(
    ("reference", "candidate", "message"),
    [
        (np.array(0.0), np.array(-0.0), "the two arrays: 1 of 1 elements differ"),
        (np.zeros(2), np.zeros(3), "shapes differ: reference (2,), candidate (3,)"),
        (np.zeros(2), np.zeros(2, np.float32), "dtypes differ: reference float64, candidate float32"),
        ([1.0], np.zeros(1), "the reference is a list, the candidate a NumPy array"),
        (np.zeros(1), None, "the reference is a NumPy array, the candidate None"),
        ({1.0}, {1.0}, "the reference is a set, the candidate a set"),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, "only the reference has 'a'"),
        ({"b": 2}, {"b": 2, "c": 3}, "only the candidate has 'c'"),
        ({"a": [1, 2]}, {"a": [1]}, "['a']: the reference has 2 items, the candidate 1"),
        (Gradients(1, 2), (1, 2), "the reference is a Gradients, the candidate a tuple"),
        (["relu"], ["tanh"], "[0]: the reference is 'relu', the candidate 'tanh'"),
        ([np.array(["a"])], [np.array(["a"])], "[0]: arrays of dtype <U1 cannot be compared bit for bit; "),
    ],
)
def test_other_failures(reference: Any, candidate: Any, message: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_bits(reference, candidate)
    assert str(caught.value).splitlines()[0].startswith(message)
