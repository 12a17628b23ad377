"""Writes the corpus anew: ``scripts/make_corpus``."""

from __future__ import annotations

import argparse
import os
import sys

# Before NumPy is imported: the bits of products depend on the number of threads.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from corpus.generator import files, kernels, pins
from corpus.generator.contents import contents, manifest

from cotrain.errors import CotrainError, ExitCode


def main() -> int:
    """Writes what differs, and says so. Returns the exit code: 3 when this host cannot make all files."""
    argparse.ArgumentParser(prog="scripts/make_corpus", description="Writes tests/corpus anew from NumPy.").parse_args()
    try:
        _check_host()
        _make()
    except CotrainError as error:
        print(f"make_corpus: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 0


def _check_host() -> None:
    unable = [kernel for kernel in kernels.NEEDS if not kernels.can_run(kernel)]
    if unable:
        raise CotrainError(f"this processor cannot run OpenBLAS's {', '.join(unable)}", ExitCode.UNSUPPORTED)
    chosen = pins.changed_environment()
    if chosen:
        raise CotrainError(f"unset {', '.join(chosen)} first: bits depend on it", ExitCode.UNSUPPORTED)


def _make() -> None:
    hashes = {}
    for name, (_, make) in contents().items():
        content = make()
        hashes[name] = {"sha256": files.sha256(content), "bytes": len(content)}
        _write(name, content)
    for name in sorted(set(files.present()) - set(hashes)):
        print(f"removed    {name}")
        (files.CORPUS / name).unlink()
    _write(files.MANIFEST.name, files.text(manifest(hashes, pins.collect())))
    print(f"{len(hashes)} files, {sum(each['bytes'] for each in hashes.values()):,} bytes")


def _write(name: str, content: bytes) -> None:
    path = files.CORPUS / name
    if path.is_file() and path.read_bytes() == content:
        print(f"unchanged  {name}")
        return
    print(f"written    {name}")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
