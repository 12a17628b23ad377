"""Products of random operands: NumSharp with the backend equals NumPy byte for byte."""

import math
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cotrain import blas

# The gate draws the same cases every time; `--full` runs this file again with others, under each kernel.
DETERMINISTIC = "COTRAIN_TEST_RANDOM" not in os.environ

SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 64, 65, 100, 129)
INNER = (0, 1, 2, 3, 5, 8, 17, 64, 255, 256, 257, 512, 784)
FLOATS = ("float32", "float64")
OTHERS = ("float32", "float64", "int64", "int32", "int16", "uint64", "bool", "float16")
LAYOUTS = (
    "C",
    "F",
    "rows",
    "columns",
    "stepped",
    "reversed",
    "zero first",
    "zero last",
    "permuted",
    "offset",
)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e38, 1e-40)


def cases(count):
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=DETERMINISTIC,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def fill(rng, shape, dtype, spice):
    """Normals; with spice also zeros of both signs, infinities and NaNs, of any payload at the most."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    flat = rng.standard_normal(math.prod(shape)).astype(dtype)
    if spice and flat.size:
        for value in SPECIAL[: 2 if spice == 1 else len(SPECIAL)]:
            with np.errstate(over="ignore"):
                flat[some(rng, flat.size)] = value
        if spice == 3 and dtype.itemsize > 2:
            where = some(rng, flat.size)
            unsigned = np.dtype(f"u{dtype.itemsize}")
            exponent = np.array(np.nan, dtype).view(unsigned)
            sign = rng.integers(0, 2, len(where)).astype(unsigned) << unsigned.type(8 * dtype.itemsize - 1)
            flat.view(unsigned)[where] = exponent + rng.integers(1, 999, len(where)).astype(unsigned) + sign
    return flat.reshape(shape)


def some(rng, size):
    return rng.integers(0, size, rng.integers(0, max(1, size // 6) + 1))


@st.composite
def operands(draw, shape, dtype):
    """An array of this shape in one of many layouts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spice = draw(st.sampled_from((0, 0, 1, 2, 3)))
    layout = draw(st.sampled_from(LAYOUTS))
    axes = len(shape)
    if axes == 0 or 0 in shape:
        return fill(rng, shape, dtype, spice)
    if layout in ("rows", "columns"):
        extra = [rng.integers(0, 4) if layout == "rows" or axis == axes - 1 else 0 for axis in range(axes)]
        whole = fill(rng, [n + more for n, more in zip(shape, extra, strict=True)], dtype, spice)
        starts = [rng.integers(0, more + 1) for more in extra]
        return whole[tuple(slice(at, at + n) for at, n in zip(starts, shape, strict=True))]
    if layout in ("stepped", "reversed"):
        steps = [int(rng.choice((1, 2, 3) if layout == "stepped" else (-2, -1, 1))) for _ in shape]
        whole = fill(rng, [n * abs(step) for n, step in zip(shape, steps, strict=True)], dtype, spice)
        whole = np.asfortranarray(whole) if rng.integers(3) == 0 else whole
        return whole[tuple(slice(None, None, step) for step in steps)]
    if layout.startswith("zero"):
        thin = [1, *shape[1:]] if layout == "zero first" else [*shape[:-1], 1]
        return np.broadcast_to(fill(rng, thin, dtype, spice), shape)
    if layout == "permuted":
        order = rng.permutation(axes)
        return fill(rng, [shape[axis] for axis in order], dtype, spice).transpose(np.argsort(order))
    if layout == "offset":
        start = int(rng.integers(1, 8))
        return fill(rng, (math.prod(shape) + start,), dtype, spice)[start:].reshape(shape)
    whole = fill(rng, shape, dtype, spice)
    return np.asfortranarray(whole) if layout == "F" else whole


@st.composite
def pairs(draw, left, right, dtypes=FLOATS, mixed=False):
    """Two operands; shapes are tuples of letters for extents that may differ and ``k`` for the common one."""
    extents = {"m": st.sampled_from(SIZES), "p": st.sampled_from(SIZES), "k": st.sampled_from(INNER)}
    drawn = {letter: draw(strategy) for letter, strategy in extents.items()}
    dtype = draw(st.sampled_from(dtypes))
    other = draw(st.sampled_from(OTHERS)) if mixed else dtype
    a = draw(operands(tuple(drawn[letter] for letter in left), dtype))
    b = draw(operands(tuple(drawn[letter] for letter in right), other))
    return (b.T, a.T) if mixed and draw(st.booleans()) else (a, b)


both = st.sampled_from(("dot", "matmul"))


@given(both, pairs("mk", "kp"))
@cases(350)
def test_matrix_and_matrix(products, op, pair):
    products.same(op, *pair)


@given(both, pairs("mk", "k"))
@cases(120)
def test_matrix_and_vector(products, op, pair):
    products.same(op, *pair)


@given(both, pairs("k", "kp"))
@cases(120)
def test_vector_and_matrix(products, op, pair):
    products.same(op, *pair)


@given(both, pairs("k", "k"))
@cases(100)
def test_vector_and_vector(products, op, pair):
    products.same(op, *pair)


