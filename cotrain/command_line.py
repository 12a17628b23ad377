"""What every command's parser does alike."""

from __future__ import annotations

import argparse
from typing import NoReturn

from cotrain.errors import CotrainError


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage is a --help away."""

    def error(self, message: str) -> NoReturn:
        """CotrainError, which the command prints."""
        raise CotrainError(f"{message} (see --help)")
