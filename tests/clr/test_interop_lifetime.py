"""Whatever is passed and indexed at a prompt: owners live as long as needed, and nothing is kept for longer."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import memory
import numpy as np
import pytest
from array_layouts import address, arrays, significant_strides
from hypothesis import given, settings
from memory import use_freed_memory

from cotrain import Pair, interop, nd, view
from cotrain.clr import assemblies
from cotrain.clr.arrays import live
from cotrain.lockstep.observer import Silent


@pytest.fixture(scope="module")
def ns() -> Any:
    return interop()


@pytest.fixture(autouse=True)
def collect(ns: Any) -> Any:
    memory.collect()
    return memory.collect


def there_and_back(ns: Any, array: np.ndarray[Any, Any]) -> None:
    """NumPy → NumSharp → NumPy, in the ways that promise a view, and through a computed copy."""
    candidate = nd(array)
    for back in (view(candidate), np.asarray(candidate), view(candidate[...])):
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert significant_strides(back) == significant_strides(array)
        assert back.tobytes() == array.tobytes()
        if array.size:
            assert address(back) == address(array)
    copied = view(ns.copy(array))
    assert copied.shape == array.shape
    assert copied.tobytes() == array.tobytes()


@settings(max_examples=200, deadline=None)
@given(array=arrays())
def test_random_arrays_there_and_back(ns: Any, array: Any) -> None:
    there_and_back(ns, array)


@pytest.mark.full
@settings(max_examples=5000, deadline=None)
@given(array=arrays())
def test_five_thousand_arrays_there_and_back(ns: Any, array: Any) -> None:
    there_and_back(ns, array)


def test_an_indexed_part_keeps_numsharps_memory(ns: Any, numsharp: Any, collect: Any) -> None:
    part = ns.arange(1000.0)[10:20][::2]
    collect()
    use_freed_memory(numsharp, 1000)
    collect()
    assert view(part).tolist() == [10, 12, 14, 16, 18]


def test_an_indexed_part_keeps_numpys_memory(ns: Any, collect: Any) -> None:
    part = nd(np.arange(100_000.0))[5:8]
    collect()
    others = [np.full(100_000, -1.0) for _ in range(4)]
    assert view(part).tolist() == [5, 6, 7]
    del others


def test_asarray_keeps_the_memory(ns: Any, numsharp: Any, collect: Any) -> None:
    seen = np.asarray(ns.arange(1000.0))
    summed = np.add(ns.arange(1000.0), 0.0, out=np.empty(1000))
    collect()
    use_freed_memory(numsharp, 1000)
    assert (seen == np.arange(1000.0)).all()
    assert (summed == seen).all()


def test_what_was_passed_is_let_go(ns: Any, collect: Any) -> None:
    start = live()
    for _ in range(50):
        n = ns.add(np.arange(10.0), [1.0] * 10)
        n += 1
        assert len([*n]) == 10
        assert "NumSharp" in repr(n[2:])
        np.multiply(n, 2)
    del n
    collect()
    assert live() == start


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the process's memory from /proc")
def test_ten_thousand_conversions_leave_memory_flat(run_python: Any) -> None:
    code = """
import sys
sys.path.insert(0, "tests")
import numpy as np
from memory import collect
from cotrain import interop, nd, view
from cotrain.clr import assemblies
from cotrain.clr.arrays import live
ns = interop()
array = np.arange(500.0)

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def ten_thousand():
    for _ in range(2000):
        there = nd(array)
        view(there)
        np.asarray(there)
        there[1:]
        ns.add(array, 1.0)
    del there
    collect()
    return resident()

start = live()
sizes = [ten_thousand() for _ in range(4)]
assert live() == start, (start, live())
print((sizes[3] - sizes[1]) / 20_000)
"""
    result = run_python(code)
    assert result.stderr == ""
    # .NET's heap breathes by some megabytes; a descriptor lost with each conversion would be 100 bytes at least.
    assert float(result.stdout) < 100


# -- a run, and the end of the process ----------------------------------------------------------------------


class Collector(Silent):
    """Collects on both sides after every step, while the other side is in the middle of one."""

    steps = 0

    def __init__(self) -> None:
        self._collector = assemblies.namespace("System").GC

    def stepped(self, progress: Any) -> None:
        gc.collect()
        self._collector.Collect()
        self._collector.WaitForPendingFinalizers()
        self.steps += 1


@pytest.mark.parametrize("mode", ["overlap", pytest.param("sequence", marks=pytest.mark.full)])
def test_collections_between_the_steps_change_nothing(ns: Any, mode: str) -> None:
    results = []
    for observer in (Silent(), Collector()):
        with Pair.load(options={"steps": 100}) as pair:
            results.append(pair.run(mode=mode, observer=observer))
    plain, collected = results
    assert observer.steps == 100
    assert plain.verdict == collected.verdict == "identical"
    assert plain.compared == collected.compared
    assert plain.weights_sha256 == collected.weights_sha256
    assert plain.series == collected.series


UNFINISHED = {
    "stepped and not closed": "pair.step(3)",
    "in the middle of a run": """
import threading
class Long:
    def started(self, *_): pass
    def finished(self, *_): pass
    def stepped(self, progress):
        if progress.step == 5: going.set()
going = threading.Event()
threading.Thread(target=pair.run, kwargs={"observer": Long()}, daemon=True).start()
assert going.wait(30)
""",
    "with views and NDArrays alive": "pair.step(); keep = [n, n[0], np.asarray(n), dict(pair.reference.state())]",
    "after an exception": "pair.step()\ntry:\n    pair.run(inject=[1])\nexcept Exception: pass",
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_the_interpreter_ends_cleanly(run_python: Any, what: str) -> None:
    code = f"""
import sys
import numpy as np
from cotrain import Pair, interop, nd
ns = interop()
n = nd(np.arange(6.0).reshape(2, 3))
pair = Pair.load(options={{"epochs": 100}})
{UNFINISHED[what]}
sys.exit(7)
"""
    result = run_python(code, timeout=60)
    assert (result.stderr, result.returncode) == ("", 7)
