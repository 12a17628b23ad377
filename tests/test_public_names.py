"""`import cotrain` is light, and every public name is there."""

from __future__ import annotations

from typing import Any

import pytest

import cotrain


def test_every_public_name_exists_and_is_listed() -> None:
    for name in cotrain.__all__:
        assert getattr(cotrain, name) is not None
        assert name in dir(cotrain)
    with pytest.raises(AttributeError, match=r"^module 'cotrain' has no attribute 'nothing'$"):
        cotrain.nothing  # noqa: B018


def test_import_loads_neither_numpy_nor_dotnet_and_sets_nothing(run_python: Any) -> None:
    code = (
        "import os, sys; before = dict(os.environ); import cotrain;"
        "assert not {'numpy', 'clr', 'pythonnet', 'clr_loader', 'rich'} & set(sys.modules);"
        "assert dict(os.environ) == before;"
        "from cotrain import CotrainError, ExitCode;"
        "assert 'numpy' not in sys.modules"
    )
    result = run_python(code)
    assert (result.returncode, result.stderr) == (0, "")
