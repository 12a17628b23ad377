"""The pytest plugin, in projects of a few lines: each is run by a pytest of its own, in a fresh process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cotrain import pytest_plugin
from cotrain.lockstep import pair

LAYER = """
    import numpy as np
    import pytest
    from twin.softmax_cross_entropy import SoftmaxCrossEntropy

    LOSS = "MnistMlp.dll:MnistMlp.SoftmaxCrossEntropy"

    class Loss:
        def __init__(self, batch, classes):
            self.run = SoftmaxCrossEntropy(batch, classes, logits="logits", labels="labels").run

    class Mutated(Loss):
        def __init__(self, batch, classes):
            super().__init__(batch, classes)
            run, self.run = self.run, lambda *arrays: self.mutate(run(*arrays))
        def mutate(self, taps):
            for tap in taps:
                if tap.name == "loss.softmax":
                    tap.value[3, 4] = np.nextafter(tap.value[3, 4], np.float32(9))
                yield tap

    logits = np.random.default_rng(1).standard_normal((8, 10), np.float32)
    one_hot = np.eye(10, dtype=np.float32)[:8]
"""

Result = pytest.RunResult


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a test file: ``project(source, *arguments, ini={...})``."""
    monkeypatch.delenv(pytest_plugin.REQUIRE_VARIABLE, raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def run(source: str, *arguments: str, ini: dict[str, str] | None = None) -> Result:
        pytester.makepyfile(test_it=source)
        pytester.makeini("\n".join(["[pytest]", *(f"{key} = {value}" for key, value in (ini or {}).items())]))
        return pytester.runpytest_subprocess("--strict-markers", *arguments)

    return run


@pytest.fixture
def no_dotnet(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """.NET cannot be found. It must not be installed in a place that is looked at without being told."""
    monkeypatch.setenv("DOTNET_ROOT", str(tmp_path / "nowhere"))


def test_one_run_with_everything_that_can_happen(project: Any) -> None:
    """Passing and failing comparisons, what a failure shows, and the count of it all."""
    source = (
        LAYER
        + """
    def test_equal(layer_pair):
        layer_pair(Loss, LOSS, batch=8, classes=10).call("run", logits, one_hot)

    def test_mutated(layer_pair):
        layer = layer_pair(Mutated, LOSS, batch=8, classes=10)
        layer.call("run", logits, one_hot)

    def test_steps(lockstep):
        result = lockstep(2)
        assert (result.verdict, result.steps) == ("identical", 2)

    def test_steps_differ(lockstep):
        lockstep(2, inject=[__import__("cotrain").Injection(1, "fc2.grad.b", 3, 0)])

    def test_bits(assert_same_bits, numsharp):
        assert_same_bits({"a": [logits, 1.5]}, {"a": [numsharp.np.zeros(3), 1.5]})

    def test_uses_nothing():
        pass
    """
    )
    result = project(source)
    result.assert_outcomes(passed=3, failed=3)
    shown = result.stdout.str()
    # The card, after the line of the test; nothing of ours between.
    result.stdout.fnmatch_lines(
        [
            '>       layer.call("run", logits, one_hot)',
            "E       cotrain.testing.Diverged: divergence in run, loss.softmax (origin)",
            "E         where      run, call 0, of Mutated and MnistMlp.SoftmaxCrossEntropy",
            "E         element    [[]3, 4]  (flat 34)",
            "E         distance   1 ulp, 1 bit",
            "test_it.py:*: Diverged",
            "E       cotrain.testing.Diverged: divergence at step 1, fc2.grad.b (origin)",
            "E       cotrain.testing.Diverged: [[]'a'][[]0]: dtypes differ: reference float32, candidate float64",
            "*= cotrain =*",
        ]
    )
    assert not re.search(r"^\S*cotrain\S*\.py:\d+", shown, re.MULTILINE)
    layers, runs, bits = 2 * 11, 2 * (18 + 2 * 45 + 2), 1
    assert f"compared {layers + runs + bits} taps, " in shown
    assert " bit for bit in 5 tests: 6 differ" in shown  # softmax and three taps after it, the flipped one, an array


def test_an_error_shows_the_users_lines_only(project: Any) -> None:
    source = (
        LAYER
        + """
    def test_gemm(gemm):
        gemm("mkl")

    def test_arguments(layer_pair):
        layer_pair(Loss, LOSS, 8)

    def test_method(layer_pair):
        layer_pair(Loss, LOSS, 8, 10).forward(logits)

    def test_taps(lockstep):
        lockstep(1, taps="nothing")

    def test_inside(layer_pair):
        class Candidate:
            def forward(self, x):
                from cotrain import nd
                return nd("text")  # the user's own mistake

        class Reference:
            def forward(self, x):
                return x

        layer_pair(Reference, Candidate).forward(logits)
    """
    )
    result = project(source)
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        [
            '>       gemm("mkl")',
            "E       cotrain.errors.CotrainError: gemm 'mkl' is none of *",
            ">       layer_pair(Loss, LOSS, 8)",
            "E       TypeError: *missing 1 required positional argument: 'classes'",
            ">       layer_pair(Loss, LOSS, 8, 10).forward(logits)",
            "E       cotrain.errors.CotrainError: the reference, Loss, has no method forward; it has *",
            '>       lockstep(1, taps="nothing")',
            "E       cotrain.errors.CotrainError: no tap of this run matches 'nothing'*",
            '*return nd("text")  # the user\'s own mistake',
            "E * cotrain.errors.CotrainError: nd() takes a numpy.ndarray, not str*",
        ]
    )
    assert not re.search(r"^\S*cotrain/\S*\.py:\d+", result.stdout.str(), re.MULTILINE)


CHOICES = """
    import pytest
    from cotrain import lockstep as _

    def chosen(gemm, lockstep):
        from cotrain.clr import assemblies
        library = assemblies.namespace("Cotrain.Blas").BlasBackends.Library
        assert gemm.current == ("native" if library is None else "openblas")
        return gemm.current, lockstep.math

    def test_default(gemm, lockstep):
        print("default:", *chosen(gemm, lockstep))

    @pytest.mark.cotrain(gemm="native")
    class TestMarked:
        def test_class(self, gemm, lockstep):
            print("class:", *chosen(gemm, lockstep))

        @pytest.mark.cotrain(math="numsharp", gemm="openblas")
        def test_function(self, gemm, lockstep):
            print("function:", *chosen(gemm, lockstep))

        def test_fails(self, gemm, lockstep):
            gemm("openblas")
            assert not gemm.current

    class TestWithAFixtureOfItsOwn:
        @pytest.fixture(scope="class")
        def sequential(self, numsharp):
            from cotrain.gemm import backend
            with backend("sequential"):
                yield

        def test_first(self, sequential, gemm):
            assert gemm.current == "sequential"
            gemm("native")

        @pytest.mark.cotrain(gemm="openblas")
        def test_second(self, sequential, gemm):
            assert gemm.current == "openblas"

        def test_third(self, sequential, gemm):
            assert gemm.current == "sequential"

    def test_after(gemm, lockstep):
        print("after:", *chosen(gemm, lockstep))

    @pytest.mark.cotrain
    def test_only_the_marker():
        from cotrain.clr import current
        assert current() is not None

    @pytest.mark.cotrain(gem="native")
    def test_misspelt():
        pass

    @pytest.mark.cotrain(gemm="mkl")
    def test_unknown():
        pass
"""


@pytest.mark.parametrize(
    ("arguments", "ini", "default"),
    [
        ([], {}, "openblas parity"),
        ([], {"cotrain_gemm": "native", "cotrain_math": "numsharp"}, "native numsharp"),
        (["--cotrain-gemm=openblas"], {"cotrain_gemm": "native", "cotrain_math": "numsharp"}, "openblas numsharp"),
    ],
)
def test_the_marker_wins_over_the_command_line_and_that_over_the_file(
    project: Any, arguments: list[str], ini: dict[str, str], default: str
) -> None:
    result = project(CHOICES, "-s", *arguments, ini=ini)
    result.assert_outcomes(passed=8, failed=1, errors=2)
    said = re.findall(r"(default|class|function|after): (\w+ \w+)", result.stdout.str())
    math = default.split()[1]
    # The backend is as before after a test that changed it and failed.
    assert said == [
        ("default", default),
        ("class", f"native {math}"),
        ("function", "openblas numsharp"),
        ("after", default),
    ]
    result.stdout.fnmatch_lines_random(
        [
            "cotrain: @pytest.mark.cotrain takes gemm= and math=, not gem",
            "cotrain: @pytest.mark.cotrain: gemm 'mkl' is none of openblas, *",
        ]
    )


def test_options_that_do_not_exist(project: Any) -> None:
    for option in ("--cotrain-gemm=mkl", "--cotrain-math=exact", "--cotrain-report=/dev/null/x"):
        result = project("def test(): pass", option)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert re.match(r"ERROR: .*(is none of|cannot write)", result.stderr.str())
    project("def test(gemm): pass", "--cotrain-numsharp=nowhere.dll").stdout.fnmatch_lines(
        ["cotrain: the NumSharp to load, *nowhere.dll, does not exist"]
    )
    project("def test(gemm): pass", ini={"cotrain_gemm": "mkl"}).stdout.fnmatch_lines(
        ["cotrain: --cotrain-gemm or cotrain_gemm: gemm 'mkl' is none of openblas, *"]
    )
    assert pytest_plugin.MATHS == pair.MATHS


def test_reports(project: Any, pytester: pytest.Pytester) -> None:
    source = (
        LAYER
        + """
    @pytest.mark.parametrize("Layer", [Loss, Mutated])
    def test_layer(layer_pair, Layer):
        layer_pair(Layer, LOSS, batch=8, classes=10).call("run", logits, one_hot)

    class Lacking(Loss):
        def __init__(self, batch, classes):
            super().__init__(batch, classes)
            run, self.run = self.run, lambda *arrays: list(run(*arrays))[:5]

    def test_structure(layer_pair):
        layer_pair(Lacking, LOSS, batch=8, classes=10).call("run", logits, one_hot)

    def test_steps(lockstep):
        lockstep(1)
        lockstep(2)
    """
    )
    result = project(source, "--cotrain-report", "out", "--junitxml=junit.xml")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["reports in out"])
    made = sorted(path.relative_to(pytester.path / "out").as_posix() for path in pytester.path.rglob("report.*"))
    assert [re.sub(r"-[0-9a-f]{8}/", "/", path) for path in made] == [
        f"test_it.py-test_{name}/report.{kind}"
        for name in ("layer-Loss", "layer-Mutated", "steps-2", "steps", "structure")
        for kind in ("html", "json")
    ]
    assert '"loss.softmax"' in next(pytester.path.glob("out/*Mutated*/report.json")).read_text()
    assert '<property name="cotrain_taps" value="11"' in (pytester.path / "junit.xml").read_text()


