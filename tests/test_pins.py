"""The pins name what bits depend on, and JSON can hold them."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cotrain import blas, pins, processor
from cotrain.errors import CotrainError


@pytest.fixture(scope="module")
def collected(runtime: Any) -> dict[str, Any]:
    return pins.collect(gemm="openblas", math="parity", worker_float_mode=0)


def test_json_holds_them(collected: dict[str, Any]) -> None:
    assert json.loads(json.dumps(collected, allow_nan=False)) == collected


def test_hashes_are_those_of_the_files(collected: dict[str, Any], runtime: Any) -> None:
    for pinned, path in (
        (collected["blas"]["sha256"], blas.find().path),
        (collected["numsharp"]["sha256"], runtime.numsharp.path),
        (collected["bridge"]["sha256"], runtime.bridge.path),
    ):
        assert pinned == hashlib.sha256(path.read_bytes()).hexdigest()


def test_both_sides(collected: dict[str, Any]) -> None:
    assert collected["numpy"]["version"] == np.__version__ == "2.4.2"
    assert collected["numpy"]["dispatch"] in (*collected["numpy"]["available"].split(), "unknown")
    assert collected["blas"]["file"] == blas.find().path.name
    assert collected["blas"]["kernel"]
    assert collected["numsharp"]["version"] == "0.70.0.0"
    assert collected["numsharp"]["source"] == "bundled"
    assert re.fullmatch(r"10\.\d+\.\d+.*", collected["dotnet"]["version"])
    assert collected["dotnet"]["vector_bits"] in (128, 256, 512)
    assert collected["dotnet"]["widest_vector_bits"] in (0, 128, 256, 512)
    assert collected["float_modes"] == {
        "reference": "round to nearest, denormals kept",
        "candidate": "round to nearest, denormals kept",
    }
    assert (collected["gemm"], collected["math"]) == ("openblas", "parity")


def test_the_machine(collected: dict[str, Any]) -> None:
    assert platform.machine() in collected["system"]
    assert collected["python"] == f"{platform.python_implementation()} {platform.python_version()}"
    assert collected["processor"] == processor.model_name() != ""


def test_variables_are_pinned(monkeypatch: pytest.MonkeyPatch, runtime: Any) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    found = pins.collect(gemm="native", math="numsharp")["environment"]
    assert found == {name: os.environ[name] for name in pins.VARIABLES if name in os.environ}
    assert found["OPENBLAS_CORETYPE"] == "Haswell"


def test_no_openblas_where_none_is_needed(monkeypatch: pytest.MonkeyPatch, runtime: Any) -> None:
    def find() -> None:
        raise CotrainError("numpy was built without a BLAS")

    monkeypatch.setattr(blas, "find", find)
    assert pins.collect(gemm="sequential", math="parity")["blas"] == {}
    with pytest.raises(CotrainError, match="without a BLAS"):
        pins.collect(gemm="native", math="parity")


def test_a_file_that_cannot_be_hashed(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    pins.hash_later(missing)
    with pytest.raises(FileNotFoundError):
        pins.sha256(missing)
