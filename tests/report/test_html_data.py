import base64
import json
import zlib

import numpy as np
import pytest
from report import results

from cotrain.lockstep.result import Series
from cotrain.report import html_data
from cotrain.report.map_rows import AFTER, map_rows


def unpacked(packed):
    """What the page's ``unpack`` does."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), np.uint8)
    planes = planes.reshape(len(planes) // packed["length"] if packed["length"] else 0, packed["length"])
    if packed["type"] == "m2":
        return [int((1 + int(m) / 256) * 2.0 ** (int(n) - 1)) if n else 0 for m, n in planes.T]
    return np.frombuffer(planes.T.tobytes(), packed["type"]).tolist()


@pytest.mark.parametrize("dtype", ["u1", "u8", "f8", "i4"])
def test_arrays_survive_packing(dtype) -> None:
    values = np.random.default_rng(1).integers(0, 200, 1000).astype(dtype) // 3
    assert unpacked(html_data.pack(values)) == values.tolist()
    assert unpacked(html_data.pack(values[:0])) == []


@pytest.mark.parametrize("mantissa", [8, 4])
def test_rounded_numbers_are_exact_below_and_near_above(mantissa) -> None:
    exact = 2 ** (mantissa + 1)
    edges = [each + d for each in (2**k for k in range(1, 64)) for d in (-1, 0, 1)]
    values = np.array([0, *range(1200), *edges, 2**64 - 1], np.uint64)
    shown = unpacked(html_data._pack_numbers(values, mantissa))
    for value, seen in zip(values.tolist(), shown, strict=True):
        if value < exact:
            assert seen == value
        assert value * (1 - 2.0**-mantissa) <= seen <= value


def test_the_map_holds_every_cell() -> None:
    result = results.red()
    packed = html_data.packed_map(result)
    first, rows = map_rows(result)
    assert (packed["first_bin"], packed["steps_per_bin"], packed["bins"]) == (first, 1, 92) == (0, 1, 92)
    kinds = np.array(unpacked(packed["kinds"])).reshape(4, 92)
    assert kinds.tolist() == [row.kinds.tolist() for row in rows.values()]
    assert np.flatnonzero(kinds[1]).tolist() == [7, 50]
    assert unpacked(packed["elements"]) == [3, 3, *range(50, 92)]
    assert unpacked(packed["ulps"]) == [1 << 7, 1 << 50, *(step**2 for step in range(50, 92))]


def test_a_run_from_a_checkpoint_begins_at_its_step() -> None:
    result = results.red()
    result.first_step, result.steps = 40, 52
    packed = html_data.packed_map(result)
    assert (packed["first_bin"], packed["bins"]) == (40, 52)
    assert np.flatnonzero(np.array(unpacked(packed["kinds"])).reshape(4, 52)[1]).tolist() == [10]


def test_a_map_too_large_is_shown_in_coarser_bins(monkeypatch) -> None:
    monkeypatch.setattr(html_data, "MAX_CELLS", 4 * 30)
    result = results.red()
    result.first_step, result.steps = 3, 89
    packed = html_data.packed_map(result)
    assert (packed["first_bin"], packed["steps_per_bin"], packed["bins"]) == (0, 4, 23)
    kinds = np.array(unpacked(packed["kinds"])).reshape(4, 23)
    assert np.flatnonzero(kinds[1]).tolist() == [7 // 4, 50 // 4]
    assert np.flatnonzero(kinds[3]).tolist() == list(range(50 // 4, 23))
    assert unpacked(packed["elements"])[-1] == 91


def test_a_map_over_its_budget_is_rounded_then_coarsened(monkeypatch) -> None:
    result = results.worst(200, 20)
    sizes = []
    for budget in (10**9, 20_000, 10_000):
        monkeypatch.setattr(html_data, "MAP_BUDGET", budget)
        packed = html_data.packed_map(result)
        sizes.append((packed["exact_below"], packed["steps_per_bin"]))
        assert sum(len(packed[name]["data"]) for name in ("kinds", "elements", "ulps")) <= budget
    assert sizes[0] == (2**53, 1)
    assert sizes[1] == (512, 1)
    assert sizes[2][1] > 1


def test_what_differs_after_the_end_is_marked() -> None:
    _, rows = map_rows(results.stopped())
    assert [row.kinds[7] for row in rows.values()] == [0, 2, AFTER]


def test_series() -> None:
    series = Series([4, 9], [0.1, float("nan")], [0.1, float("nan")])
    packed = html_data.packed_series("accuracy", "epoch", series)
    assert (packed["count"], packed["equal"], packed["stride"]) == (2, 2, 1)
    assert unpacked(packed["at"]) == [4, 9]
    steps = list(range(20000))
    packed = html_data.packed_series("loss", "step", Series(steps, [0.0] * 20000, [0.0] * 19999 + [-0.0]))
    assert (packed["count"], packed["equal"], packed["stride"]) == (20000, 19999, 3)
    assert unpacked(packed["at"]) == steps[::3]


def test_json_in_a_script_ends_no_script() -> None:
    value = {"</script><!--": "&\u2028<script>"}
    text = html_data.json_for_script(value)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value
