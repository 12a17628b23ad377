"""Which code computes the matrix products: NumPy's own OpenBLAS, a fixed order on both sides, or each its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cotrain import blas, products
from cotrain.clr import assemblies
from cotrain.errors import CotrainError, ExitCode

BACKENDS = ("openblas", "sequential", "native")
"""NumPy's OpenBLAS on both sides; ascending k, each product rounded, on both sides; NumPy's and NumSharp's own."""


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Has products computed so inside the block, for the whole process: NumSharp's, and ``cotrain.products.dot``.

    .NET must be started. Raises CotrainError: USAGE for another name; for ``openblas`` UNSUPPORTED when NumPy's
    OpenBLAS cannot be found or loaded, or when it insists on more than one thread. ``sequential`` needs none.
    """
    if name not in BACKENDS:
        raise CotrainError(f"gemm {name!r} is none of {', '.join(BACKENDS)}")
    backends = assemblies.namespace("Cotrain.Blas").BlasBackends
    before, library = str(backends.Name), backends.Library
    if name == "openblas":
        _use_openblas(backends)
    elif name == "sequential":
        backends.UseSequential()
    else:
        backends.UseNative()
    try:
        with products.computed_by("sequential" if name == "sequential" else "openblas"):
            yield
    finally:
        if library is not None:
            backends.UseOpenBlas(library.Path)
        elif before == "sequential":
            backends.UseSequential()
        else:
            backends.UseNative()


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
