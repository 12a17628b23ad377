"""The special cases of NumPy's routing, one by one, each byte for byte."""

import numpy as np
import pytest

FLOATS = (np.float32, np.float64)
both = pytest.mark.parametrize("op", ["dot", "matmul"])
floats = pytest.mark.parametrize("dtype", FLOATS)


def normal(*shape, dtype=np.float32, seed=7):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@both
def test_the_products_of_a_training_step(products, op):
    x, w1, w2 = normal(128, 784), normal(784, 128), normal(128, 10)
    hidden, g1, g2 = normal(128, 128), normal(128, 128, seed=8), normal(128, 10, seed=9)
    for left, right in ((x, w1), (hidden, w2), (hidden.T, g2), (g2, w2.T), (x.T, g1), (g1, w1.T)):
        products.same(op, left, right)
    batches = normal(3 * 128, 784)
    products.same(op, batches[128:256], w1)
    products.same(op, batches[128:256].T, g1)


@both
@floats
def test_a_matrix_with_its_own_transpose_is_syrk(products, op, dtype):
    a = normal(65, 257, dtype=dtype)
    for left in (a, np.asfortranarray(a), a[:, :255], a[::2], a[::-1]):
        products.same(op, left, left.T)
        products.same(op, left.T, left)
        products.same(op, left, left.T.copy())
        products.same(op, left, left[:-1].T)
    square = a[:, :65]
    products.same(op, square, square)
    corner = normal(10, 10, dtype=dtype)[:4, :5]
    products.same(op, corner, corner.T)


@both
@floats
def test_negative_zero(products, op, dtype):
    zero, one = dtype(-0.0), np.ones((), dtype)
    for shape in ((), (1,), (1, 1), (3,), (3, 1), (1, 3), (2, 3)):
        for scalar in ((), (1,), (1, 1)):
            products.same(op, np.full(shape, zero), np.full(scalar, one))
            products.same(op, np.full(scalar, one), np.full(shape, zero))
    column, row = np.full((4, 1), zero), np.ones((1, 3), dtype)
    products.same(op, column, row)
    products.same(op, row.T, column.T)
    products.same(op, np.full((2, 3), zero), np.zeros((3, 2), dtype))


@both
@floats
def test_columns_and_rows(products, op, dtype):
    a = normal(40, 40, dtype=dtype)
    for column in (a[:, :1], a[:, 3:4], a[::2, :1], a[::-1, :1], np.broadcast_to(a[:1, :1], (40, 1))):
        for row in (a[:1], a[3:4, ::2], a[:1, ::-1], a[:, :1].T, np.broadcast_to(a[:1, :1], (1, 40))):
            products.same(op, column, row)
            products.same(op, row[:, : len(column)], column[: row.shape[1]])


@both
@floats
@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_vectors_of_any_stride(products, op, dtype, step):
    vector = normal(784 * 3, dtype=dtype)[::step][:257]
    matrix = normal(300, 600, dtype=dtype)
    products.same(op, vector, vector)
    products.same(op, vector, np.broadcast_to(vector[:1], vector.shape))
    for each in (matrix[:257, :33], matrix[:257:1, ::-5], matrix.T[:257, :33], matrix.T[:257, ::2]):
        products.same(op, vector, each)
        products.same(op, each.T, vector)
        products.same(op, vector[None], each)
        products.same(op, each.T, vector[:, None])


@both
@floats
def test_slices_and_copies(products, op, dtype):
    a, b = normal(40, 60, dtype=dtype), normal(60, 50, dtype=dtype)
    for left in (a, a[3:20], a[:, 5:33], a[::-1], a[:, ::2], a[::2], np.broadcast_to(a[:1], a.shape)):
        for right in (
            b,
            b[:, 7:19],
            b[:, ::3],
            b[:, ::-1],
            np.asfortranarray(b),
            np.asfortranarray(b)[:, ::2],
        ):
            k = min(left.shape[1], right.shape[0])
            products.same(op, left[:, :k], right[:k])
            products.same(op, right[:k].T, left[:, :k].T)


