"""The bridge's exact exp, log, sqrt, sum and mean against NumPy, byte for byte."""

import json

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_features__

from cotrain.clr import assemblies
from cotrain.clr.arrays import nd, view

needs_avx2 = pytest.mark.skipif(
    not __cpu_features__.get("X86_V3"), reason="without AVX2 and FMA NumPy computes exp by another algorithm"
)
FLOATS = [np.float32, np.float64]
FUNCTIONS = ["exp", "log", "sqrt"]
each_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(scope="module")
def kernels(runtime):
    return assemblies.namespace("Cotrain.Kernels")


@pytest.fixture(scope="module")
def parity(kernels):
    return kernels.ParityMath()


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def strides(array):
    """Strides where they mean something."""
    return [stride for stride, extent in zip(array.strides, array.shape, strict=True) if extent != 1]


def assert_function(parity, name, x):
    expected, found = getattr(np, name)(x), view(getattr(parity, name.capitalize())(nd(x)))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == expected.tobytes()
    if x.size:
        assert strides(found) == strides(expected)


def assert_sums(parity, x):
    for name, expected in (("Sum", np.sum(x)), ("Mean", np.mean(x) if x.size else None)):
        if expected is None:
            continue
        found = view(getattr(parity, name)(nd(x)))
        assert (found.dtype, found.shape) == (expected.dtype, ())
        assert found.tobytes() == expected.tobytes(), f"{name}: {x.dtype} {x.shape} {x.strides}"


def random_layout(rng, array):
    """The array under up to three of: axes permuted, sliced, reversed, broadcast."""
    for _ in range(rng.integers(4)):
        if array.ndim == 0:
            break
        kind = rng.integers(3)
        if kind == 0:
            array = array.transpose(rng.permutation(array.ndim))
        elif kind == 1:
            choices = [slice(None), slice(1, None), slice(None, None, -1), slice(None, None, 3)]
            array = array[tuple(choices[rng.integers(4)] for _ in range(array.ndim))]
        elif array.size:
            axis = int(rng.integers(array.ndim))
            extents = list(array.shape)
            extents[axis] = int(rng.integers(1, 9))
            array = np.broadcast_to(array[(*[slice(None)] * axis, slice(0, 1))], extents)
    return array


def random_array(rng, dtype, size):
    ndim = int(rng.integers(5))
    longest = max(2, round(size ** (1 / max(1, ndim))))
    shape = [int(rng.integers(1, (longest if rng.random() < 0.7 else 5) + 1)) for _ in range(ndim)]
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4)
    return random_layout(rng, np.asarray(values, dtype))


# ---- exp, log, sqrt


@needs_avx2
@each_function
def test_random_bit_patterns(parity, name):
    rng = np.random.default_rng(1)
    assert_function(parity, name, rng.integers(0, 1 << 32, 2_000_003, np.uint32).view(np.float32))
    assert_function(parity, name, rng.uniform(-105, 90, 2_000_003).astype(np.float32))


SPECIAL = {
    "zero": 0x00000000,
    "negative zero": 0x80000000,
    "one": 0x3F800000,
    "infinity": 0x7F800000,
    "negative infinity": 0xFF800000,
    "nan": 0x7FC00000,
    "half of ln 2": 0x3EB17218,
    "overflow": 0x42B17218,
    "underflow": 0xC2CFF1B5,
    "denormal results": 0xC2AEAC50,
    "scaled by 2^128": 0x42B0C0A5,
    "where NumSharp's exp differs": 0xC192F27C,
    "root of a half": 0x3F3504F3,
    "smallest normal": 0x00800000,
    "negative nan": 0xFFC00000,
}


@needs_avx2
@each_function
@pytest.mark.parametrize("pattern", SPECIAL.values(), ids=SPECIAL)
def test_around_special_values(parity, name, pattern):
    patterns = (pattern + np.arange(-2000, 2000)) % (1 << 32)
    assert_function(parity, name, patterns.astype(np.uint32).view(np.float32))


@needs_avx2
@each_function
def test_short_arrays(parity, name):
    for length in range(70):
        x = np.linspace(-104, 89, length, dtype=np.float32)
        assert_function(parity, name, x)
        assert_function(parity, name, x[::-1])


