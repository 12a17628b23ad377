"""assert_same_bits: what passes, and what a failure says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cotrain import assert_same_bits, nd


def test_equal_arrays_of_either_side_pass(numsharp: Any) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert_same_bits(array, array.copy(order="F"))
    assert_same_bits(array, nd(array))
    assert_same_bits(nd(array), numsharp.np.copy(nd(array)))
    assert_same_bits(np.float64(1.5), np.array(1.5))
    assert_same_bits(np.array([np.nan]), np.array([np.nan]))


def test_a_failure_tells_where_and_how(numsharp: Any) -> None:
    reference = np.ones((2, 3), np.float32)
    candidate = reference.copy()
    candidate[1, 1] = np.nextafter(np.float32(1), np.float32(2))
    candidate[1, 2] = 2.0
    expected = (
        "gradient: 2 of 6 elements differ, at most 8388608 ulp apart\n"
        "first at [1, 1], in bit 0:\n"
        "  reference 0x3F800000  1.0\n"
        "  candidate 0x3F800001  1.0000001"
    )
    for other in (candidate, nd(candidate)):
        with pytest.raises(AssertionError) as caught:
            assert_same_bits(reference, other, "gradient")
        assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("reference", "candidate", "message"),
    [
        (np.array(0.0), np.array(-0.0), "1 of 1 elements differ, at most 0 ulp apart"),
        (np.zeros(2), np.zeros(3), "shapes differ: reference (2,), candidate (3,)"),
        (np.zeros(2), np.zeros(2, np.float32), "dtypes differ: reference float64, candidate float32"),
        ([1.0], np.zeros(1), "the reference is a list, not a NumPy array or an NDArray"),
        (np.zeros(1), None, "the candidate is a NoneType, not a NumPy array or an NDArray"),
    ],
)
def test_other_failures(reference: Any, candidate: Any, message: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_bits(reference, candidate)
    assert str(caught.value).splitlines()[0] == message
