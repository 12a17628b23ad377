"""The corpus as files: archives whose bytes depend on the arrays alone, and the manifest that lists them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

CORPUS = Path(__file__).resolve().parents[1]
MANIFEST = CORPUS / "manifest.json"

_SUFFIXES = (".npy", ".npz", ".json")


def npy(array: np.ndarray) -> bytes:
    """A .npy file: format 1.0, C order."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """An uncompressed .npz with the entries in the order given, all dated 1980-01-01."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, npy(array))
    return buffer.getvalue()


def text(content: Any) -> bytes:
    """JSON for people: members one a line, lists without members in one line."""
    return (_json(content, "") + "\n").encode()


def _json(content: Any, indent: str) -> str:
    deeper = indent + "  "
    flat = json.dumps(content, ensure_ascii=False)
    if len(indent + flat) <= 110 or not isinstance(content, dict | list):
        return flat
    if isinstance(content, dict):
        members = [f"{json.dumps(key)}: {_json(value, deeper)}" for key, value in content.items()]
        return "{\n" + ",\n".join(deeper + member for member in members) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + _json(value, deeper) for value in content) + f"\n{indent}]"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def manifest() -> dict[str, Any]:
    """What the manifest says."""
    content: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return content


def present() -> list[str]:
    """Names of the corpus files that are there, the manifest left out."""
    found = (path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*") if path.suffix in _SUFFIXES)
    return sorted(name for name in found if name != MANIFEST.name)


def load(name: str) -> Any:
    """A corpus file: an array (.npy), a dict of arrays (.npz), or what the JSON says."""
    path = CORPUS / name
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with np.load(path, allow_pickle=False) if path.suffix == ".npz" else path.open("rb") as opened:
        return dict(opened) if path.suffix == ".npz" else np.lib.format.read_array(opened, allow_pickle=False)
