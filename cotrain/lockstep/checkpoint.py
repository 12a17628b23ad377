"""Checkpoints: the state before a step, so that a late divergence can be studied without training up to it.

One ``.npz`` of plain arrays and a JSON text per checkpoint; nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cotrain.errors import CotrainError
from cotrain.files import whole
from cotrain.protocol import ArrayLike

SCHEMA = 1
_HEADER = "header"
_STATE = "state/"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What lives across steps, as both sides had it before step ``step``."""

    step: int
    about: Mapping[str, Any]
    """Pins and the options that decide the bits; a run under others cannot go on from here."""
    state: Mapping[str, ArrayLike]


def path_of(directory: Path, step: int) -> Path:
    """The file of a step in a folder of checkpoints."""
    return directory / f"step-{step}.npz"


def save(checkpoint: Checkpoint, directory: Path) -> None:
    """Writes ``step-N.npz``, whole or not at all; CotrainError when that fails."""
    arrays = {_STATE + name: np.array(value, order="C") for name, value in checkpoint.state.items()}
    header = {"schema": SCHEMA, "step": checkpoint.step, "about": checkpoint.about, "sha256": _digest(arrays)}
    text = np.frombuffer(json.dumps(header, sort_keys=True, allow_nan=False).encode(), np.uint8)
    path = path_of(directory, checkpoint.step)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CotrainError(f"cannot write the checkpoint {path}: {error.strerror}") from None
    with whole(path, "checkpoint") as file:
        np.savez(file, **{_HEADER: text}, **arrays)  # type: ignore[arg-type]


def load(directory: Path, step: int, about: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint before a step; CotrainError, one sentence, when it is missing, damaged, or of a run under
    other pins or options than ``about``."""
    path = path_of(directory, step)
    try:
        with np.load(path, allow_pickle=False) as archive:
            header = json.loads(archive[_HEADER].tobytes())
            arrays = {name: archive[name] for name in archive.files if name.startswith(_STATE)}
        if header["schema"] != SCHEMA or header["step"] != step:
            raise ValueError("another schema or step")
        if header["sha256"] != _digest(arrays):
            raise ValueError("its arrays are not those that were saved")
        state = {name.removeprefix(_STATE): value for name, value in arrays.items()}
        found = Checkpoint(step, header["about"], state)
    except FileNotFoundError:
        raise CotrainError(f"there is no checkpoint {path}{_others(directory)}") from None
    except OSError as error:
        raise CotrainError(f"cannot read the checkpoint {path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError) as error:
        raise CotrainError(f"{path} is no checkpoint, or a damaged one ({error}); make it again") from None
    changed = _changed(found.about, about)
    if changed:
        raise CotrainError(
            f"the checkpoint {path} was made under other pins or options ({'; '.join(changed)}): "
            "a run that goes on from it would prove nothing"
        )
    return found


def _digest(arrays: Mapping[str, ArrayLike]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _changed(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    now = json.loads(json.dumps(now))
    return [
        f"{key}: {_short(then.get(key))} then, {_short(now.get(key))} now"
        for key in sorted({*then, *now})
        if then.get(key) != now.get(key)
    ]


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else text[:57] + "..."


def _others(directory: Path) -> str:
    try:
        steps = sorted(int(path.stem.removeprefix("step-")) for path in directory.glob("step-*.npz"))
    except (OSError, ValueError):
        steps = []
    return f"; the folder has those of the steps {', '.join(map(str, steps))}" if steps else ""
