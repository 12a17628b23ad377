"""The backend as such: results that are given, what it declines, its errors, the library under it."""

import numpy as np
import pytest

from cotrain import blas


def normal(*shape, dtype=np.float32, seed=7):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def multiply_into(products, left, right, result):
    call = products.engine.Blas.TryMatMul2D if result.ndim == 2 else products.engine.Blas.TryMatMulBatched
    return call(products.nd(left), products.nd(right), products.nd(result))


def empty(layout, rows, columns, dtype):
    """Room for a result in a layout, full of NaN, and all the memory around it."""
    whole = np.full((3 * rows + 3, 3 * columns + 3), np.nan, dtype, order="F" if "F" in layout else "C")
    part = {
        "rows": whole[3 : 3 + rows, :columns],
        "columns of F": whole[:rows, 2 : 2 + columns],
        "stepped": whole[: 2 * rows : 2, : 3 * columns : 3],
        "reversed": whole[2 * rows : rows : -1, :columns],
        "reversed F": whole[:rows, 2 * columns : columns : -1],
    }[layout]
    assert part.shape == (rows, columns)
    return part, whole


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["rows", "columns of F", "stepped", "reversed", "reversed F"])
def test_given_results_of_any_layout(products, dtype, layout):
    a, b = normal(33, 17, dtype=dtype), normal(17, 24, dtype=dtype)
    for left, right in (
        (a, b),
        (a, a.T),
        (a.T, a),
        (a[:1], b),
        (a, b[:, :1]),
        (a[:, :1], b[:1]),
        (a[:, :0], b[:0]),
    ):
        wanted, around = empty(layout, len(left), right.shape[1], dtype)
        np.matmul(left, right, out=wanted)
        found, around_found = empty(layout, len(left), right.shape[1], dtype)
        assert multiply_into(products, left, right, found)
        assert around_found.tobytes() == around.tobytes()


def test_a_stack_into_a_given_result(products):
    left, right = normal(3, 8, 5), normal(3, 5, 4)
    wanted, found = (np.full((3, 4, 8), np.nan, np.float32).swapaxes(1, 2) for _ in "ab")
    np.matmul(left, right, out=wanted)
    assert multiply_into(products, left, right, found)
    assert found.tobytes() == wanted.tobytes()


def test_other_dtypes_are_left_to_numsharp(products):
    small = np.arange(6).reshape(2, 3)
    for dtype in ("int32", "int64", "uint8"):
        products.same("dot", small.astype(dtype), small.T.astype(dtype))
        products.same("matmul", small.astype(dtype), small.T.astype(dtype))
    half = small.astype(np.float16)
    assert not multiply_into(products, half, half.T, np.zeros((2, 2), np.float16))
    assert not multiply_into(products, small, half.T, np.zeros((2, 2)))
    # The engine asks with a result of the promoted dtype; into another one nothing is written.
    untouched = np.full((2, 2), 7.0)
    assert not multiply_into(products, normal(2, 3), normal(3, 2), untouched)
    assert (untouched == 7).all()


@pytest.mark.parametrize("dtypes", ["float32 float32", "float64 float32", "int32 int32", "int64 float32"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 4), (5, 6)),
        ((4,), (5,)),
        ((3, 4), (3,)),
        ((3,), (4, 3)),
        ((4, 1), (2, 3)),
        ((2, 3, 4), (5, 6)),
        ((2, 3), (2, 4, 2)),
    ],
)
def test_dot_of_what_is_not_aligned_raises_numpys_message(products, shapes, dtypes):
    left, right = (np.ones(shape, dtype) for shape, dtype in zip(shapes, dtypes.split(), strict=True))
    with pytest.raises(ValueError, match="not aligned") as wanted:
        np.dot(left, right)
    with pytest.raises(products.numsharp.IncorrectShapeException) as found:
        products.call("dot", left, right)
    assert found.value.Message == str(wanted.value)


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 4), (5, 6)),
        ((4,), (5,)),
        ((3, 4), (3,)),
        ((3,), (4, 3)),
        ((2, 3, 4), (3, 4, 2)),
        ((2, 3, 4), (3, 3, 2)),
        ((), (3,)),
    ],
)
def test_matmul_of_what_does_not_fit_raises(products, shapes):
    left, right = (np.ones(shape, np.float32) for shape in shapes)
    with pytest.raises(ValueError, match=r"matmul|broadcast"):
        np.matmul(left, right)
    with pytest.raises(products.system.Exception, match="matmul"):
        products.call("matmul", left, right)


