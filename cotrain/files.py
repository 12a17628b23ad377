"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cotrain.errors import CotrainError


@contextmanager
def whole(path: Path, what: str) -> Iterator[BinaryIO]:
    """A binary file to write to; it takes the path's place when the block ends well, and is gone otherwise.

    A link, a pipe or a device is written as it is: a link stays one (/dev/stdout is a link), its target gets the
    bytes. CotrainError, which names ``what`` it is, when it cannot be written.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            with path.open("wb") as file:
                yield file
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise CotrainError(f"cannot write the {what} {path}: {error.strerror}") from None


def write_text(path: Path, text: str, what: str = "report") -> None:
    """Writes text in UTF-8, as :func:`whole` does.

    What UTF-8 cannot hold (half of a surrogate pair in a file's name) becomes a question mark.
    """
    with whole(path, what) as file:
        file.write(text.encode("utf-8", "replace"))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
