"""Memory lives exactly as long as the other side needs it, and the counters say so."""

from __future__ import annotations

import gc
import threading
from typing import Any

import memory
import numpy as np
import pytest
from memory import use_freed_memory

from cotrain.clr.arrays import live, nd, view
from cotrain.errors import CotrainError

pytestmark = pytest.mark.usefixtures("runtime")


@pytest.fixture(autouse=True)
def collect(runtime: Any) -> Any:
    """Collects on both sides, also before each test: what others left must not change the counters meanwhile."""
    memory.collect()
    return memory.collect


def test_numsharp_does_reuse_freed_memory(numsharp: Any) -> None:
    """Else the tests below would show nothing."""
    own = numsharp.np.arange(1000.0)
    address = view(own).__array_interface__["data"][0]
    own.Dispose()
    assert address in use_freed_memory(numsharp, 1000)


def test_a_view_outlives_the_disposed_ndarray(numsharp: Any) -> None:
    own = numsharp.np.arange(1000.0)
    seen = view(own)
    own.Dispose()
    use_freed_memory(numsharp, 1000)
    assert (seen == np.arange(1000.0)).all()


def test_a_view_outlives_the_collected_ndarray(numsharp: Any, collect: Any) -> None:
    seen = view(numsharp.np.arange(1000.0)["::-2"])
    collect()
    use_freed_memory(numsharp, 1000)
    assert (seen == np.arange(1000.0)[::-2]).all()


def test_a_slice_of_a_view_keeps_the_memory(numsharp: Any, collect: Any) -> None:
    before = live().views
    part = view(numsharp.np.arange(1000.0))[10:20]
    collect()
    use_freed_memory(numsharp, 1000)
    assert part.tolist() == list(range(10, 20))
    assert live().views == before + 1
    del part
    assert live().views == before


def test_a_disposed_ndarray_is_refused(numsharp: Any) -> None:
    own = numsharp.np.arange(5)
    own.Dispose()
    with pytest.raises(CotrainError, match=r"^this NDArray was disposed: its memory is gone$"):
        view(own)


def test_a_slice_that_outlives_its_disposed_parent_can_be_viewed(numsharp: Any) -> None:
    own = numsharp.np.arange(5.0)
    part = own["1:3"]
    own.Dispose()
    use_freed_memory(numsharp, 5)
    assert view(part).tolist() == [1.0, 2.0]


def test_a_bare_slice_survives_the_last_view(numsharp: Any, collect: Any) -> None:
    # GetData() takes no counted reference; giving a view back must not free what it still reads.
    own = numsharp.np.arange(1000.0)
    memory = own.GetData()
    seen = view(own)
    del own
    collect()
    del seen
    use_freed_memory(numsharp, 1000)
    assert float(memory[999]) == 999.0


def test_an_ndarray_keeps_the_numpy_array(numsharp: Any, collect: Any) -> None:
    before = live().arrays
    array = np.arange(100_000.0)
    candidate = nd(array)
    del array
    gc.collect()
    others = [np.full(100_000, -1.0) for _ in range(4)]
    assert float(candidate.GetDouble(99_999)) == 99_999.0
    assert live().arrays == before + 1
    del candidate, others
    collect()
    assert live().arrays == before


def test_a_numsharp_slice_keeps_the_numpy_array(numsharp: Any, collect: Any) -> None:
    before = live().arrays
    part = nd(np.arange(10.0)[::-1])["2:5"]
    collect()
    assert live().arrays == before + 1
    assert view(part).tolist() == [7.0, 6.0, 5.0]
    del part
    collect()
    assert live().arrays == before


def test_dispose_lets_go_at_once(numsharp: Any) -> None:
    before = live().arrays
    for array in (
        np.arange(10.0),
        np.arange(10.0)[::-1],
        np.zeros((0, 3)),
        np.array(1.0),
        np.arange(100_000.0),
    ):
        candidate = nd(array)
        assert live().arrays == before + 1
        candidate.Dispose()
        assert live().arrays == before


def test_there_and_back_holds_both(numsharp: Any, collect: Any) -> None:
    start = live()
    seen = view(nd(np.arange(10.0)))
    collect()
    assert live() == (start.views + 1, start.arrays + 1)
    assert seen.tolist() == list(range(10))
    del seen
    collect()
    assert live() == start


def test_a_refused_import_holds_nothing(numsharp: Any) -> None:
    before = live()
    with pytest.raises(CotrainError):
        nd(np.zeros(3, object))
    decimal = numsharp.np.zeros(numsharp.Shape(3), numsharp.NPTypeCode.Decimal)
    with pytest.raises(CotrainError):
        view(decimal)
    assert live() == before


def test_many_threads(numsharp: Any, collect: Any) -> None:
    start = live()
    wrong = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(100):
            array = rng.random((3, 5))
            expected = array.copy()
            seen = view(nd(array.T))
            del array
            if not np.array_equal(seen, expected.T):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    collect()
    assert live() == start