@pytest.mark.parametrize(
    "shapes", [((3, 4), (5, 6), (3, 6)), ((3, 4), (4, 6), (6, 3)), ((2, 3, 4), (1, 4, 2), (2, 3, 2))]
)
def test_the_backend_itself_checks_shapes(products, shapes):
    left, right, result = (np.ones(shape, np.float32) for shape in shapes)
    with pytest.raises(products.numsharp.IncorrectShapeException, match="matmul"):
        multiply_into(products, left, right, result)
    assert (result == 1).all()


def test_native_products_differ_and_come_back(products):
    a, b = normal(64, 257), normal(257, 33)
    path = products.backends.Library.Path
    products.backends.UseNative()
    try:
        assert products.backends.Current is None
        assert products.backends.Library is None
        native = products.call("dot", a, b)
        assert native.tobytes() != np.dot(a, b).tobytes()
        np.testing.assert_allclose(native, np.dot(a, b), rtol=1e-3, atol=1e-4)
    finally:
        products.backends.UseOpenBlas(path)
    products.same("dot", a, b)


def test_the_library_is_numpys_own_and_shares_its_threads(products):
    found, library = blas.find(), products.backends.Library
    assert library.Path == str(found.path)
    assert library.Kernel == found.architecture
    assert found.version in library.Configuration
    threads = library.Threads
    assert products.backends.Current == f"{found.path}: {library.Configuration.strip()}, {threads} thread(s)"
    before = library.Threads
    try:
        library.Threads = 2
        assert blas.find().threads == 2
        assert blas.set_single_thread() == 2
        assert library.Threads == 1
        with pytest.raises(products.system.ArgumentOutOfRangeException):
            library.Threads = 0
    finally:
        library.Threads = before


def test_a_library_that_cannot_be_used_says_why(products, tmp_path):
    current = products.backends.Library.Path
    missing = tmp_path / "libnothing.so"
    with pytest.raises(products.system.Exception, match=r"cannot load the BLAS library .*libnothing\.so"):
        products.backends.UseOpenBlas(str(missing))
    missing.write_bytes(b"no library")
    with pytest.raises(products.system.Exception, match="cannot load the BLAS library"):
        products.backends.UseOpenBlas(str(missing))
    fortran = next(path for path in blas.find().path.parent.iterdir() if "quadmath" in path.name)
    with pytest.raises(products.system.Exception, match="scipy_cblas_sgemm64_, scipy_cblas_sgemm, cblas_sgemm64_"):
        products.backends.UseOpenBlas(str(fortran))
    assert products.backends.Library.Path == current


@pytest.mark.parametrize("op", ["dot", "matmul"])
def test_views_that_numsharp_made(products, op):
    """Its own slices keep the strides that NumPy's have, those of axes with one element included."""
    ns = products.numsharp.np
    whole = products.nd(normal(9, 257))
    rows = [
        whole,
        whole["::2"],
        whole["::-1"],
        whole[":1"],
        whole["3:4, ::-1"],
        ns.broadcast_to(whole[":1"], whole.Shape),
    ]
    columns = [whole["::-1, :1"], whole[":, 5:6"], whole["::2, 7:6:-1"], whole[":, 0"], whole["::-3, 9"]]
    pairs = [(left, right.T) for left in rows for right in (*rows, whole[":, ::-1"])]
    pairs += [(left.T, right) for left in (*rows, *columns) for right in columns]
    pairs += [(ns.expand_dims(columns[3], 0), columns[1]), (columns[1], ns.expand_dims(columns[3], 0))]
    # The second axis runs backwards over one element: np.dot copies the column for that, and adds otherwise.
    tall = products.nd(normal(2 * 257, 3))
    backward = tall["::2, 1:0:-1"]
    assert list(backward.Shape.Strides) == [6, -1]
    pairs += [(tall["::2, 0"], backward), (tall["::2, 2:"].T, backward), (backward.T, tall["::2"])]
    compared = 0
    for left, right in pairs:
        a, b = products.view(left), products.view(right)
        try:
            wanted = np.asarray(getattr(np, op)(a, b))
        except ValueError:
            continue
        assert products.view(getattr(ns, op)(left, right)).tobytes() == wanted.tobytes(), (a.strides, b.strides)
        compared += 1
    assert compared > 60


def test_operands_survive_a_garbage_collection_during_the_product(products):
    a, b = normal(300, 300), normal(300, 300, seed=8)
    wanted = (a @ b).tobytes()
    for _ in range(20):
        ours = products.numsharp.np.dot(products.nd(a).copy(), products.nd(b).copy())
        products.system.GC.Collect()
        assert products.view(ours).tobytes() == wanted
