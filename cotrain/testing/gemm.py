"""Choosing the GEMM backend for a while."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from types import TracebackType

from cotrain import gemm as gemm_backend
from cotrain.clr import assemblies
from cotrain.errors import CotrainError
from cotrain.testing.failure import trimmed


class Gemm:
    """Which code computes NumSharp's matrix products, until :meth:`close`; what was chosen before is restored.

    A context manager. The choice holds for the whole process.
    """

    def __init__(self, name: str | None = None) -> None:
        """``name`` as ``--gemm`` takes it, None for what is chosen already; .NET must be started.

        CotrainError when it cannot be had.
        """
        self._choices: list[_Choice] = []
        if name is not None:
            self(name)

    def __call__(self, name: str) -> AbstractContextManager[None]:
        """Chooses another backend. In a ``with`` statement it is taken back at the block's end, else by ``close``."""
        __tracebackhide__ = True
        try:
            choice = _Choice(self._choices, name)
        except CotrainError as error:
            raise trimmed(error) from error.__cause__
        self._choices.append(choice)
        return choice

    @property
    def current(self) -> str:
        """The backend in use; empty when it is somebody else's."""
        return str(assemblies.namespace("Cotrain.Blas").BlasBackends.Name)

    def close(self) -> None:
        """Takes all choices back, the last first."""
        while self._choices:
            self._choices[-1].__exit__(None, None, None)

    def __enter__(self) -> Gemm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Choice(AbstractContextManager[None]):
    """A choice that is in force since it was made."""

    def __init__(self, choices: list[_Choice], name: str) -> None:
        self._choices = choices
        self._held = ExitStack()
        self._held.enter_context(gemm_backend.backend(name))

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self in self._choices:
            # Choices that were made later and never taken back would restore what is being taken back here.
            while self._choices[-1] is not self:
                self._choices[-1].__exit__(None, None, None)
            self._choices.remove(self)
            self._held.close()