@both
@pytest.mark.parametrize("shapes", [((0, 3), (3, 4)), ((3, 0), (0, 4)), ((2, 3), (3, 0)), ((0,), (0,)), ((0, 0), (0,))])
def test_nothing_to_add_up(products, op, shapes):
    left, right = (np.full(shape, np.nan, np.float32) for shape in shapes)
    products.same(op, left, right)


@both
@pytest.mark.parametrize("other", ["float64", "float16", "int8", "int16", "int32", "int64", "uint64", "bool"])
def test_promotion(products, op, other):
    a, b = normal(9, 33), (normal(33, 8, dtype=np.float64) * 90).astype(other)
    for left in (a, a[:, ::-1], np.asfortranarray(a), np.broadcast_to(a[:1], a.shape)):
        products.same(op, left, b)
        products.same(op, b.T, left.T)


def test_large_unsigned_integers_round_once(products):
    values = np.array([2**63 + 1025, 2**64 - 1, 2**63 + 1024, 2**63 + 3072, 2**53 + 1], np.uint64)
    for dtype in FLOATS:
        products.same("dot", np.diag(values), np.eye(5, dtype=dtype))


@floats
def test_the_first_nan_comes_through_a_plain_loop(products, dtype):
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    quiet = np.array(np.nan, dtype).view(bits)
    nans = np.arange(quiet + 1, quiet + 9, dtype=bits).view(dtype)
    infinity, zero = np.array([np.inf, -np.inf] * 4, dtype), np.zeros(8, dtype)
    for op in ("dot", "matmul"):
        for left, right in ((nans[::-1], -nans), (infinity[::-1], nans), (infinity, zero), (zero, nans)):
            products.same(op, left, right[::-1])
            products.same(op, left[::2, None], right[None, ::-1])


@floats
def test_stacks(products, dtype):
    a, b = normal(3, 4, 8, 17, dtype=dtype), normal(3, 4, 17, 9, dtype=dtype)
    products.same("matmul", a, b)
    products.same("matmul", a, a.swapaxes(-1, -2))
    products.same("matmul", a[:, :1], b[0])
    products.same("matmul", a[0, 0], b)
    products.same("matmul", a, b[0, 0])
    products.same("matmul", a[..., :1], b[..., :1, :])
    products.same("matmul", a[..., ::-1], b.astype(np.float64))
    products.same("matmul", a[:0], b[:0])
    products.same("matmul", np.zeros((2, 3, 0), dtype), np.zeros((2, 0, 4), dtype))


@floats
def test_dot_of_many_dimensions(products, dtype):
    a, b = normal(3, 4, 257, dtype=dtype), normal(2, 257, 3, dtype=dtype)
    products.same("dot", a, b)
    products.same("dot", a[..., ::-1], b)
    products.same("dot", a, b[0, :, 0])
    products.same("dot", a[0, 0], b)
    products.same("dot", a, b.astype(np.float64))
    products.same("dot", np.zeros((2, 2, 0), dtype), np.zeros((0, 3), dtype))
    products.same("dot", np.array(2, dtype), a)
    products.same("dot", a, np.array(2.5, np.float64))


@floats
def test_vdot_takes_one_stride_where_one_leads_to_all(products, dtype):
    matrix, vector = normal(40, 60, dtype=dtype), normal(3 * 2400, dtype=dtype)
    for right in (vector[::3], vector[::-3], vector[2399::-1], np.broadcast_to(vector[:1], (2400,))):
        products.same("vdot", matrix, right)
        products.same("vdot", right, matrix.T)
        products.same("vdot", right, right)
    products.same("vdot", matrix[::-1, ::-1], matrix)
    products.same("vdot", matrix[:, ::2], matrix[:, 1::2])
    products.same("vdot", matrix[::-1], vector[:2400].astype(np.float64))


@floats
def test_of_two_nans_vector_gufuncs_keep_numpys(products, dtype):
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    quiet = np.array(np.nan, dtype).view(bits)
    left, right = (np.arange(quiet + start, quiet + start + 12, dtype=bits).view(dtype) for start in (1, 101))
    products.same("vecdot", left[:, None], right[:, None])
    products.same("vecdot", left[:, None], -right[:, None])
    for step in (1, -1):
        products.same("vecmat", left[:3][::step], right.reshape(3, 4)[:, ::-1])
        products.same("matvec", right.reshape(4, 3)[:, ::-1], left[:3][::step])
