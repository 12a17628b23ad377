"""Choosing the GEMM backend for a while, and getting back what was there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cotrain import CotrainError
from cotrain.clr import assemblies
from cotrain.testing import Gemm


@pytest.fixture
def installed(runtime: Any) -> Callable[[], str]:
    """What NumSharp really multiplies with."""
    backends = assemblies.namespace("Cotrain.Blas").BlasBackends
    return lambda: "native" if backends.Library is None else "openblas"


def test_a_choice_holds_until_it_is_closed(installed: Any) -> None:
    before = installed()
    with Gemm("openblas") as gemm:
        assert (gemm.current, installed()) == ("openblas", "openblas")
        gemm("native")
        assert (gemm.current, installed()) == ("native", "native")
        with gemm("openblas"):
            assert (gemm.current, installed()) == ("openblas", "openblas")
        assert (gemm.current, installed()) == ("native", "native")
    assert installed() == before
    gemm.close()


def test_a_block_takes_back_what_was_chosen_in_it(installed: Any) -> None:
    with Gemm("native") as gemm:
        with gemm("openblas"):
            gemm("native")
            gemm("openblas")
        assert (gemm.current, installed()) == ("native", "native")


def test_another_name_changes_nothing(installed: Any) -> None:
    with Gemm("openblas") as gemm:
        with pytest.raises(CotrainError, match=r"^gemm 'mkl' is none of openblas, "):
            gemm("mkl")
        assert (gemm.current, installed()) == ("openblas", "openblas")