def test_without_dotnet_all_are_skipped_for_one_reason(project: Any, no_dotnet: None) -> None:
    source = """
    import pytest

    def test_namespace(numsharp): ...
    def test_layer(layer_pair): ...
    def test_steps(lockstep): ...
    @pytest.mark.cotrain
    def test_marked(): ...
    def test_arrays_need_none(assert_same_bits): assert_same_bits([1.5], [1.5])
    """
    result = project(source, "-rs")
    result.assert_outcomes(passed=1, skipped=4)
    assert len(re.findall(r"^SKIPPED", result.stdout.str(), re.MULTILINE)) == 1
    result.stdout.fnmatch_lines(
        [
            "compared 1 tap, 8 B, bit for bit in 1 test: all equal",
            "skipped 4 tests: *nowhere is not a .NET installation *: install the .NET 10 runtime *",
            "SKIPPED [[]4[]] *cotrain/pytest_plugin.py:*: cotrain: *nowhere is not a .NET installation *",
        ]
    )


@pytest.mark.parametrize("how", ["option", "ini", "variable"])
def test_where_dotnet_is_required_the_skip_is_a_failure(
    project: Any, no_dotnet: None, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "variable":
        monkeypatch.setenv(pytest_plugin.REQUIRE_VARIABLE, "1")
    arguments = ["--cotrain-require"] * (how == "option")
    ini = {"cotrain_require": "true"} if how == "ini" else {}
    result = project("def test_namespace(numsharp): ...", *arguments, ini=ini)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["cotrain is required here: *nowhere is not a .NET installation *"])


