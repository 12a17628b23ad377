"""Operands as a command line spells them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cotrain.checking.operands import parse
from cotrain.errors import CotrainError


@pytest.mark.parametrize(
    ("text", "dtype", "shape"),
    [
        ("random:f4:128x784", "float32", (128, 784)),
        ("random:f4:(128,784)", "float32", (128, 784)),
        ("random:float64:12", "float64", (12,)),
        ("random:i8:()", "int64", ()),
        ("random:?:(3,)", "bool", (3,)),
        ("zeros:u1:0x3", "uint8", (0, 3)),
        ("ones:c16:2", "complex128", (2,)),
        ("arange:f4:2x3", "float32", (2, 3)),
        ("bits:f4:0x3F800000,0x7FC00001", "float32", (2,)),
    ],
)
def test_kinds(text: str, dtype: str, shape: tuple[int, ...]) -> None:
    made = parse(text)
    assert (made.dtype.name, made.shape) == (dtype, shape)
    assert made.flags.c_contiguous


def test_random_is_the_same_every_time_and_has_seeds() -> None:
    assert parse("random:f4:100").tobytes() == parse("random:f4:100:0").tobytes() != parse("random:f4:100:1").tobytes()


def test_bits_keep_payloads() -> None:
    assert parse("bits:f4:0x7FC00001,1").view(np.uint32).tolist() == [0x7FC00001, 1]


def test_fortran_order() -> None:
    assert parse("arange:f4:2x3:F").strides == (4, 8)
    assert parse("arange:f4:2x3:F").tolist() == parse("arange:f4:2x3").tolist()


def test_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    assert parse(str(tmp_path / "a.npy")).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("random:f4", "cannot read the operand 'random:f4'; an operand is a .npy file, random:DTYPE:SHAPE"),
        ("zeros:f4:3:1", "cannot read the operand"),
        ("nothing", "cannot read the operand 'nothing'"),
        ("random:f5x:3", "has no dtype of NumPy: 'f5x'"),
        ("zeros:O:3", "is of dtype object; numbers and bool can be compared bit for bit"),
        ("zeros:U3:3", "is of dtype <U3"),
        ("random:f4:3z4", "has no shape as 128x784, () or 12: '3z4'"),
        ("random:f4:-3", "has no shape"),
        ("zeros:f8:100000x100000", "takes more than 2 GiB"),
        ("random:f4:3:x", "has 'x' where a whole number stands"),
        ("bits:f4:0x100000000", "has a pattern of more than 32 bits"),
        ("missing.npy", "there is no file missing.npy"),
    ],
)
def test_what_is_none(text: str, said: str) -> None:
    with pytest.raises(CotrainError) as caught:
        parse(text)
    assert said in str(caught.value)


def test_a_file_with_objects_in_it_is_not_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(CotrainError, match=r"a.npy is no array file: "):
        parse(str(tmp_path / "a.npy"))
