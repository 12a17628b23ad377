"""The numbers of the HTML report, as its scripts read them: arrays packed into text, the map cut to a size."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from cotrain.lockstep.differences import MapRow
from cotrain.lockstep.result import Result, Series
from cotrain.report.map_rows import map_rows

MAX_CELLS = 400_000
"""The map's cells in the page; a larger one is shown in coarser bins (the JSON report has all of it)."""
MAP_BUDGET = 1_000_000
"""Characters that the map may take in the page before its numbers are rounded, and then its bins made coarser."""
MAX_POINTS = 8192
"""Points of a line; of a longer one every n-th is shown."""

_Array = np.ndarray[Any, np.dtype[Any]]
_Packed = dict[str, Any]


def pack(values: _Array) -> _Packed:
    """An array as text: its bytes, the first byte of all elements, then the second and so on, deflated, in base64.

    Bytes are little endian. Sorted that way, small numbers in large types take hardly any room.
    """
    values = np.ascontiguousarray(values)
    planes = values.view(np.uint8).reshape(len(values), values.itemsize).T
    deflated = zlib.compress(planes.tobytes(), 6)
    return {
        "type": f"{values.dtype.kind}{values.itemsize}",
        "length": len(values),
        "data": base64.b64encode(deflated).decode("ascii"),
    }


def packed_map(result: Result) -> dict[str, Any]:
    """The map for the page.

    ``kinds`` are those of all cells, row after row; ``elements`` and ``ulps`` those of the differing cells in
    the same order, exactly or, where that would be too long, rounded (``exact_below``). What is still too long
    is shown in coarser bins.
    """
    first, rows = map_rows(result)
    per_bin = result.differences.steps_per_bin
    while True:
        bins = max((len(row.kinds) for row in rows.values()), default=0)
        columns = _columns(list(rows.values()))
        for mantissa in (None, 8, 4) if len(columns.kinds) <= MAX_CELLS else ():
            numbers = [columns.elements.astype(np.uint64), columns.ulps]
            kinds, elements, ulps = pack(columns.kinds), *(_pack_numbers(each, mantissa) for each in numbers)
            if bins <= 1 or sum(len(each["data"]) for each in (kinds, elements, ulps)) <= MAP_BUDGET:
                exact_below = 2**53 if mantissa is None else 2 ** (mantissa + 1)
                place = {"first_bin": first, "steps_per_bin": per_bin, "bins": bins, "exact_below": exact_below}
                return place | {"kinds": kinds, "elements": elements, "ulps": ulps}
        rows = {tap: _coarser(row, first % 2) for tap, row in rows.items()}
        first //= 2
        per_bin *= 2


def packed_series(name: str, unit: str, series: Series) -> dict[str, Any]:
    """A metric for the page; ``equal`` counts over the whole of it, however many points are shown."""
    reference, candidate = (np.array(side, np.float64) for side in (series.reference, series.candidate))
    at = np.array(series.at, np.int32)
    stride = -(-len(at) // MAX_POINTS) or 1
    return {
        "name": name,
        "unit": unit,
        "stride": stride,
        "count": len(reference),
        "equal": int(np.count_nonzero(reference.view(np.uint64) == candidate.view(np.uint64))),
        "at": pack(at[::stride]),
        "reference": pack(reference[::stride]),
        "candidate": pack(candidate[::stride]),
    }


def json_for_script(value: Any) -> str:
    """JSON that may stand inside a script element whatever text it holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _pack_numbers(values: _Array, mantissa: int | None) -> _Packed:
    """uint64 as it is, or as a length in bits and ``mantissa`` (at most 8) of the bits after the leading one."""
    if mantissa is None:
        return pack(values)
    lengths = np.zeros(len(values), np.uint8)
    rest = values.copy()
    for width in (32, 16, 8, 4, 2, 1):
        high = rest >> np.uint64(width)
        lengths[high > 0] += width
        rest = np.where(high > 0, high, rest)
    lengths[values > 0] += 1
    leading = np.where(
        lengths > 9,
        values >> np.maximum(lengths, 9).astype(np.uint64) - np.uint64(9),
        values << np.uint64(9) - np.minimum(lengths, 9).astype(np.uint64),
    )
    kept = leading.astype(np.uint16) & (0xFF << (8 - mantissa) & 0xFF)
    return pack(kept | lengths.astype(np.uint16) << 8) | {"type": "m2"}


def _coarser(row: MapRow, lead: int) -> MapRow:
    """Two bins to one; ``lead`` is 1 when the first bin is the second of its pair."""

    def halved(cells: _Array) -> _Array:
        cells = np.pad(cells, (lead, (lead + len(cells)) % 2))
        return np.asarray(cells.reshape(-1, 2).max(axis=1))

    return MapRow(halved(row.kinds), halved(row.elements), halved(row.ulps))


def _columns(rows: Sequence[MapRow]) -> MapRow:
    """All rows after each other; numbers of the differing cells only."""
    if not rows:
        return MapRow(np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.uint64))
    kinds = np.concatenate([row.kinds for row in rows])
    differs = kinds > 0
    return MapRow(
        kinds,
        np.concatenate([row.elements for row in rows])[differs],
        np.concatenate([row.ulps for row in rows])[differs],
    )