def test_a_run_without_fixtures_loads_nothing(project: Any) -> None:
    source = """
    import sys

    def test_loaded():
        light = ["cotrain", "cotrain.pytest_plugin", "cotrain.testing", "cotrain.testing.summary"]
        assert sorted(name for name in sys.modules if name.startswith("cotrain")) == light
        assert not {"numpy", "pythonnet", "clr_loader", "clr", "rich", "twin"} & set(sys.modules)
    """
    settings = {"cotrain_gemm": "native", "cotrain_report": "out", "cotrain_require": "true"}
    result = project(source, ini=settings)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*= cotrain =*")


def test_fixtures_of_the_same_names_are_left_alone(project: Any, no_dotnet: None) -> None:
    source = """
    import pytest

    @pytest.fixture
    def gemm(): return 1

    def test_mine(gemm): assert gemm == 1
    """
    project(source).assert_outcomes(passed=1)


def test_what_pytest_says_of_it(project: Any) -> None:
    shown = project("", "--fixtures", "--markers", "-p", "no:cacheprovider").stdout.str()
    assert "@pytest.mark.cotrain(gemm=..., math=...): " in shown


def test_the_page_about_it(project: Any) -> None:
    """The Python of docs/pytest.md is one test file."""
    page = (Path(__file__).parent.parent / "docs" / "pytest.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    result = project("\n".join(blocks))
    result.assert_outcomes(passed=len(re.findall(r"^def test_", "".join(blocks), re.MULTILINE)))
