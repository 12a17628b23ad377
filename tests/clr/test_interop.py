"""What a NumPy user types at NumSharp, and what it means: each expression, each refusal."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from array_layouts import DTYPES, address, arrays, significant_strides
from hypothesis import given, settings

from cotrain import CotrainError, assert_same_bits, interop, nd, view
from cotrain.clr.arrays import is_ndarray

A = np.array([[0.5, 1, 2], [3, 4, 5]], np.float32)


@pytest.fixture(scope="module")
def ns() -> Any:
    return interop()


@pytest.fixture
def n() -> Any:
    return nd(A.copy())


# -- NumSharp's functions take what NumPy's take ------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda ns, a: ns.add(a, 1.0), A + np.float32(1)),
        (lambda ns, a: ns.add(a, 1), A + 1),
        (lambda ns, a: ns.add(1.5, a), A + 1.5),
        (lambda ns, a: ns.power(a, 2), A**2),
        (lambda ns, a: ns.clip(a, 0.0, 1.0), np.clip(A, 0.0, 1.0)),
        (lambda ns, a: ns.maximum(a, [1, 2, 3]), np.maximum(A, [1, 2, 3])),
        (lambda ns, a: ns.sum(a, axis=0), A.sum(axis=0)),
        (lambda ns, a: ns.sum(a, 1), A.sum(1)),
        (lambda ns, a: ns.dot(a, a.T), A @ A.T),
        (lambda ns, a: ns.linalg.matmul(a, a.T), A @ A.T),
        (lambda ns, a: ns.concatenate([a, a]), np.concatenate([A, A])),
        (lambda ns, a: ns.concatenate((a, nd(a))), np.concatenate([A, A])),
        (lambda ns, a: ns.stack([a, nd(a)], axis=0), np.stack([A, A])),
        (lambda ns, a: ns.where(ns.greater(a, 2), 1.0, a), np.where(A > 2, np.float32(1), A)),
        (lambda ns, a: ns.transpose(a, (1, 0)), A.T),
        (lambda ns, a: ns.argmax(a, 1), np.argmax(A, 1)),
        (lambda ns, a: ns.take(a, [0, 2]), np.take(A, [0, 2])),
        (lambda ns, a: ns.repeat(a, 2), np.repeat(A, 2)),
        (lambda ns, a: ns.split(a, 2)[1], A[1:]),
        (lambda ns, a: ns.nonzero(a)[1], np.nonzero(A)[1]),
        (lambda ns, a: ns.array(a), A),
        (lambda ns, a: ns.asanyarray(a), A),
        (lambda ns, a: ns.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])),
        (lambda ns, a: ns.array(5.0), np.array(5.0)),
        (lambda ns, a: ns.zeros((2, 3)), np.zeros((2, 3))),
        (lambda ns, a: ns.zeros((2, 3), dtype=np.float32), np.zeros((2, 3), np.float32)),
        (lambda ns, a: ns.zeros((2, 3), np.int16), np.zeros((2, 3), np.int16)),
        (lambda ns, a: ns.zeros((2, 3), dtype="float32"), np.zeros((2, 3), np.float32)),
        (lambda ns, a: ns.full((2, 2), 3), np.full((2, 2), 3)),
        (lambda ns, a: ns.full((2, 2), np.float32(1.5)), np.full((2, 2), np.float32(1.5))),
        (lambda ns, a: ns.arange(3), np.arange(3)),
        (lambda ns, a: ns.arange(3.0), np.arange(3.0)),
        (lambda ns, a: ns.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)),
        (lambda ns, a: ns.broadcast_to(a[0], (2, 3)), np.broadcast_to(A[0], (2, 3))),
        (lambda ns, a: ns.broadcast_to(a[0], [2, 3]), np.broadcast_to(A[0], [2, 3])),
    ],
)
def test_functions(ns: Any, call: Any, expected: Any) -> None:
    result = call(ns, A.copy())
    assert is_ndarray(result)
    assert_same_bits(expected, result)


def test_random_numbers_are_numpys(ns: Any) -> None:
    ns.random.seed(7)
    mine = ns.random.normal(0.0, 1.0, (3,)), ns.random.randint(0, 10, 5)
    np.random.seed(7)  # noqa: NPY002
    assert_same_bits(np.random.normal(0.0, 1.0, 3), mine[0])  # noqa: NPY002
    assert view(mine[1]).tolist() == np.random.randint(0, 10, 5, dtype=np.int32).tolist()  # noqa: NPY002


def test_the_plain_namespace_and_methods_take_arrays_too(ns: Any, numsharp: Any, n: Any) -> None:
    assert_same_bits(A + A, numsharp.np.add(A, A))
    assert_same_bits(A @ A.T, n.dot(A.T))


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_dtype_goes_in_and_comes_out(ns: Any, dtype: str) -> None:
    array = np.ones(3, dtype)
    assert_same_bits(array, ns.copy(array))
    assert np.asarray(nd(array)).dtype == array.dtype


def test_a_numpy_array_is_passed_without_a_copy(ns: Any) -> None:
    array = np.zeros(3)
    ns.copyto(array, np.array([1.0, 2.0, 3.0]))
    assert array.tolist() == [1, 2, 3]


# -- NumPy's functions take an NDArray ----------------------------------------------------------------------


def test_asarray_is_a_view(n: Any) -> None:
    seen = np.asarray(n)
    assert type(seen) is np.ndarray
    assert seen.dtype == np.float32
    seen[0, 0] = 7
    assert float(n[0, 0]) == 7
    assert np.asarray(n, np.float64).dtype == np.float64
    assert address(np.array(n)) != address(seen)
    assert address(np.asarray(n, copy=False)) == address(seen)
    with pytest.raises(ValueError, match=r"^an NDArray of float32 becomes float64 only by a copy$"):
        np.asarray(n, np.float64, copy=False)


@settings(max_examples=100, deadline=None)
@given(array=arrays())
def test_asarray_of_every_layout(ns: Any, array: Any) -> None:
    seen = np.asarray(nd(array))
    assert seen.dtype == array.dtype
    assert seen.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda n: np.add(n, A), A + A),
        (lambda n: np.add(A, n), A + A),
        (lambda n: n.dot(A.T), A @ A.T),
        (lambda n: A + n, A + A),
        (lambda n: np.float32(2) * n, 2 * A),
        (lambda n: np.sum(n), A.sum()),
        (lambda n: np.mean(n, axis=0), A.mean(axis=0)),
        (lambda n: np.concatenate([n, A]), np.concatenate([A, A])),
        (lambda n: np.add.reduce(n), np.add.reduce(A)),
        (lambda n: np.maximum.accumulate(n, axis=1), np.maximum.accumulate(A, axis=1)),
        (lambda n: np.where(n > 2, n, 0), np.where(A > 2, A, 0)),
        (lambda n: np.stack([n, n]), np.stack([A, A])),
    ],
)
def test_numpys_functions(ns: Any, n: Any, call: Any, expected: Any) -> None:
    result = call(n)
    assert result.dtype == expected.dtype if isinstance(result, np.ndarray) else True
    assert_same_bits(expected, result)


def test_whose_function_it_is_decides_who_computes(ns: Any, n: Any) -> None:
    assert isinstance(np.add(n, A), np.ndarray)
    assert isinstance(A + n, np.ndarray)
    assert is_ndarray(n + A)
    assert is_ndarray(ns.add(A, A))


def test_out_may_be_an_ndarray(ns: Any, n: Any) -> None:
    out = nd(np.zeros_like(A))
    assert np.add(n, 1, out=out) is out
    assert_same_bits(A + 1, out)
    array = A.copy()
    array += n
    assert_same_bits(A + A, array)


# -- operators, indexing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge"]
)
@pytest.mark.parametrize("other", [A[::-1] + 1, 2, 2.5, np.float32(2), [1.0, 2.0, 3.0]])
def test_operators(ns: Any, n: Any, name: str, other: Any) -> None:
    apply = getattr(operator, name)
    result = apply(n, other)
    assert is_ndarray(result)
    expected = apply(A, other)
    assert view(result).shape == expected.shape
    np.testing.assert_allclose(view(result), expected, rtol=1e-6)
    if not isinstance(other, np.ndarray | np.generic):
        np.testing.assert_allclose(view(apply(nd(A), other)), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
def test_reflected_operators(ns: Any, n: Any, name: str) -> None:
    apply = getattr(operator, name)
    for other in (2, 2.5, [1.0, 2.0, 3.0]):
        result = apply(other, n)
        assert is_ndarray(result)
        np.testing.assert_allclose(view(result), apply(np.asarray(other, np.float32), A), rtol=1e-6)


def test_integer_operators(ns: Any) -> None:
    array = np.array([6, 3, -1])
    n = nd(array)
    for name in ("and_", "or_", "xor", "lshift", "rshift"):
        apply = getattr(operator, name)
        assert_same_bits(apply(array, 2), apply(n, 2))
    assert_same_bits(~array, ~n)
    assert_same_bits(-array, -n)
    assert_same_bits(+array, +n)
    assert_same_bits(abs(array), abs(n))


def test_in_place_operators_write_where_the_array_lies(ns: Any) -> None:
    array = A.copy()
    n = alias = nd(array)
    n += 1
    n *= A
    assert n is alias
    assert_same_bits((A + 1) * A, array)
    integers = nd(np.arange(3))
    with pytest.raises(
        CotrainError, match=r"^ns.add: the result, float64\[3\], does not fit into int64\[3\] in place$"
    ):
        integers += 0.5
    array.flags.writeable = False
    read_only = nd(array)
    with pytest.raises(CotrainError, match=r"^ns.add: the NDArray on the left is read-only$"):
        read_only += 1


def test_what_is_no_operand_is_left_to_python(ns: Any, n: Any) -> None:
    assert (n == None) is False  # noqa: E711
    assert n != "x"
    with pytest.raises(TypeError, match=r"^unsupported operand type\(s\) for \+: 'NDArray' and 'str'$"):
        n + "x"


KEYS = [
    0, -1, slice(0, 2), slice(None, None, -1), slice(1, 1), (0, 1), (slice(None), 1), (..., None), (..., 0), None,
    [0, 1, 0], (slice(None), [2, 0]), np.array([True, False]), A > 2, (0, slice(1, None)), (), ...,
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("own", [False, True])
def test_indexing(ns: Any, key: Any, own: bool) -> None:
    array = A.copy()
    n = ns.copy(array) if own else nd(array)
    found = n[key]
    assert is_ndarray(found)
    expected = np.asarray(array[key])
    assert_same_bits(expected, found)
    if not own and np.shares_memory(array, array[key]):
        assert significant_strides(view(found)) == significant_strides(expected)
        assert address(view(found)) == address(expected)
    n[key] = 9
    array[key] = 9
    assert_same_bits(array, n)


def test_one_element_stays_in_its_memory(ns: Any, n: Any) -> None:
    element = n[0, 1]
    n[0, 1] = 8.0
    assert float(element) == 8.0
    assert int(element) == 8
    assert complex(element) == 8
    assert element.item() == 8.0
    assert "abc"[n[0, 1].astype(np.int64) - 7] == "b"
    assert bool(n[0, 1])


def test_an_index_may_be_an_ndarray(ns: Any, n: Any) -> None:
    assert_same_bits(A[A > 2], n[n > 2])
    assert_same_bits(A[[1, 0]], n[ns.array([1, 0])])
    n[n > 2] = n[0, 0]
    assert_same_bits(np.where(A > 2, A[0, 0], A), n)


def test_wrong_indices_are_numpys_sentences(ns: Any, n: Any) -> None:
    with pytest.raises(IndexError, match=r"^index 5 is out of bounds for axis 0 with size 2$"):
        n[5]
    with pytest.raises(IndexError, match=r"^only integers, slices"):
        n[1.5]
    with pytest.raises(ValueError, match=r"^could not broadcast input array"):
        n[0] = [1, 2]


def test_numsharps_own_notation_in_a_string(ns: Any, n: Any) -> None:
    assert_same_bits(A[1:, ::-1], n["1:, ::-1"])
    n["0"] = nd(A[1])
    assert_same_bits(A[[1, 1]], n)
    with pytest.raises(CotrainError, match=r"^NDArray: "):
        n["a:b"]


def test_an_ndarray_is_a_sequence(ns: Any, n: Any) -> None:
    assert len(n) == 2
    assert [view(row).tolist() for row in n] == A.tolist()
    assert n.tolist() == A.tolist()
    assert 4.0 in n
    assert 4.5 not in n
    with pytest.raises(TypeError, match=r"unsized"):
        len(n[0, 0])
    with pytest.raises(ValueError, match=r"ambiguous"):
        bool(n)


def test_an_ndarray_is_unhashable(ns: Any, n: Any) -> None:
    with pytest.raises(TypeError, match=r"^unhashable type: 'NDArray'$"):
        hash(n)
    with pytest.raises(TypeError, match=r"^iteration over a 0-d NDArray$"):
        iter(n[0, 0])
    assert n in [n]


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.sum(), lambda a: a.sum(0), lambda a: a.mean(axis=1), lambda a: a.min(), lambda a: a.max(1),
        lambda a: a.argmax(), lambda a: a.argmin(1), lambda a: a.astype(np.float64), lambda a: a.astype("int32"),
        lambda a: a.reshape(3, 2), lambda a: a.reshape((3, 2)), lambda a: a.reshape(-1), lambda a: a.T,
        lambda a: a.transpose(), lambda a: a.transpose(1, 0), lambda a: a.ravel(), lambda a: a.copy(),
        lambda a: a.any(), lambda a: a.all(), lambda a: a.cumsum(0), lambda a: a.clip(0.0, 1.0), lambda a: a.repeat(2),
        lambda a: a.take([0, 1]), lambda a: a.dot(A.T), lambda a: a.swapaxes(0, 1), lambda a: a.nonzero()[0],
    ],
)  # fmt: skip
def test_methods(ns: Any, n: Any, call: Any) -> None:
    assert_same_bits(call(A), np.asarray(call(n)))


# -- how it looks -------------------------------------------------------------------------------------------


def test_how_an_ndarray_looks(ns: Any) -> None:
    n = nd(A.copy())
    assert repr(n) == "NDArray float32 (2, 3), strides (12, 4), memory: NumPy's\n[[0.5 1.  2. ]\n [3.  4.  5. ]]"
    assert repr(n[0, ::-1]) == "NDArray float32 (3,), strides (-4,), memory: NumPy's\n[2.  1.  0.5]"
    own = ns.array([1, 2])
    assert repr(own) == "NDArray int64 (2,), strides (8,), memory: NumSharp's\n[1 2]"
    assert repr(own[0]) == "NDArray int64 (), strides (), memory: NumSharp's, a view\n1"
    assert repr(own > 1).startswith("NDArray bool (2,), strides (1,), memory: NumSharp's\n")
    assert repr(ns.zeros((0, 3))).startswith("NDArray float64 (0, 3), strides ")
    assert len(repr(ns.zeros((1000, 1000)))) < 500
    array = A.copy()
    array.flags.writeable = False
    assert repr(nd(array)).startswith("NDArray float32 (2, 3), strides (12, 4), memory: NumPy's, read-only\n")
    gone = ns.array([1, 2])
    gone.Dispose()
    assert repr(gone) == "<NDArray: this NDArray was disposed: its memory is gone>"


def test_what_numpy_has_no_dtype_for_is_a_sentence_too(ns: Any, numsharp: Any) -> None:
    decimal = numsharp.np.zeros(numsharp.Shape(3), numsharp.NPTypeCode.Decimal)
    assert repr(decimal).startswith("<NDArray: NumPy has no dtype for NumSharp's NPTypeCode 15 ")
    with pytest.raises(CotrainError, match=r"^NumPy has no dtype for NumSharp's NPTypeCode 15 "):
        np.asarray(decimal)


def test_the_namespace_at_a_prompt(ns: Any) -> None:
    assert repr(ns).startswith("<ns: NumSharp's np, ")
    assert {"add", "random", "linalg", "fft"} <= set(dir(ns))
    assert repr(ns.add) == "<ns.add, of NumSharp>\n  NDArray add(NDArray, NDArray, NDArray, NDArray, DType)"
    assert "NDArray add(" in ns.add.__doc__
    assert {"seed", "normal"} <= set(dir(ns.random))
    with pytest.raises(AttributeError, match=r"^ns has no addd; did you mean add\?$"):
        ns.addd  # noqa: B018
    assert ns.pi == np.pi


# -- refusals -----------------------------------------------------------------------------------------------

LACKS = "NumSharp has no dtype for {}; it has bool, int8, "


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros(2, object), LACKS.format("object")),
        (np.array(["x"]), LACKS.format("str32")),
        (np.array([b"x"]), LACKS.format("bytes8")),
        (np.zeros(2, "M8[s]"), LACKS.format("datetime64[s]")),
        (np.zeros(2, np.longdouble), LACKS.format("longdouble")),
        (np.zeros(2, np.complex64), LACKS.format("complex64")),
        (np.zeros(2, "f4,f8"), LACKS.format("void96")),
        (np.zeros(2, ">f4"), "dtype '>f4' is not in this machine's byte order; convert it first: "),
        (np.zeros(9, np.uint8)[1:].view(np.float64), "the array's float64 elements are not aligned; pass array.copy()"),
        (np.zeros(3, "c16,f8")["f0"], "the array's strides (24,) are not whole elements of 16 bytes; "),
        (np.ma.array([1.0]), "nd() takes no masked array: the mask would be lost; "),
    ],
)
def test_arrays_that_are_refused(ns: Any, n: Any, array: Any, sentence: str) -> None:
    if sentence == LACKS.format("longdouble"):
        sentence = LACKS.format(array.dtype.name)
    for call, prefix in (
        (lambda: nd(array), ""),
        (lambda: ns.add(array, 1.0), "ns.add: "),
        (lambda: ns.exp(array), "ns.exp: "),
        (lambda: n + array, "ns.add: "),
    ):
        with pytest.raises(CotrainError) as caught:
            call()
        message = str(caught.value)
        assert message.startswith(prefix + sentence)
        assert "\n" not in message


def test_a_call_that_fits_no_overload(ns: Any) -> None:
    with pytest.raises(CotrainError) as caught:
        ns.add(A, 1, 2, 3, 4, 5, 6)
    assert str(caught.value) == (
        "ns.add takes no (float32 array, int, int, int, int, int, int); it has "
        "NDArray add(NDArray, NDArray, NDArray, NDArray, DType)"
    )
    with pytest.raises(CotrainError, match=r"^ns.add takes no \(float32 array, colour=int\); it has "):
        ns.add(A, colour=1)
    with pytest.raises(CotrainError, match=r"^ns.add: setting an array element with a sequence"):
        ns.add(A, [[1], [1, 2]])


def test_what_numsharp_throws_is_a_sentence(ns: Any) -> None:
    with pytest.raises(CotrainError, match=r"^ns.dot: IncorrectShapeException: shapes \(2,3\) and \(2,3\) not aligned"):
        ns.dot(A, A)


def test_read_only_is_refused_as_writable(ns: Any) -> None:
    array = A.copy()
    array.flags.writeable = False
    with pytest.raises(CotrainError, match=r"^the array is read-only or broadcast, so its NDArray cannot be written"):
        nd(array, writable=True)
    with pytest.raises(CotrainError, match=r"^the array is read-only or broadcast"):
        nd(np.broadcast_to(np.zeros(3), (2, 3)), writable=True)
    with pytest.raises(CotrainError, match=r"^this NDArray is read-only or broadcast: view\(nd\) gives a read-only"):
        view(nd(array), writable=True)
    assert view(nd(A.copy()), writable=True).flags.writeable
    assert not nd(A.copy(), writable=False).flags.writeable
    with pytest.raises(ValueError, match=r"read-only"):
        nd(array)[0] = 1
    with pytest.raises(CotrainError, match=r"^ns.copyto: .*read-only"):
        ns.copyto(array, 1.0)
    assert (array == A).all()


def test_an_empty_array_is_no_failure(ns: Any) -> None:
    empty = np.zeros((0, 3), np.float32)
    assert_same_bits(empty, ns.copy(empty))
    assert np.asarray(nd(empty)).shape == (0, 3)
    assert view(ns.add(empty, 1.0)).shape == (0, 3)
    with pytest.raises(CotrainError, match=r"^ns.argmax: .*empty"):
        ns.argmax(empty)


# -- installed when asked for -------------------------------------------------------------------------------


def test_nothing_is_installed_before_it_is_asked_for(run_python: Any) -> None:
    code = """
