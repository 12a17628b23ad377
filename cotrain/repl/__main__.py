"""``python -m cotrain.repl``."""

from __future__ import annotations

import sys

from cotrain.repl import cli

if __name__ == "__main__":
    sys.exit(cli.main(sys.argv[1:]))
