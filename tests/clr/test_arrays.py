"""view and nd over layouts and dtypes: same bytes at the same addresses, whatever the layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_layouts import DTYPES, address, arrays, significant_strides
from hypothesis import given, settings

from cotrain.clr.arrays import nd, view
from cotrain.errors import CotrainError

pytestmark = pytest.mark.usefixtures("runtime")


@settings(max_examples=300, deadline=None)
@given(array=arrays())
def test_there_and_back_is_the_same_memory(array: np.ndarray[Any, Any]) -> None:
    candidate = nd(array)
    assert [int(n) for n in candidate.shape] == list(array.shape)
    back = view(candidate)
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert significant_strides(back) == significant_strides(array)
    assert back.tobytes() == array.tobytes()
    if array.size:
        assert address(back) == address(array)
    # An axis of stride 0 makes it a broadcast for NumSharp, which never writes to one.
    broadcast = 0 in significant_strides(array)
    assert back.flags.writeable == (array.flags.writeable and not broadcast)


@settings(max_examples=200, deadline=None)
@given(array=arrays())
def test_numsharp_reads_the_elements_that_numpy_reads(array: np.ndarray[Any, Any], numsharp: Any) -> None:
    copied = view(numsharp.np.copy(nd(array)))
    assert copied.shape == array.shape
    assert copied.tobytes() == array.tobytes()


@settings(max_examples=100, deadline=None)
@given(array=arrays())
def test_view_of_numsharps_own_layouts(array: np.ndarray[Any, Any], numsharp: Any) -> None:
    own = numsharp.np.copy(nd(array))
    assert view(own.T).tobytes() == array.T.tobytes()
    if own.ndim and own.size:
        assert view(own["::-1"]).tobytes() == array[::-1].tobytes()
        assert view(own["1:"]).tobytes() == array[1:].tobytes()
        assert view(own["::2"]).tobytes() == array[::2].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_dtype_by_name(dtype: str, numsharp: Any) -> None:
    array = np.ones((2, 3), dtype)
    candidate = nd(array)
    assert str(candidate.dtype.Name).lower() in {
        dtype, {"bool": "boolean", "int8": "sbyte", "uint8": "byte", "float16": "half", "float32": "single",
                "float64": "double", "complex128": "complex"}.get(dtype, dtype),
    }  # fmt: skip
    assert view(candidate).dtype == np.dtype(dtype)


def test_writes_show_on_the_other_side(numsharp: Any) -> None:
    array = np.zeros((3, 4), np.float32)
    candidate = nd(array[::-1])
    candidate.fill(2.5)
    assert (array == 2.5).all()
    own = numsharp.np.zeros(3)
    view(own)[1] = 7.0
    assert float(own.GetDouble(1)) == 7.0


def test_writable_false_and_read_only_numsharp_arrays(numsharp: Any) -> None:
    own = numsharp.np.arange(4)
    assert view(own).flags.writeable
    read_only = view(own, writable=False)
    assert not read_only.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        read_only.flags.writeable = True
    own.flags.writeable = False
    assert not view(own).flags.writeable
    broadcast = numsharp.np.broadcast_to(numsharp.np.arange(3), numsharp.Shape(2, 3))
    assert view(broadcast).strides == (0, 8)
    assert not view(broadcast).flags.writeable


def test_read_only_numpy_memory_stays_read_only(numsharp: Any) -> None:
    array = np.arange(6.0).reshape(2, 3)
    array.flags.writeable = False
    candidate = nd(array)
    assert not candidate.flags.writeable
    for attempt in (
        lambda: candidate.fill(1.0),
        lambda: candidate["0"].fill(1.0),
        lambda: candidate.T.fill(1.0),
        lambda: candidate.setflags(True),
    ):
        with pytest.raises(Exception, match=r"read-only|WRITEABLE"):
            attempt()
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_record_field_keeps_its_stride() -> None:
    records = np.zeros(5, np.dtype([("a", "f8"), ("b", "f8")]))
    records["b"] = np.arange(5)
    assert view(nd(records["b"])).tolist() == [0, 1, 2, 3, 4]


def test_numpy_does_not_own_and_numsharp_does_not_own(numsharp: Any) -> None:
    assert not view(numsharp.np.arange(3)).flags.owndata
    assert not nd(np.arange(3)).flags.owndata


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: 3, "nd() takes a numpy.ndarray, not int; np.asarray(x) makes one"),
        (lambda: [1.0], "nd() takes a numpy.ndarray, not list; np.asarray(x) makes one"),
        (lambda: np.float32(1), "nd() takes a numpy.ndarray, not numpy.float32; np.asarray(x) makes one"),
        (
            lambda: np.ma.array([1.0]),
            "nd() takes no masked array: the mask would be lost; pass array.data or array.filled()",
        ),
        (
            lambda: np.arange(3).astype(">i4"),
            "dtype '>i4' is not in this machine's byte order; convert it first: "
            "array.astype(array.dtype.newbyteorder('='))",
        ),
        (
            lambda: np.zeros(12, np.uint8)[1:9].view(np.float64),
            "the array's float64 elements are not aligned; pass array.copy()",
        ),
        (
            lambda: np.zeros(3, "c16,f8")["f0"],
            "the array's strides (24,) are not whole elements of 16 bytes; pass array.copy()",
        ),
    ],
)
def test_what_nd_refuses(make: Any, message: str) -> None:
    with pytest.raises(CotrainError) as caught:
        nd(make())
    assert str(caught.value) == message


@pytest.mark.parametrize("dtype", [object, "U3", "S3", "complex64", "M8[s]", "f4,f8", np.longdouble])
def test_dtypes_that_numsharp_lacks(dtype: Any) -> None:
    array = np.zeros(2, dtype)
    with pytest.raises(CotrainError, match=r"^NumSharp has no dtype for .*; it has bool, int8, "):
        nd(array)


def test_what_view_refuses(numsharp: Any) -> None:
    for value, name in [(3, "int"), ("x", "str"), (None, "NoneType")]:
        with pytest.raises(CotrainError) as caught:
            view(value)
        assert str(caught.value) == f"view() takes a NumSharp NDArray, not {name}"
    with pytest.raises(CotrainError, match=r"not numpy.ndarray; nd\(\) goes the other way$"):
        view(np.zeros(3))
    with pytest.raises(CotrainError, match=r"not NumSharp.NDArray; view\(\) goes the other way$"):
        nd(numsharp.np.arange(3))
    with pytest.raises(CotrainError, match=r"^NumPy has no dtype for NumSharp's NPTypeCode 15 "):
        view(numsharp.np.zeros(numsharp.Shape(3), numsharp.NPTypeCode.Decimal))
