"""Which differences an entry explains. No .NET: the candidate's bytes are made by hand."""

import subprocess
import sys

import numpy as np
import pytest
from ledger.numsharp_calls import example_of, options

from cotrain.errors import CotrainError, ExitCode
from cotrain.ledger import Occurrence, could_match, entries, find, match, select
from cotrain.ledger.differing import EXP_FLOAT32, parse

by_name = pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)


def floats(*patterns):
    return np.array(patterns, np.uint32).view(np.float32)


def exp_of(x, candidate, *, op="exp(shifted)", math="numsharp", gemm="openblas", reference=None):
    reference = np.array([EXP_FLOAT32[int(word)][0] for word in x.view(np.uint32)], np.uint32).view(np.float32)
    return Occurrence(op, (x,), reference, candidate, gemm, math)


LISTED = 0xC192F27C
X = floats(LISTED)


# ---- every entry


@by_name
def test_its_smallest_input_is_matched(entry):
    op, operands = example_of(entry)
    example = entry.example
    found = match(Occurrence(op, operands, example.reference.array(), example.candidate.array(), **options(entry)))
    assert found is entry


@by_name
def test_it_could_match_only_where_its_setting_is_in_force(entry):
    for dtype in entry.dtypes:
        chosen = options(entry)
        assert could_match(entry.example.op, np.dtype(dtype), **chosen)
        assert could_match(entry.example.op, dtype, **chosen)
    assert not could_match(entry.example.op, np.int64, gemm="native", math="numsharp")


@by_name
def test_a_nan_on_one_side_is_never_explained(entry):
    op, operands = example_of(entry)
    reference, candidate = entry.example.reference.array(), entry.example.candidate.array().copy()
    candidate[...] = np.nan
    if np.isnan(reference).any():
        reference = np.zeros_like(reference)
    assert match(Occurrence(op, operands, reference, candidate, **options(entry))) is None


@pytest.mark.parametrize(
    "entry", [entry for entry in entries() if entry.bound is not None], ids=lambda entry: entry.name
)
def test_one_ulp_more_than_the_bound_is_not_explained(entry):
    op, operands = example_of(entry)
    reference = entry.example.reference.array()
    unsigned = f"u{reference.itemsize}"
    further = (reference.reshape(-1).view(unsigned) + np.array(entry.bound + 1, unsigned)).view(reference.dtype)
    candidate = further.reshape(reference.shape)
    assert match(Occurrence(op, operands, reference, candidate, **options(entry))) is None


def test_names_are_unique_and_kebab_case():
    names = [entry.name for entry in entries()]
    assert len(set(names)) == len(names)
    assert all(name == name.lower().replace("_", "-").replace(" ", "-") and name != "all" for name in names)


def test_what_has_no_bound_on_numbers_is_not_in_all():
    """A NaN's payload has no distance."""
    assert {entry.name for entry in entries() if entry.bound is None and entry.in_all} == {"nan-payload"}


# ---- settings


def test_exp_is_not_excused_where_the_bridges_exact_one_runs():
    candidate = floats(EXP_FLOAT32[LISTED][1])
    assert match(exp_of(X, candidate)).name == "exp-float32"
    assert match(exp_of(X, candidate, math="parity")) is None
    assert could_match("exp(x)", "float32", gemm="openblas", math="numsharp")
    assert not could_match("exp(x)", "float32", gemm="openblas", math="parity")


@pytest.mark.parametrize("gemm", ["openblas", "sequential"])
def test_products_are_only_excused_under_native(gemm):
    entry = find("gemm-native-float32")
    op, operands = example_of(entry)
    sides = entry.example.reference.array(), entry.example.candidate.array()
    assert match(Occurrence(op, operands, *sides, gemm, "numsharp")) is None
    assert match(Occurrence(op, operands, *sides, "native", "parity")) is entry
    assert not could_match(op, "float32", gemm=gemm, math="numsharp")


# ---- every differing element counts


def test_all_differing_elements_have_to_be_explained():
    x = floats(*EXP_FLOAT32, 0x3F800000)
    reference = np.exp(x)
    reference[:-1] = floats(*(pair[0] for pair in EXP_FLOAT32.values()))
    candidate = reference.copy()
    candidate[:-1] = floats(*(pair[1] for pair in EXP_FLOAT32.values()))
    assert match(Occurrence("exp(x)", (x,), reference, candidate, "openblas", "numsharp")).name == "exp-float32"
    candidate[-1] = np.nextafter(candidate[-1], np.float32(np.inf))
    assert match(Occurrence("exp(x)", (x,), reference, candidate, "openblas", "numsharp")) is None


def test_exp_has_to_have_the_very_bits():
    for off in (1, -1):
        assert match(exp_of(X, floats(EXP_FLOAT32[LISTED][1] + off))) is None


