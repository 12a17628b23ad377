"""Which code computes NumSharp's matrix products: NumPy's own OpenBLAS, or NumSharp itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cotrain import blas
from cotrain.clr import assemblies
from cotrain.errors import CotrainError, ExitCode

BACKENDS = ("openblas", "native")


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Has products computed by ``openblas`` or ``native`` inside the block, for the whole process.

    .NET must be started. Raises CotrainError: USAGE for another name, UNSUPPORTED when NumPy's OpenBLAS
    cannot be found or loaded, or when it insists on more than one thread.
    """
    if name not in BACKENDS:
        raise CotrainError(f"gemm {name!r} is none of {', '.join(BACKENDS)}")
    backends = assemblies.namespace("Cotrain.Blas").BlasBackends
    before = backends.Library
    if name == "openblas":
        _use_openblas(backends)
    else:
        backends.UseNative()
    try:
        yield
    finally:
        if before is None:
            backends.UseNative()
        else:
            backends.UseOpenBlas(before.Path)


def _use_openblas(backends: object) -> None:
    blas.set_single_thread()
    library = blas.find()
    system = assemblies.namespace("System")
    try:
        backends.UseOpenBlas(str(library.path))  # type: ignore[attr-defined]
    except system.Exception as error:
        raise CotrainError(
            f"NumSharp cannot use NumPy's OpenBLAS {library.path}: {error.Message}", ExitCode.UNSUPPORTED
        ) from None
    threads = int(backends.Library.Threads)  # type: ignore[attr-defined]
    if threads != 1 or library.threads != 1:
        raise CotrainError(
            f"OpenBLAS computes with {library.threads} threads for NumPy and {threads} for NumSharp; the bits of "
            "products depend on it, and it could not be set to 1",
            ExitCode.UNSUPPORTED,
        )