@given(both, pairs("mk", "k"), st.sampled_from(("A·Aᵀ", "Aᵀ·A", "copy", "part", "corner")), st.data())
@cases(150)
def test_matrix_and_its_own_transpose(products, op, pair, kind, data):
    a = pair[0]
    if kind == "corner" and 0 not in a.shape:
        a = data.draw(operands((a.shape[0] + 3, a.shape[1] + 3), a.dtype.name))[: a.shape[0], : a.shape[1]]
    b = a.T
    if kind == "Aᵀ·A":
        a, b = b, a
    if kind == "copy":
        b = b.copy()
    if kind == "part":
        b = b[:, : max(1, b.shape[1] - 1)]
    products.same(op, a, b)


@given(both, st.one_of(pairs(*shapes, mixed=True) for shapes in (("mk", "kp"), ("mk", "k"), ("k", "k"))))
@cases(150)
def test_mixed_dtypes(products, op, pair):
    a, b = pair
    assume("float32" in (a.dtype, b.dtype) or "float64" in (a.dtype, b.dtype))
    products.same(op, a, b)


@st.composite
def stacks(draw):
    dtype = draw(st.sampled_from(FLOATS))
    other = draw(st.sampled_from((dtype, dtype, dtype, *FLOATS)))
    full = draw(st.lists(st.sampled_from((0, 1, 2, 3, 4, 4)), min_size=1, max_size=2))
    thin = [[1 if draw(st.integers(0, 3)) == 0 else n for n in full][draw(st.integers(0, 1)) :] for _ in "ab"]
    m, p = (draw(st.sampled_from((0, 1, 1, 2, 3, 5, 8, 17, 33))) for _ in "mp")
    k = draw(st.sampled_from((0, 1, 2, 3, 8, 17, 255, 256)))
    a = draw(operands((*thin[0], m, k), dtype))
    kind = draw(st.sampled_from(("stacks", "stacks", "vector right", "vector left", "own transpose")))
    if kind == "own transpose":
        return a, a.swapaxes(-1, -2)
    if kind == "vector right":
        return a, draw(operands((k,), other))
    if kind == "vector left":
        a = draw(operands((k,), dtype))
    return a, draw(operands((*thin[1], k, p), other))


@given(stacks())
@cases(150)
def test_stacks(products, pair):
    products.same("matmul", *pair)


@st.composite
def many_dimensions(draw):
    dtype = draw(st.sampled_from(FLOATS))
    other = draw(st.sampled_from((dtype, dtype, *FLOATS)))
    k = draw(st.sampled_from((0, 1, 2, 3, 8, 17, 255, 256, 784)))
    extents = st.lists(st.sampled_from((0, 1, 2, 3, 3)), max_size=2)
    a = draw(operands((*draw(extents), 2, 2, k), dtype))
    right = draw(st.sampled_from((("k",), ("k", 3), (2, "k", 3))))
    b = draw(operands(tuple(k if n == "k" else n for n in right), other))
    return (b.T, a.T.swapaxes(-1, -2).swapaxes(0, -2)) if b.ndim == 1 and draw(st.booleans()) else (a, b)


@given(many_dimensions())
@cases(100)
def test_dot_of_many_dimensions(products, pair):
    products.same("dot", *pair)


@given(st.data(), st.sampled_from(FLOATS), st.sampled_from(FLOATS), both)
@cases(80)
def test_scalars(products, data, dtype, other, op):
    scalar = data.draw(operands(data.draw(st.sampled_from(((), (1,), (1, 1), (0,)))), dtype))
    shape = data.draw(st.lists(st.sampled_from((0, 1, 2, 3, 17, 65)), max_size=2 if scalar.ndim else 3))
    array = data.draw(operands(tuple(shape), other))
    if array.ndim > 2 and np.isnan(scalar):
        array = np.nan_to_num(array)  # which of two NaNs is left depends on the loop that NumPy multiplies in
    products.same(op, *((scalar, array) if data.draw(st.booleans()) else (array, scalar)))


@given(both, st.data())
@cases(120)
def test_shapes_that_may_not_fit(products, op, data):
    kinds = ("float32", "float64", "int32")
    shapes = [
        tuple(data.draw(st.lists(st.sampled_from((1, 2, 3, 4)), max_size=4 if op == "matmul" else 2))) for _ in "ab"
    ]
    a, b = (data.draw(operands(shape, data.draw(st.sampled_from(kinds)))) for shape in shapes)
    if a.dtype.kind == b.dtype.kind == "i":
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    products.same(op, a, b)


@given(st.sampled_from(("inner", "vdot", "vecdot", "matvec", "vecmat")), st.data())
@cases(150)
def test_other_products_of_vectors(products, op, data):
    dtype, other = (data.draw(st.sampled_from(FLOATS)) for _ in "ab")
    stack = data.draw(st.lists(st.sampled_from((1, 2, 3)), max_size=1))
    m, k = (
        data.draw(st.sampled_from((0, 1, 1, 2, 3, 9, 33))),
        data.draw(st.sampled_from((0, 1, 2, 3, 8, 17, 256))),
    )
    left = (*stack, k) if op == "vecmat" else (*stack, m, k)
    right = {"inner": (3, k), "matvec": (k,), "vecmat": (*stack, k, m)}.get(op, left)
    products.same(op, data.draw(operands(left, dtype)), data.draw(operands(right, other)))


@pytest.mark.skipif("OPENBLAS_CORETYPE" not in os.environ, reason="for the runs under a chosen kernel")
def test_the_chosen_kernel_computes():
    library = blas.find()
    assert library.architecture == os.environ["OPENBLAS_CORETYPE"]
    assert library.threads == int(os.environ["OPENBLAS_NUM_THREADS"])