def test_nothing_explains_what_does_not_differ():
    reference = floats(EXP_FLOAT32[LISTED][0])
    assert match(exp_of(X, reference)) is None


def test_what_is_unknown_is_not_explained():
    candidate = floats(EXP_FLOAT32[LISTED][1])
    known = exp_of(X, candidate)
    assert match(known._replace(inputs=(None,))) is None
    assert match(known._replace(inputs=())) is None
    assert match(known._replace(inputs=(X, X))) is None
    assert match(known._replace(inputs=(X.astype(np.float64),))) is None
    assert match(known._replace(op="exp(x) * mask")) is None
    assert match(known._replace(op="log(x)")) is None


def test_a_product_needs_no_known_operands():
    """No tap shows the batch of a data set, and in step 0 none shows the weights before."""
    entry = find("gemm-native-float32")
    op, (x, w) = example_of(entry)
    sides = entry.example.reference.array(), entry.example.candidate.array()
    for inputs in ((None, w), (x, None), (None, None)):
        assert match(Occurrence(op, inputs, *sides, "native", "parity")) is entry
    for inputs in ((None, w[:1]), (x[:, :1], None), (x[0, :1], w[:1])):
        assert match(Occurrence(op, inputs, *sides, "native", "parity")) is None


def test_shapes_that_do_not_fit_are_not_explained():
    """A trainer's op text may say something else than it does."""
    zero, negative = np.zeros((2, 1), np.float32), -np.zeros((2, 1), np.float32)
    for op in ("sum(x, axis=0)", "sum(x, axis=5)", "sum(x)", "x @ x", "power(x, y)", "exp(x)", "max(x, axis=0)"):
        for x in (np.zeros((3, 4, 5), np.float32), np.zeros((), np.float32), np.zeros((0, 2), np.float32)):
            for inputs in ((x,), (x, x), (x, None)):
                assert match(Occurrence(op, inputs, zero, negative, "native", "numsharp")) is None


def test_sums_of_both_signs_are_not_excused():
    """Where they cancel, any distance is possible."""
    x = np.linspace(1, 2, 64, dtype=np.float32)
    total = np.sum(x)
    reference, candidate = np.array(total), np.array(np.nextafter(total, np.float32(0)))
    assert match(Occurrence("sum(x)", (x,), reference, candidate, "openblas", "numsharp")).name == "sum-float32"
    x[3] *= -1
    assert match(Occurrence("sum(x)", (x,), reference, candidate, "openblas", "numsharp")) is None


def test_a_negative_zero_is_excused_only_as_itself():
    x = np.array([[-0.0, 0.0, -0.0]], np.float32)
    plus, minus = np.zeros(3, np.float32), x[0]
    found = match(Occurrence("sum(g, axis=0)", (x,), plus, minus, "openblas", "parity"))
    assert found.name == "sum-axis-of-one"
    for reference, candidate in ((minus, plus), (plus, -plus)):
        assert match(Occurrence("sum(g, axis=0)", (x,), reference, candidate, "openblas", "parity")) is None


# ---- select


def test_all_leaves_out_what_has_no_bound():
    chosen = select("all")
    assert chosen == {entry.name for entry in entries() if entry.in_all}
    assert "exp-float32" in chosen
    assert not any(name.startswith("gemm-native") for name in chosen)


def test_names_are_selected():
    assert select("exp-float32") == {"exp-float32"}
    assert select(" exp-float32 , gemm-native-float32,") == {"exp-float32", "gemm-native-float32"}
    assert select("all,gemm-native-float32") == select("all") | {"gemm-native-float32"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exp-float23", "the ledger has no entry 'exp-float23'; near names: exp-float32, exp-float64"),
        ("exp-float32,zzz", "the ledger has no entry 'zzz'; known names: exp-float32, "),
        ("", "no ledger entry given; use 'all' or a name such as 'exp-float32'"),
        (" , ", "no ledger entry given; "),
    ],
)
def test_unknown_names_are_refused(text, message):
    with pytest.raises(CotrainError) as caught:
        select(text)
    assert str(caught.value).startswith(message)
    assert caught.value.exit_code is ExitCode.USAGE


# ---- the list of exp


def test_the_list_of_exp_has_84_inputs():
    assert len(EXP_FLOAT32) == 84
    assert EXP_FLOAT32[LISTED] == (0x323504EF, 0x323504F0)


def test_an_input_twice_is_an_error():
    with pytest.raises(ValueError, match="input 0x1 comes twice"):
        parse("# pins\n0x1 0x2 0x3\n\n0x1 0x2 0x3\n")


# ---- imports


def test_it_needs_neither_net_nor_the_driver():
    code = (
        "import sys, cotrain.ledger, cotrain.ledger.__main__; cotrain.ledger.select('all')\n"
        "bad = [name for name in sys.modules if name.startswith(('cotrain.clr', 'cotrain.lockstep', 'pythonnet'))]\n"
        "assert not bad, bad"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
