"""The file of a trace: one ``.npz`` of plain arrays and a JSON text; no code, and the same bytes for equal runs."""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cotrain.errors import CotrainError
from cotrain.files import whole

SCHEMA = 1
HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class Layout:
    """The taps of a step: names, dtypes (NumPy's ``str``) and shapes, in order."""

    names: tuple[str, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step's hashes, 16 bytes a tap, in the order of its layout."""

    step: int
    layout: int
    reference: bytes
    candidate: bytes | None
    """None when every tap of the candidate was byte-equal to the reference's."""

    def side(self, name: str) -> bytes:
        """The hashes of ``reference`` or ``candidate``."""
        return self.reference if name == "reference" or self.candidate is None else self.candidate


@dataclass(frozen=True, slots=True)
class Trace:
    """A run as hashes."""

    about: dict[str, Any]
    """Pins and options of the run."""
    layouts: list[Layout]
    steps: list[TraceStep]


def save(trace: Trace, path: Path) -> None:
    """Writes the file, whole or not at all; CotrainError when that fails."""
    header = {
        "schema": SCHEMA,
        "about": trace.about,
        "layouts": [
            {"names": layout.names, "dtypes": layout.dtypes, "shapes": layout.shapes} for layout in trace.layouts
        ],
    }
    text = json.dumps(header, sort_keys=True, allow_nan=False).encode()
    arrays = {
        "header": np.frombuffer(text, np.uint8),
        "steps": np.array([(s.step, s.layout, s.candidate is not None) for s in trace.steps], np.int64).reshape(-1, 3),
        "reference": np.frombuffer(b"".join(s.reference for s in trace.steps), np.uint8),
        "candidate": np.frombuffer(b"".join(s.candidate or b"" for s in trace.steps), np.uint8),
    }
    with whole(path, "trace") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load(path: Path) -> Trace:
    """Reads a trace; CotrainError, one sentence, for a file that is none, truncated or altered."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in ("header", "steps", "reference", "candidate")}
        return _parse(arrays)
    except FileNotFoundError:
        raise CotrainError(f"there is no trace {path}") from None
    except IsADirectoryError:
        raise CotrainError(f"{path} is a directory, not a trace") from None
    except OSError as error:
        raise CotrainError(f"cannot read the trace {path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError, IndexError) as error:
        raise CotrainError(f"{path} is no trace, or a damaged one ({error}); record it again") from None


def _parse(arrays: dict[str, np.ndarray[Any, np.dtype[Any]]]) -> Trace:
    header = json.loads(arrays["header"].tobytes())
    if header["schema"] != SCHEMA:
        raise ValueError(f"schema {header['schema']}, this cotrain reads {SCHEMA}")
    layouts = [
        Layout(tuple(each["names"]), tuple(each["dtypes"]), tuple(map(tuple, each["shapes"])))
        for each in header["layouts"]
    ]
    reference, candidate = arrays["reference"].tobytes(), arrays["candidate"].tobytes()
    steps = []
    at = also_at = 0
    for step, layout, differs in arrays["steps"].tolist():
        size = HASH_BYTES * len(layouts[layout].names)
        mine = reference[at : at + size]
        other = candidate[also_at : also_at + size] if differs else None
        if len(mine) != size or (other is not None and len(other) != size):
            raise ValueError(f"the hashes end in step {step}")
        at, also_at = at + size, also_at + (size if differs else 0)
        steps.append(TraceStep(step, layout, mine, other))
    if at != len(reference) or also_at != len(candidate):
        raise ValueError("hashes without a step")
    return Trace(header["about"], layouts, steps)