@needs_avx2
@each_function
@pytest.mark.parametrize("seed", range(2))
def test_the_memory_order_is_what_numpy_keeps(parity, name, seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        assert_function(parity, name, random_array(rng, np.float32, 5000))
    assert_function(parity, name, np.array(-3.5, np.float32))


@each_function
def test_other_dtypes_are_left_to_numsharp(parity, kernels, name):
    x = nd(np.linspace(-5, 5, 100))
    ours, own = (view(getattr(math, name.capitalize())(x)) for math in (parity, kernels.NumSharpMath()))
    assert ours.tobytes() == own.tobytes()


@needs_avx2
def test_numsharps_own_exp_differs_where_it_is_known_to(parity, kernels):
    x = np.array([0xC192F27C], np.uint32).view(np.float32)
    assert view(parity.Exp(nd(x))).view(np.uint32) == np.exp(x).view(np.uint32) == 0x323504EF
    assert view(kernels.NumSharpMath().Exp(nd(x))).view(np.uint32) == 0x323504F0


SWEEP = """
import json, sys, numpy as np
from numpy._core._multiarray_umath import __cpu_features__
from cotrain import clr
from cotrain.clr import assemblies
from cotrain.clr.arrays import nd, view
clr.start()
parity = assemblies.namespace("Cotrain.Kernels").ParityMath()
np.seterr(all="ignore")
differing = 0
for patterns in (np.arange(*stretch) for stretch in json.loads(sys.argv[1])):
    x = (patterns % (1 << 32)).astype(np.uint32).view(np.float32)
    for name in ("exp", "log", "sqrt"):
        result = getattr(parity, name.capitalize())(nd(x))
        differing += int((view(result).view(np.uint32) != getattr(np, name)(x).view(np.uint32)).sum())
        result.Dispose()
print(json.dumps([differing, __cpu_features__["X86_V4"]]))
"""

AVX2 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "DOTNET_EnableAVX512": "0"}
needs_avx512 = pytest.mark.skipif(not __cpu_features__.get("X86_V4"), reason="this machine has no AVX-512")


def sweep(run_python, env, stretches, timeout):
    """How many results differ, whether NumPy used AVX-512. Stretches: (first, end, step) of patterns."""
    done = run_python(SWEEP, json.dumps(stretches), env=env, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_avx2
@needs_avx512
def test_functions_with_avx2_on_both_sides(run_python):
    around = [(pattern - 2000, pattern + 2000, 1) for pattern in SPECIAL.values()]
    assert sweep(run_python, AVX2, [*around, (0, 1 << 32, 1021)], 120) == [0, False]


@pytest.mark.full
@needs_avx2
@needs_avx512
def test_functions_of_every_float32_with_avx2_on_both_sides(run_python):
    """As it is on this machine: tests/sweep."""
    chunk = 1 << 24
    assert sweep(run_python, AVX2, [(start, start + chunk, 1) for start in range(0, 1 << 32, chunk)], 1800)[0] == 0


# ---- sum and mean


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_every_length(parity, dtype):
    rng = np.random.default_rng(2)
    values = (rng.standard_normal(3 * 700) * 100).astype(dtype)
    for length in range(700):
        assert_sums(parity, values[:length])
        assert_sums(parity, values[: 3 * length : 3])
    for length in (8191, 8192, 8193, 20_000, 1_000_003):
        values = rng.standard_normal(length).astype(dtype)
        assert_sums(parity, values)
        assert_sums(parity, values[::-1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("width", [1, 2, 3, 7, 10, 100, 999, 4095, 4096, 4097, 8191, 8192, 8193, 10_000])
def test_sums_of_column_slices(parity, dtype, width):
    """NumPy buffers whole rows up to 8,192 elements, unless two rows do not fit."""
    values = np.random.default_rng(width).standard_normal((30_000 // width + 3, width + 2)).astype(dtype)
    assert_sums(parity, values[:, 1:-1])
    assert_sums(parity, np.asfortranarray(values.T)[1:-1, :])
    assert_sums(parity, np.stack([values, values])[:, :, 1:-1])
    assert_sums(parity, values[:, ::-1])


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_random_layouts(parity, seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        assert_sums(parity, random_array(rng, FLOATS[rng.integers(2)], rng.choice([300, 5000, 100_000])))


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_special_values(parity, dtype):
    word = np.uint32 if dtype == np.float32 else np.uint64
    tiny = np.finfo(dtype).smallest_subnormal
    for length in (1, 5, 8, 20, 200):
        for special in (-0.0, np.inf, -np.inf, np.nan, tiny, np.finfo(dtype).max):
            assert_sums(parity, np.full(length, special, dtype))
            for position in (0, length // 2, length - 1):
                values = np.arange(length, dtype=dtype)
                values[position] = special
                assert_sums(parity, values)
        payload = np.arange(length, dtype=dtype)
        payload[length // 2 :][:1] = (np.array(np.nan, dtype).view(word) + word(5)).view(dtype)
        assert_sums(parity, payload)
        assert_sums(parity, np.where(np.arange(length) % 2, np.inf, -np.inf).astype(dtype))


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value encountered")
@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_nothing(parity, dtype):
    empty = np.zeros((3, 0), dtype)
    for name, expected in (("Sum", np.sum(empty)), ("Mean", np.mean(empty))):
        assert view(getattr(parity, name)(nd(empty))).tobytes() == expected.tobytes()


def test_sums_of_other_dtypes_are_refused(parity):
    system = assemblies.namespace("System")
    with pytest.raises(system.NotSupportedException, match="sum of a whole Int64 array is not reproduced"):
        parity.Sum(nd(np.arange(3)))
    with pytest.raises(system.NotSupportedException, match="mean of a whole Half array is not reproduced"):
        parity.Mean(nd(np.arange(3, dtype=np.float16)))


def test_numsharps_own_sum_differs_from_numpys(parity, kernels):
    """What the exact one is for: with this the guard above would notice a fallback to NumSharp's."""
    values = np.random.default_rng(3).random(1000, np.float32)
    assert view(kernels.NumSharpMath().Sum(nd(values))).tobytes() != np.sum(values).tobytes()
    assert_sums(parity, values)
