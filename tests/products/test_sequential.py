"""``--gemm sequential`` on both sides against a NumPy without BLAS: every byte of every product.

And what can be said without that NumPy: the chain itself, ``out``, errors, other dtypes.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from products import noblas
from products.conftest import Products, describe, difference
from products.test_random import cases, many_dimensions, operands, pairs, stacks

from cotrain import sequential

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "rows of a wider one": lambda array: np.pad(array, ((1, 2), (3, 1)))[1:-2, 3:-1],
    "every second": lambda array: array.repeat(2, axis=1)[:, ::2],
    "backwards": lambda array: array[::-1, ::-1].copy()[::-1, ::-1],
    "backwards F": lambda array: array.T[::-1, ::-1].copy()[::-1, ::-1].T,
}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[noblas.Oracle]:
    wheel = noblas.wheel()
    if wheel is None:
        pytest.skip(f"no numpy wheel without BLAS in ../shared/wheels-noblas, nor in ${noblas.VARIABLE}")
    found = noblas.Oracle(noblas.unpack(wheel, tmp_path_factory.mktemp("noblas")))
    yield found
    found.close()


@pytest.fixture(scope="module")
def numsharp_sequential(numsharp: Any) -> Iterator[Products]:
    """NumSharp's products with the sequential backend."""
    sides = Products(numsharp)
    sides.backends.UseSequential()
    yield sides
    sides.backends.UseNative()


class Sides:
    """All three, and the check that they agree."""

    def __init__(self, oracle: noblas.Oracle, ours: Products) -> None:
        self.oracle, self.ours = oracle, ours

    def same(self, op: str, left: np.ndarray, right: np.ndarray, *, python: bool = True) -> None:
        about = f"{op} of {describe(left)} and {describe(right)}"
        try:
            wanted = self.oracle(op, left, right)
        except ValueError as error:
            if op == "dot":
                with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
                    sequential.dot(left, right)
            with pytest.raises(self.ours.system.Exception):
                self.ours.call(op, left, right)
            return
        found = {"NumSharp": self.ours.call(op, left, right)}
        if python:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                found["Python"] = np.asarray(sequential.dot(left, right))
        for side, result in found.items():
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape), f"{side}: {about}"
            if result.tobytes() != wanted.tobytes():
                raise AssertionError(f"{side}: {about}: {difference(wanted, result)}")


@pytest.fixture(scope="module")
def sides(oracle: noblas.Oracle, numsharp_sequential: Products) -> Sides:
    return Sides(oracle, numsharp_sequential)


