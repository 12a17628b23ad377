"""The pairs that tests of the driver step: a tiny one with planted faults, and the flagship."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from lockstep import tiny

from cotrain.clr import Runtime, assemblies
from cotrain.lockstep.pair import Pair

PROJECT = Path(__file__).parent / "dotnet" / "TinyTrainer"


@pytest.fixture(scope="session")
def tiny_assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TinyTrainer.dll, compiled from tests/dotnet/TinyTrainer."""
    out = tmp_path_factory.mktemp("tiny")
    command = ["dotnet", "build", str(PROJECT), "-c", "Release", "-o", str(out), "-v:q", "--disable-build-servers"]
    command.append(f"-p:CotrainAssemblies={assemblies.require_built()}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return out / "TinyTrainer.dll"


@pytest.fixture
def tiny_pair(runtime: Runtime, tiny_assembly: Path) -> Iterator[Callable[..., Pair]]:
    """Makes a tiny pair; ``fault`` is planted in the candidate, ``reference_fault`` in the reference."""
    with ExitStack() as stack:

        def load_pair(**options: Any) -> Pair:
            stack.close()
            candidate = f"{tiny_assembly}:TinyTrainer.Trainer"
            return stack.enter_context(Pair.load(tiny.create, candidate, options={"steps": 6} | options))

        yield load_pair


@pytest.fixture
def flagship(runtime: Runtime) -> Iterator[Callable[..., Pair]]:
    """Makes a pair of the two MNIST trainers."""
    with ExitStack() as stack:

        def load_pair(steps: int, **keywords: Any) -> Pair:
            stack.close()
            return stack.enter_context(Pair.load(options={"steps": steps}, **keywords))

        yield load_pair
