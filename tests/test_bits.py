"""The comparison oracle, and the C# comparer against it."""

import ctypes

import numpy as np
import pytest

from cotrain import bits
from cotrain.clr import dtypes, exports
from cotrain.errors import CotrainError

DTYPES = [np.dtype(name) for name in ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c16")]
UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}
FLOATS = [np.float16, np.float32, np.float64]


def from_bits(pattern, dtype):
    return np.array(pattern, UNSIGNED[np.dtype(dtype).itemsize]).view(dtype)


# ---- the oracle


def test_equal_bytes_are_equal_whatever_they_mean():
    values = np.array([0.0, -0.0, np.inf, 1e-45], np.float32)
    assert bits.compare(values, values.copy()) == bits.EQUAL
    nan = from_bits([0x7FC00001, 0xFFC00002], np.float32)
    assert bits.compare(nan, nan.copy()).equal


def test_zeros_of_both_signs_differ_by_no_ulp():
    finding = bits.compare(np.array([1.0, 0.0], np.float32), np.array([1.0, -0.0], np.float32))
    assert finding == bits.Finding(1, 1, bytes(4), bytes([0, 0, 0, 0x80]), 0, 1)


def test_nan_payloads_differ_without_an_ulp():
    left = from_bits([0x7FC00000, 0x3F800000], np.float32)
    right = from_bits([0x7FC00001, 0x3F800003], np.float32)
    finding = bits.compare(left, right)
    assert (finding.differing, finding.first_index) == (2, 0)
    assert (finding.max_ulp, finding.ulp_defined) == (3, 1)


def test_first_index_is_in_c_order_for_any_layout():
    left = np.zeros((3, 4), np.float64)
    right = np.asfortranarray(left)
    right[2, 0] = right[1, 3] = 1.0
    assert bits.compare(left, right).first_index == 1 * 4 + 3
    assert bits.compare(left[::-1], right[::-1]).first_index == 0
    assert bits.compare(left.T, right.T).first_index == 0 * 3 + 2


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2), ()])
def test_empty_and_scalar(shape):
    left = np.full(shape, 1.5, np.float16)
    assert bits.compare(left, left.copy()).equal
    if left.size:
        finding = bits.compare(left, left * 2)
        assert (finding.differing, finding.first_index) == (1, 0)


def test_what_cannot_be_compared_says_why():
    one = np.zeros(3, np.float32)
    with pytest.raises(CotrainError, match="dtypes differ: reference float32, candidate float64"):
        bits.compare(one, one.astype(np.float64))
    with pytest.raises(CotrainError, match=r"shapes differ: reference \(3,\), candidate \(1, 3\)"):
        bits.compare(one, one[None])
    with pytest.raises(CotrainError, match="object"):
        bits.compare(one.astype(object), one.astype(object))
    with pytest.raises(CotrainError, match="cannot be compared bit for bit"):
        bits.compare(one.astype(np.longdouble), one.astype(np.longdouble))
    swapped = one.astype(one.dtype.newbyteorder())
    with pytest.raises(CotrainError, match="byte order"):
        bits.compare(swapped, swapped)