def normal(*shape: int, dtype: Any = np.float32, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# -- against the NumPy without BLAS -------------------------------------------------------------------------


@given(st.sampled_from(("dot", "matmul")), pairs("mk", "kp"))
@cases(250)
def test_random_matrices(sides: Sides, op: str, pair: Any) -> None:
    sides.same(op, *pair)


@given(st.one_of(pairs("mk", "k"), pairs("k", "kp"), pairs("k", "k")))
@cases(120)
def test_random_vectors(sides: Sides, pair: Any) -> None:
    sides.same("dot", *pair)
    sides.same("matmul", *pair)


@given(many_dimensions())
@cases(80)
def test_random_dots_of_many_dimensions(sides: Sides, pair: Any) -> None:
    sides.same("dot", *pair)


@given(st.one_of(pairs(*shapes, mixed=True) for shapes in (("mk", "kp"), ("mk", "k"), ("k", "k"))))
@cases(80)
def test_random_mixed_dtypes(sides: Sides, pair: Any) -> None:
    if {"float32", "float64"} & {each.dtype.name for each in pair}:
        sides.same("dot", *pair)


@given(stacks())
@cases(80)
def test_random_stacks(sides: Sides, pair: Any) -> None:
    sides.same("matmul", *pair, python=False)


@given(st.sampled_from(("inner", "vdot", "vecdot", "matvec", "vecmat")), st.data())
@cases(120)
def test_random_other_products(sides: Sides, op: str, data: Any) -> None:
    dtype = data.draw(st.sampled_from(("float32", "float64")))
    stack = data.draw(st.lists(st.sampled_from((1, 2, 3)), max_size=1))
    m, k = data.draw(st.sampled_from((0, 1, 2, 3, 9, 33))), data.draw(st.sampled_from((0, 1, 2, 3, 17, 256, 300)))
    left = (*stack, k) if op == "vecmat" else (*stack, m, k)
    right = {"inner": (3, k), "matvec": (k,), "vecmat": (*stack, k, m)}.get(op, left)
    sides.same(op, data.draw(operands(left, dtype)), data.draw(operands(right, dtype)), python=False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [255, 256, 257, 512, 784])
def test_lengths_and_layouts(sides: Sides, k: int, dtype: Any) -> None:
    for shapes in ((33, 47), (128, 10), (1, 65), (65, 1), (1, 1)):
        a, b = normal(shapes[0], k, dtype=dtype), normal(k, shapes[1], dtype=dtype, seed=8)
        for left in LAYOUTS.values():
            for right in LAYOUTS.values():
                sides.same("dot", left(a), right(b))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeros_nans_infinities_and_denormals(sides: Sides, dtype: Any) -> None:
    """Each pair of these in a factor and in a sum; payloads and signs of NaNs count."""
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    nan, inf = np.array([np.nan, np.inf], dtype).view(unsigned)
    sign = unsigned.type(1) << unsigned.type(8 * unsigned.itemsize - 1)
    bits = [nan + 1, (nan + 2) | sign, inf + 3, (inf + 4) | sign, inf, inf | sign, 0, sign, 1, sign + 7]
    specials = np.array([*bits, *np.array([1, -1.5, np.finfo(dtype).max], dtype).view(unsigned)], unsigned).view(dtype)
    count = len(specials)
    # Row i, column j: specials[p]·specials[q] + specials[r]·1, over all p, q, r.
    p, r = (each.reshape(-1) for each in np.meshgrid(specials, specials))
    for first in (0, 1):
        left = np.stack((p, r)[:: 1 - 2 * first], axis=1)
        right = np.stack((specials, np.ones(count, dtype))[:: 1 - 2 * first])
        for columns in (count, 1):
            sides.same("dot", left, right[:, :columns])
            sides.same("dot", right.T[:columns], left.T)
    sides.same("dot", specials, specials)
    for scalar in specials:
        sides.same("dot", np.array(scalar), specials)
        sides.same("dot", specials[:, None], np.array([[scalar]]))
        sides.same("dot", np.array([scalar]), np.array([-0.0], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stacks_of_larger_matrices(sides: Sides, dtype: Any) -> None:
    stack, one = normal(2, 3, 20, 300, dtype=dtype), normal(1, 300, 21, dtype=dtype)
    sides.same("matmul", stack, one, python=False)
    sides.same("dot", stack, one)
    sides.same("matvec", stack, one[0, :, 0], python=False)
    sides.same("vecmat", stack[:, 0, 0], one, python=False)


# -- without it -----------------------------------------------------------------------------------------------


def chain(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The definition, element by element."""
    c = np.zeros((len(a), b.shape[1]), a.dtype)
    for i, j in np.ndindex(*c.shape):
        for x, y in zip(a[i], b[:, j], strict=True):
            c[i, j] = c[i, j] + x * y
    return c


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 50, 20), (20, 50, 3), (1, 70, 5), (5, 70, 1), (6, 1, 7), (2, 300, 2)])
def test_the_definition(numsharp_sequential: Products, shape: tuple[int, int, int], dtype: Any) -> None:
    m, k, n = shape
    a, b = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype)
    wanted = chain(a, b)
    assert sequential.dot(a, b).tobytes() == wanted.tobytes()
    assert numsharp_sequential.call("dot", a, b).tobytes() == wanted.tobytes()
    assert np.dot(a, b).tobytes() != wanted.tobytes() or k == 1


def test_einsum_is_used_and_the_ufuncs_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sequential._einsum_is_the_chain()
    cases = [(normal(40, 300), normal(300, 33)), (normal(33, 40).T, normal(17, 33).T), (normal(9, 5), normal(5, 1))]
    wanted = [sequential.dot(a, b).tobytes() for a, b in cases]
    monkeypatch.setattr(sequential, "_einsum_is_the_chain", lambda: False)
    assert [sequential.dot(a, b).tobytes() for a, b in cases] == wanted


def test_an_einsum_that_fuses_or_adds_in_another_order_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = sequential._einsum_is_the_chain.__wrapped__
    assert probe()

    def fused(subscripts: str, a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
        # A product that is not rounded: exact in longdouble or nearly so, then added and rounded once.
        out[...] = 0
        for k in range(len(b)):
            out[...] = out + a[:, k : k + 1].astype(np.longdouble) * b[k]

    monkeypatch.setattr(np, "einsum", fused)
    assert not probe()
    monkeypatch.setattr(
        np, "einsum", lambda subscripts, a, b, out: sequential._chain_of_ufuncs(a[:, ::-1], b[::-1], out)
    )
    assert not probe()


def test_out(numsharp_sequential: Products) -> None:
    a, b = normal(12, 30), normal(30, 12)
    wanted = sequential.dot(a, b)
    out = np.full((12, 12), np.nan, np.float32)
    assert sequential.dot(a, b, out=out) is out
    assert out.tobytes() == wanted.tobytes()
    for bad in (out.astype(float), np.empty((12, 13), np.float32), np.asfortranarray(out), out.reshape(1, 12, 12)):
        with pytest.raises(ValueError, match="output array") as raised:
            sequential.dot(a, b, out=bad)
        with pytest.raises(ValueError, match="output array") as numpys:
            np.dot(a, b, out=bad)
        assert str(raised.value) == str(numpys.value)


@pytest.mark.parametrize("einsum", [True, False])
def test_out_that_is_an_operand(monkeypatch: pytest.MonkeyPatch, einsum: bool) -> None:
    monkeypatch.setattr(sequential, "_einsum_is_the_chain", lambda: einsum)
    for transposed in (False, True):
        square = normal(20, 20)
        other = square.T if transposed else square[::-1, ::-1]
        wanted = sequential.dot(square, other)
        assert sequential.dot(square, other, out=square) is square
        assert square.tobytes() == wanted.tobytes()


def test_no_columns_no_rows_no_length(numsharp_sequential: Products) -> None:
    for shapes in (((0, 3), (3, 2)), ((2, 3), (3, 0)), ((2, 0), (0, 3)), ((0,), (0,)), ((2, 2, 0), (0, 3))):
        a, b = (np.ones(shape, np.float32) for shape in shapes)
        for found in (np.asarray(sequential.dot(a, b)), numsharp_sequential.call("dot", a, b)):
            assert found.tobytes() == np.asarray(np.dot(a, b)).tobytes()
            assert found.shape == np.dot(a, b).shape


def test_other_dtypes_are_left_to_numpy() -> None:
    for dtype in ("int32", "uint8", "bool", "float16", "complex64"):
        a, b = normal(5, 6).astype(dtype), normal(6, 7).astype(dtype)
        assert sequential.dot(a, b).tobytes() == np.dot(a, b).tobytes()
    big_endian = normal(5, 6).astype(">f4")
    assert sequential.dot(big_endian, normal(6, 7)).tobytes() == chain(normal(5, 6), normal(6, 7)).tobytes()
    assert sequential.dot([[1.5, 2]], [[2], [0.25]]) == np.array([[3.5]])
    assert isinstance(sequential.dot(normal(3), normal(3)), np.float32)


def test_matmul_into_given_results(numsharp_sequential: Products) -> None:
    a, b = normal(33, 17), normal(17, 24)
    wanted = sequential.dot(a, b)
    whole = np.full((40, 80), np.nan, np.float32)
    for room in (np.empty((33, 24), np.float32, order="F"), whole[2:35, 3:75:3], whole[34:1:-1, 23::-1]):
        call = numsharp_sequential.engine.Blas.TryMatMul2D
        assert call(numsharp_sequential.nd(a), numsharp_sequential.nd(b), numsharp_sequential.nd(room))
        assert room.tobytes() == wanted.tobytes()
    half = np.ones((2, 2), np.float16)
    assert not call(numsharp_sequential.nd(half), numsharp_sequential.nd(half), numsharp_sequential.nd(half.copy()))
