"""The pytest plugin: fixtures that compare NumPy with NumSharp, see docs/pytest.md.

pytest imports this in every run of an environment that has cotrain, so it imports nothing itself: neither NumPy
nor .NET nor the rest of cotrain is touched before a test asks for a fixture or carries the marker.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from cotrain.testing.summary import SKIPPED, Summary

TYPE_CHECKING = False  # as in cotrain/__init__.py
if TYPE_CHECKING:
    from cotrain.lockstep.result import Result
    from cotrain.testing import Gemm, LayerPair, SameBits, StepTest

REQUIRE_VARIABLE = "COTRAIN_REQUIRE"
MATHS = ("parity", "numsharp")
"""As cotrain.lockstep.pair has them, which is more to import than an option is worth."""

_RUNTIME = "_cotrain_runtime"
_MARKER = "cotrain(gemm=..., math=...): run with this GEMM backend and these functions; needs NumSharp"
_OPTIONS = (
    ("gemm", "openblas", "NAME", "who multiplies for NumSharp: openblas, sequential or native"),
    ("math", "parity", "NAME", "exp, sum and mean of the candidate: parity or numsharp"),
    ("report", "", "DIR", "write an HTML page and JSON for each test that uses lockstep or layer_pair"),
    ("numsharp", "", "PATH", "test this NumSharp.dll instead of the bundled one"),
)
_ENTERED = pytest.StashKey[ExitStack]()
_MACHINE = pytest.StashKey["_Machine"]()
_SESSION = pytest.StashKey["Gemm"]()


class _Machine(NamedTuple):
    """What a test's comparisons run with."""

    gemm: Gemm
    math: str


