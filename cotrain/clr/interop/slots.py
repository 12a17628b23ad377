"""Gives .NET classes special methods (``__getitem__``, ``__repr__``) after pythonnet has made them.

pythonnet fills a class's slots itself, so a base class cannot override them, and assigning an attribute goes
through pythonnet's metaclass, which changes the dictionary but no slot. The plain ``type.__setattr__`` does
both; Python refuses to call it on a class of another metaclass, its C function does not.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

_TP_SETATTRO = 69
"""``Py_tp_setattro`` of the stable ABI (typeslots.h)."""


def set_special(kind: type, name: str, value: Any) -> None:
    """Sets an attribute of a class and the slot that belongs to it."""
    _setter()(kind, name, value)


@cache
def _setter() -> Any:
    get_slot = ctypes.pythonapi.PyType_GetSlot
    get_slot.argtypes = [ctypes.py_object, ctypes.c_int]
    get_slot.restype = ctypes.c_void_p
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.py_object)
    return prototype(get_slot(type, _TP_SETATTRO))
