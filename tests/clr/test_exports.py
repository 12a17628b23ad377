"""Native entry points: found, checked against the C# signature, failing with the C# message."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from cotrain.clr import exports
from cotrain.errors import CotrainError, ExitCode

COMPARE = ("Cotrain.Lockstep.CompareExport", "Compare")

pytestmark = pytest.mark.usefixtures("runtime")


class Operand(ctypes.Structure):
    """As in BitComparer's Operand; enough of it for two scalars."""

    _fields_ = [
        ("address", ctypes.c_void_p),
        ("type_code", ctypes.c_int32),
        ("item_size", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
    ]


def test_success_returns_nothing_and_failure_raises_the_message() -> None:
    compare = exports.bind(*COMPARE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    value = ctypes.c_float(1.0)
    scalar = Operand(ctypes.addressof(value), 13, 4, 0, None, None)
    other = Operand(ctypes.addressof(value), 9, 4, 0, None, None)
    finding = (ctypes.c_int64 * 8)()
    assert compare(ctypes.byref(scalar), ctypes.byref(scalar), finding) is None
    with pytest.raises(CotrainError) as caught:
        compare(ctypes.byref(scalar), ctypes.byref(other), finding)
    assert str(caught.value) == "the element types differ: type code 13 of 4 bytes, and 9 of 4 bytes"
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_null_reference_in_an_export_is_no_crash() -> None:
    compare = exports.bind(*COMPARE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    with pytest.raises(CotrainError, match=r"^NullReferenceException: "):
        compare(None, None, None)


def test_a_long_message_is_cut_at_a_character() -> None:
    buffer = ctypes.create_string_buffer(21)
    compare = exports.bind_raw(*COMPARE, ctypes.c_int32, *[ctypes.c_void_p] * 4, ctypes.c_int32)
    assert compare(None, None, None, buffer, 21) == 2
    assert buffer.value == b"NullReferenceExcepti"
    assert compare(None, None, None, None, 0) == 2


@pytest.mark.parametrize(
    ("kind", "method", "message"),
    [
        ("Cotrain.Nothing", "Compare", "the bridge has no type Cotrain.Nothing; build the bridge again"),
        (COMPARE[0], "Nothing", f"{COMPARE[0]} has no export Nothing; build the bridge again"),
        (
            "Cotrain.Interop.NativeExports",
            "Find",
            "Cotrain.Interop.NativeExports has no export Find; build the bridge again",
        ),
        (
            *COMPARE,
            f"{COMPARE[0]}.Compare is i4(p,p,p,p,i4) in the bridge and i4(i8,f8,p,i4) here; build the bridge again",
        ),
    ],
)
def test_exports_that_are_not_there(kind: str, method: str, message: str) -> None:
    with pytest.raises(CotrainError) as caught:
        exports.bind(kind, method, ctypes.c_int64, ctypes.c_double)
    assert str(caught.value) == message
    assert caught.value.exit_code is ExitCode.UNSUPPORTED


def test_a_class_that_is_not_there() -> None:
    with pytest.raises(CotrainError, match=r"^the bridge has no class Cotrain.Interop.Nothing; build the bridge"):
        exports.bridge_class("Nothing")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (ctypes.c_int8, "i1"), (ctypes.c_uint8, "u1"), (ctypes.c_int16, "i2"), (ctypes.c_uint16, "u2"),
        (ctypes.c_int32, "i4"), (ctypes.c_uint32, "u4"), (ctypes.c_int64, "i8"), (ctypes.c_uint64, "u8"),
        (ctypes.c_float, "f4"), (ctypes.c_double, "f8"), (ctypes.c_void_p, "p"), (ctypes.c_char_p, "p"),
        (ctypes.POINTER(ctypes.c_int32), "p"), (ctypes.CFUNCTYPE(None), "p"), (None, "v"),
    ],
)  # fmt: skip
def test_names_of_ctypes(kind: Any, code: str) -> None:
    assert exports._code(kind) == code


@pytest.mark.parametrize(
    ("code", "written", "message", "exit_code"),
    [
        (3, "no such thing", "no such thing", ExitCode.UNSUPPORTED),
        (4, "", "the .NET side failed with code 4", ExitCode.TRAINER_FAILED),
        (77, "größer", "größer", ExitCode.USAGE),
    ],
)
def test_codes_become_exit_codes(code: int, written: str, message: str, exit_code: ExitCode) -> None:
    error = ctypes.create_string_buffer(written.encode(), 64)
    failure = exports.failure(code, error)
    assert (str(failure), failure.exit_code) == (message, exit_code)