@pytest.mark.parametrize("dtype", FLOATS)
def test_ulp_counts_neighbours(dtype):
    info = np.finfo(dtype)
    least = info.smallest_subnormal
    for start in (dtype(1), dtype(-2), dtype(0), least, info.tiny, -2 * least):
        value = start
        for steps in range(1, 6):
            value = np.nextafter(value, dtype(np.inf))
            assert bits.ulp(start, value) == bits.ulp(value, start) == steps
    assert bits.ulp(dtype(0), dtype(-0.0)) == 0
    assert bits.ulp(info.max, dtype(np.inf)) == 1
    infinity = int(dtype(np.inf).view(UNSIGNED[info.bits // 8]))
    assert bits.ulp(dtype(-np.inf), dtype(np.inf)) == 2 * infinity


def test_ulp_is_undefined_for_nan_and_for_what_is_no_float():
    assert bits.ulp(np.float32(np.nan), np.float32(1)) is None
    assert bits.ulp(np.float32(np.nan), np.float32(np.nan)) is None
    assert bits.ulp(np.int32(1), np.int32(2)) is None
    assert bits.ulp(np.complex128(1), np.complex128(2)) is None
    with pytest.raises(CotrainError):
        bits.ulp(np.zeros(2), np.zeros(2))


def test_hex_bits_and_differing_bits():
    reference = from_bits([0x323504EF], np.float32)
    candidate = from_bits([0x323504F0], np.float32)
    finding = bits.compare(reference, candidate)
    assert bits.hex_bits(finding.reference_bits) == "0x323504EF"
    assert bits.hex_bits(finding.candidate_bits) == "0x323504F0"
    assert bits.differing_bits(finding.reference_bits, finding.candidate_bits) == (0, 1, 2, 3, 4)
    assert bits.hex_bits(bits.element_bits(np.array([True]), 0)) == "0x01"
    assert bits.hex_bits(bits.element_bits(np.array(-2, np.int64), 0)) == "0xFFFFFFFFFFFFFFFE"
    assert bits.hex_bits(bits.element_bits(np.array([1 + 2j]), 0)) == "0x40000000000000003FF0000000000000"


def test_unflatten():
    shape = (3, 1, 4)
    for flat in range(12):
        assert bits.unflatten(flat, shape) == tuple(int(i) for i in np.unravel_index(flat, shape))
    assert bits.unflatten(0, ()) == ()
    for flat, shape in ((12, (3, 4)), (-1, (3, 4)), (1, ()), (0, (0, 2))):
        with pytest.raises(CotrainError, match="does not exist"):
            bits.unflatten(flat, shape)


# ---- the C# comparer


class Operand(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_void_p),
        ("type_code", ctypes.c_int32),
        ("item_size", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]

    @classmethod
    def of(cls, array):
        extents = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*array.strides)
        code = dtypes.type_code(array.dtype)
        return cls(array.ctypes.data, code, array.itemsize, array.ndim, extents, strides)


class NativeFinding(ctypes.Structure):
    _fields_ = [
        ("differing", ctypes.c_int64),
        ("first_index", ctypes.c_int64),
        ("max_ulp", ctypes.c_uint64),
        ("ulp_defined", ctypes.c_int64),
        ("reference_bits", ctypes.c_uint8 * 16),
        ("candidate_bits", ctypes.c_uint8 * 16),
    ]


@pytest.fixture(scope="module")
def compare():
    arguments = [ctypes.POINTER(Operand), ctypes.POINTER(Operand), ctypes.POINTER(NativeFinding)]
    native = exports.bind("Cotrain.Lockstep.CompareExport", "Compare", *arguments)

    def call(reference, candidate):
        # Filled with junk: the comparer must not rely on what it finds there.
        finding = NativeFinding.from_buffer_copy(b"\7" * ctypes.sizeof(NativeFinding))
        native(Operand.of(reference), Operand.of(candidate), finding)
        size = reference.itemsize if finding.differing else 0
        sides = [bytes(finding.reference_bits), bytes(finding.candidate_bits)]
        assert not any(any(side[size:]) for side in sides), "bytes beyond the element are not zero"
        return bits.Finding(
            finding.differing,
            finding.first_index,
            *(side[:size] for side in sides),
            finding.max_ulp,
            finding.ulp_defined,
        )

    return call


def random_values(rng, dtype, shape):
    size = int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    values = np.frombuffer(rng.bytes(size * dtype.itemsize), dtype).copy()
    if dtype.kind == "f" and size:
        word = UNSIGNED[dtype.itemsize]
        top = 8 * dtype.itemsize - 1
        infinity = int(np.array(np.inf, dtype).view(word))
        special = [0, 1, 2, infinity, infinity - 1, infinity + 1, (1 << top) - 1]
        special = np.array(special + [each | 1 << top for each in special], word)
        chosen = rng.random(size) < 0.3
        values.view(word)[chosen] = rng.choice(special, int(chosen.sum()))
    return values.reshape(shape)


def changed(rng, values):
    """A copy in which nothing, one element, the last, some or all elements were altered."""
    result = values.copy()
    size = result.size
    if size == 0:
        return result
    how = rng.integers(6)
    chosen = {
        0: [],
        1: [int(rng.integers(size))],
        2: [size - 1],
        3: np.flatnonzero(rng.random(size) < 0.3),
        4: np.arange(size),
        5: [0],
    }[int(how)]
    raw = result.reshape(-1).view(np.uint8).reshape(size, result.itemsize)
    for index in chosen:
        if result.dtype.kind == "b":
            raw[index] ^= 1
        else:
            bit = int(rng.integers(8 * result.itemsize))
            raw[index, bit // 8] ^= 1 << bit % 8
    return result


def laid_out(rng, values):
    """The same values in memory of a random layout: axes permuted, gaps, reversed axes, unaligned."""
    order = rng.permutation(values.ndim)
    steps = rng.choice([1, 1, 1, 2, -1, -3], values.ndim)
    extents = [values.shape[axis] * abs(int(steps[axis])) for axis in order]
    shift = int(rng.choice([0, 0, 1, 3]))
    memory = np.frombuffer(rng.bytes(int(np.prod(extents)) * values.itemsize + shift), np.uint8).copy()
    base = np.ndarray(extents, values.dtype, memory.data, shift)
    view = base.transpose(np.argsort(order))[(*(slice(None, None, int(step)) for step in steps), ...)]
    assert view.shape == values.shape
    view[...] = values
    return view


def random_pair(rng):
    dtype = DTYPES[rng.integers(len(DTYPES))]
    ndim = int(rng.integers(0, 6))
    longest = {0: 1, 1: 300, 2: 40, 3: 12, 4: 6, 5: 4}[ndim]
    shape = [int(rng.integers(1, longest + 1)) for _ in range(ndim)]
    if ndim and rng.random() < 0.05:
        shape[rng.integers(ndim)] = 0
    repeated = list(shape)
    if ndim and rng.random() < 0.2:
        # An axis of stride 0, perhaps on both sides.
        shape[rng.integers(ndim)] = 1
    values = random_values(rng, dtype, tuple(shape))
    sides = []
    for side in (values, changed(rng, values)):
        array = side if rng.random() < 0.3 else laid_out(rng, side)
        array = np.broadcast_to(array, repeated)
        sides.append(array if rng.random() < 0.7 else laid_out(rng, array))
    return sides


@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_random_pairs_give_equal_findings(compare, seed):
    rng = np.random.default_rng(seed)
    differing = 0
    for case in range(1000):
        reference, candidate = random_pair(rng)
        expected = bits.compare(reference, candidate)
        found = compare(reference, candidate)
        assert found == expected, f"case {case}: {reference.dtype} {reference.shape} {reference.strides}"
        differing += not expected.equal
    assert 600 < differing < 900


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
def test_counts_of_a_large_array(compare, dtype):
    rng = np.random.default_rng(1)
    reference = random_values(rng, np.dtype(dtype), (1_500_007,))
    candidate = random_values(rng, np.dtype(dtype), (1_500_007,))
    assert compare(reference, candidate) == bits.compare(reference, candidate)
    candidate = reference.copy()
    candidate.view(np.uint8)[-1] ^= 0x80
    assert compare(reference, candidate) == bits.compare(reference, candidate)


def test_every_element_is_looked_at(compare):
    for length in range(1, 70):
        reference = np.arange(length, dtype=np.float32)
        for index in range(length):
            candidate = reference.copy()
            candidate[index] += 0.5
            assert compare(reference, candidate).first_index == index


def test_the_export_refuses_what_does_not_match(compare):
    one = np.zeros((2, 3), np.float32)
    with pytest.raises(CotrainError, match="the shapes differ"):
        compare(one, one.T)
    with pytest.raises(CotrainError, match="the element types differ"):
        compare(one, one.astype(np.int32))