# -- settings -----------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, each with an ini twin: the marker wins over the command line, that over the file."""
    group = parser.getgroup("cotrain", "NumPy and NumSharp, compared bit for bit (cotrain)")
    for name, default, metavar, text in _OPTIONS:
        group.addoption(f"--cotrain-{name}", metavar=metavar, default=None, help=text)
        parser.addini(f"cotrain_{name}", f"{text} (--cotrain-{name})", default=default)
    text = f"fail instead of skip where .NET is missing; the environment variable {REQUIRE_VARIABLE}=1 does so too"
    group.addoption("--cotrain-require", action="store_true", default=None, help=text)
    parser.addini("cotrain_require", f"{text} (--cotrain-require)", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker and the summary, and looks at what the command line says."""
    config.addinivalue_line("markers", _MARKER)
    config.pluginmanager.register(Summary(_setting(config, "report")), "cotrain-summary")
    try:
        for name in ("gemm", "math"):
            if config.getoption(f"cotrain_{name}") is not None:
                _check(name, config.getoption(f"cotrain_{name}"), f"--cotrain-{name}")
        if config.getoption("cotrain_report") is not None:
            from cotrain.testing import reports

            reports.check(reports.folder(config))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _setting(config: pytest.Config, name: str) -> str:
    given = config.getoption(f"cotrain_{name}")
    return str(config.getini(f"cotrain_{name}") if given is None else given)


def _required(config: pytest.Config) -> bool:
    return bool(
        config.getoption("cotrain_require")
        or config.getini("cotrain_require")
        or os.environ.get(REQUIRE_VARIABLE, "") not in ("", "0")
    )


def _default(config: pytest.Config, name: str) -> str:
    """GEMM backend or functions of tests without a marker. ValueError for what there is none of."""
    return _check(name, _setting(config, name), f"--cotrain-{name} or cotrain_{name}")


def _marked(item: pytest.Item) -> dict[str, str]:
    """What a test's markers choose, the closest first. ValueError for what there is none of."""
    found: dict[str, str] = {}
    for mark in item.iter_markers("cotrain"):
        unknown = [*map(repr, mark.args), *(key for key in mark.kwargs if key not in ("gemm", "math"))]
        if unknown:
            raise ValueError(f"@pytest.mark.cotrain takes gemm= and math=, not {', '.join(unknown)}")
        for name, value in mark.kwargs.items():
            found.setdefault(name, _check(name, value, "@pytest.mark.cotrain"))
    return found


def _check(name: str, value: Any, where: str) -> str:
    from cotrain.gemm import BACKENDS

    known = {"gemm": BACKENDS, "math": MATHS}[name]
    if value not in known:
        raise ValueError(f"{where}: {name} {value!r} is none of {', '.join(known)}")
    return str(value)


# -- a test's machine ---------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before the fixtures of a test that needs NumSharp: .NET, and the GEMM backend."""
    if _RUNTIME in getattr(item, "fixturenames", ()) or item.get_closest_marker("cotrain") is not None:
        _enter(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """After the fixtures of a test, also of one that failed: the backend of before."""
    try:
        return (yield)
    finally:
        if _ENTERED in item.stash:
            item.stash[_ENTERED].close()
            del item.stash[_ENTERED]
            if _MACHINE in item.stash:
                del item.stash[_MACHINE]


def _enter(item: pytest.Item) -> _Machine:
    """Gets a test its machine; ends it when that cannot be had."""
    if _MACHINE not in item.stash:
        _start(item.config)
        from cotrain.errors import CotrainError
        from cotrain.testing import Gemm

        item.stash[_ENTERED] = stack = ExitStack()
        try:
            marked = _marked(item)
            gemm = stack.enter_context(Gemm(marked.get("gemm")))
            item.stash[_MACHINE] = _Machine(gemm, marked.get("math") or _default(item.config, "math"))
        except (CotrainError, ValueError) as error:
            raise _end(error, item.config) from None
    return item.stash[_MACHINE]


def _start(config: pytest.Config) -> None:
    """Starts .NET and chooses the session's GEMM backend; skips, or fails where it is required, when this machine
    cannot. Tests without a marker leave the backend alone: a fixture of wider scope may have chosen one.
    """
    if _SESSION in config.stash:
        return
    from cotrain import clr, preflight
    from cotrain.errors import CotrainError
    from cotrain.testing import Gemm

    try:
        if clr.current() is None:
            preflight.before_start()
            clr.start(_setting(config, "numsharp") or None)
        config.stash[_SESSION] = Gemm(_default(config, "gemm"))
    except (CotrainError, ValueError) as error:
        raise _end(error, config) from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """The backend of before the session."""
    if _SESSION in config.stash:
        config.stash[_SESSION].close()
        del config.stash[_SESSION]


def _end(error: Exception, config: pytest.Config) -> BaseException:
    """How a test ends for which the machine cannot be had."""
    from cotrain.errors import CotrainError, ExitCode

    if not isinstance(error, CotrainError) or error.exit_code is not ExitCode.UNSUPPORTED:
        return pytest.fail.Exception(f"cotrain: {error}", pytrace=False)
    if _required(config):
        return pytest.fail.Exception(f"cotrain is required here: {error}", pytrace=False)
    return pytest.skip.Exception(SKIPPED + str(error))


# -- fixtures -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session", name=_RUNTIME)
def _runtime(pytestconfig: pytest.Config) -> None:
    """.NET is started."""
    _start(pytestconfig)


@pytest.fixture(scope="session")
def numsharp(_cotrain_runtime: None) -> Any:
    """The namespace NumSharp as a Python module: ``numsharp.np.arange(3)``."""
    from cotrain.clr import assemblies

    return assemblies.namespace("NumSharp")


@pytest.fixture
def gemm(request: pytest.FixtureRequest, _cotrain_runtime: None) -> Gemm:
    """Who multiplies for NumSharp. Called with a name it chooses another backend for the rest of the test, in a
    ``with`` statement for the block; ``gemm.current`` tells which. A :class:`cotrain.testing.Gemm`.
    """
    return _enter(request.node).gemm


@pytest.fixture
def assert_same_bits(request: pytest.FixtureRequest) -> Iterator[SameBits]:
    """``assert_same_bits(reference, candidate)``: arrays, NDArrays, numbers, and containers of them have the same
    bytes. A :class:`cotrain.testing.SameBits`; needs .NET only for NDArrays.
    """
    from cotrain.testing import SameBits

    check = SameBits()
    yield check
    _count(request.node, check.compared.taps, check.compared.bytes, check.differing)


@pytest.fixture
def layer_pair(request: pytest.FixtureRequest, _cotrain_runtime: None) -> Iterator[Callable[..., LayerPair]]:
    """``layer_pair(reference, candidate, **weights)`` makes a :class:`cotrain.testing.LayerPair`: a layer on both sides
    with equal weights, whose ``forward`` and ``backward`` compare every tap.
    """
    from cotrain.testing import LayerPair

    machine = _enter(request.node)
    with ExitStack() as made:
        results: list[Result] = []

        def make(reference: Any, candidate: Any, /, *arguments: Any, **named: Any) -> LayerPair:
            __tracebackhide__ = True
            settings = {"math": machine.math, "gemm": None, **named}
            pair = made.enter_context(LayerPair(reference, candidate, *arguments, **settings))
            results.append(pair.result)
            return pair

        yield make
        _finish(request.node, results, machine)


@pytest.fixture
def lockstep(request: pytest.FixtureRequest, _cotrain_runtime: None) -> Iterator[StepTest]:
    """``lockstep(steps, reference=..., candidate=..., options=...)`` runs a pair and returns its result, or fails with
    the divergence card. A :class:`cotrain.testing.StepTest`.
    """
    from cotrain.testing import StepTest

    machine = _enter(request.node)
    test = StepTest(gemm=machine.gemm, math=machine.math)
    yield test
    _finish(request.node, test.results, machine)


def _count(item: pytest.Item, taps: int, nbytes: int, differing: int) -> None:
    """Leaves what was compared in the test's properties, which reach JUnit files and xdist's controller."""
    if taps or differing:
        counts = {"taps": taps, "bytes": nbytes, "differing": differing}
        item.user_properties += [(f"cotrain_{name}", value) for name, value in counts.items()]


def _finish(item: pytest.Item, results: list[Result], machine: _Machine) -> None:
    counts = [each for result in results for each in (result.initial, result.compared, result.occasional)]
    differing = 0
    for result in results:
        differing += sum(not row.accepted for row in result.differences.taps.values())
        differing += result.structural is not None
    _count(item, sum(count.taps for count in counts), sum(count.bytes for count in counts), differing)
    if _setting(item.config, "report"):
        from cotrain.errors import CotrainError
        from cotrain.testing import reports

        try:
            reports.write(results, item, gemm=machine.gemm.current, math=machine.math)
        except (CotrainError, OSError) as error:
            pytest.fail(f"the report of this test cannot be written: {error}", pytrace=False)
