"""``python -m cotrain.ledger [NAME] [--json | --markdown]``: the known differences of NumSharp from NumPy."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rich.console import Console

from cotrain.errors import CotrainError
from cotrain.ledger import listing
from cotrain.ledger.matching import entries, find


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0; 2 for bad usage or an unknown name."""
    parser = argparse.ArgumentParser(
        prog="python -m cotrain.ledger",
        description="List the known differences of NumSharp 0.70.0 from NumPy 2.4.2, or show one in full.",
        epilog="exit codes: 0; 2 bad usage, or no such entry",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="an entry, as --allow takes it: exp-float32")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one object, or a list of all")
    form.add_argument("--markdown", action="store_true", help="the page docs/ledger.md")
    options = parser.parse_args(arguments)
    if options.markdown and options.name:
        parser.error("--markdown is about all entries")
    try:
        _print(options.name, as_json=options.json, as_markdown=options.markdown)
    except CotrainError as error:
        print(f"cotrain: {error}", file=sys.stderr)
        return int(error.exit_code)
    except BrokenPipeError:
        # The reader went away (`| head`). Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _print(name: str | None, *, as_json: bool, as_markdown: bool) -> None:
    if as_markdown:
        print("\n".join(listing.markdown(entries())))
    elif as_json:
        found = listing.as_json(find(name)) if name else [listing.as_json(entry) for entry in entries()]
        print(json.dumps(found, indent=2))
    elif name:
        print("\n".join(listing.full(find(name))))
    else:
        listing.print_table(Console(), entries())
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