import sys
import numpy as np
from cotrain import Pair, nd
with Pair.load(options={"steps": 3}) as pair:
    before = pair.run()
assert "cotrain.clr.interop" not in sys.modules
n = nd(np.arange(3.0))
assert np.asarray(n).dtype == object
assert not hasattr(type(n), "__array__")
from NumSharp import np as raw
for attempt in range(2):
    try:
        raw.add(n, np.arange(3.0))
    except TypeError:
        pass
    else:
        raise SystemExit("a codec was there")
from cotrain import interop
interop()
assert interop() is interop()
assert np.asarray(n).dtype == np.float64
assert str(raw.add(n, np.arange(3.0))) == "[0. 2. 4.]"
with Pair.load(options={"steps": 3}) as pair:
    after = pair.run()
assert before.verdict == after.verdict == "identical"
assert before.weights_sha256 == after.weights_sha256
print("done")
"""
    result = run_python(code)
    assert (result.stdout, result.stderr, result.returncode) == ("done\n", "", 0)


def test_a_sub_interpreter_is_refused_before_numpy_is_imported(run_python: Any) -> None:
    pytest.importorskip("_xxsubinterpreters")
    code = """
import _xxsubinterpreters as interpreters
import cotrain
cotrain.interop()
inside = '''
import sys, cotrain
for name in ("nd", "view", "interop", "Pair", "assert_same_bits"):
    try:
        getattr(cotrain, name)
    except cotrain.CotrainError as error:
        print(error)
assert "numpy" not in sys.modules
from cotrain import clr
try:
    clr.start()
except cotrain.CotrainError as error:
    print(error)
'''
interpreters.run_string(interpreters.create(), inside)
"""
    result = run_python(code)
    sentence = (
        "cotrain works in the main interpreter only: NumPy and pythonnet keep one state for the whole process, "
        "which a sub-interpreter would share\n"
    )
    assert (result.stdout, result.stderr, result.returncode) == (sentence * 6, "", 0)


def test_a_forked_child_is_refused(run_python: Any) -> None:
    code = """
import os, sys, warnings
import numpy as np
warnings.simplefilter("ignore")  # later Pythons warn of any fork of a process with threads
from cotrain import CotrainError, clr, interop, nd, view
ns = interop()
n = nd(np.arange(3.0))
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
for attempt in (clr.start, lambda: nd(np.arange(3)), lambda: view(n), lambda: ns.exp(n), lambda: n[0]):
    try:
        attempt()
    except CotrainError as error:
        assert str(error).startswith("this process was forked from one that runs .NET"), error
    else:
        os._exit(1)
os._exit(0)
"""
    result = run_python(code, timeout=60)
    assert (result.stderr, result.returncode) == ("", 0)
