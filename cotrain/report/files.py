"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cotrain.errors import CotrainError


def write_text(path: Path, text: str) -> None:
    """Writes a file in UTF-8 and in one go; a link, a pipe or a device is written as it is.

    A link stays one (/dev/stdout is a link): its target gets the text.

    What UTF-8 cannot hold (half of a surrogate pair in a file's name) becomes a question mark. CotrainError when
    it cannot be written.
    """
    data = text.encode("utf-8", "replace")
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.write_bytes(data)
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise CotrainError(f"cannot write the report {path}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
