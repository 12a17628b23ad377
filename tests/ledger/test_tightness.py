"""Each entry against the real NumSharp; and that spoilt entries, or a NumSharp that is mended, are noticed."""

from dataclasses import replace

import numpy as np
import pytest
from ledger import numsharp_calls
from ledger.families import FAMILIES
from ledger.tightness import Loose, check, why_not_here

from cotrain.ledger import entries, find
from cotrain.ledger.conditions import nowhere
from cotrain.ledger.differing import EXP_FLOAT32

by_name = pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
bounded = pytest.mark.parametrize(
    "entry", [entry for entry in entries() if entry.bound is not None], ids=lambda entry: entry.name
)


@pytest.fixture(autouse=True)
def where_it_shows(runtime, request):
    entry = getattr(request.node, "callspec", None) and request.node.callspec.params.get("entry")
    if entry and (reason := why_not_here(entry)):
        pytest.skip(reason)


@by_name
def test_it_is_as_the_entry_says(entry):
    check(entry)


def test_every_entry_has_its_inputs():
    assert list(FAMILIES) == [entry.name for entry in entries()]


# ---- and the check itself is shown to fail, in each of the ways in which an entry can be wrong


@bounded
def test_a_bound_that_is_one_ulp_too_large_is_noticed(entry):
    with pytest.raises(Loose, match=f"no more than {entry.bound} ulp, and the bound is {entry.bound + 1}"):
        check(replace(entry, bound=entry.bound + 1))


@bounded
def test_a_bound_that_is_one_ulp_too_small_is_noticed(entry):
    with pytest.raises(Loose, match=f"{entry.bound} ulp, and the bound is {entry.bound - 1}"):
        check(replace(entry, bound=entry.bound - 1))


@by_name
def test_a_condition_that_is_too_wide_is_noticed(entry):
    def anywhere(case):
        return ~nowhere(case)

    with pytest.raises(Loose, match="the condition holds for"):
        check(replace(entry, holds=anywhere))


@by_name
def test_a_difference_outside_the_condition_is_noticed(entry):
    with pytest.raises(Loose, match="condition"):
        check(replace(entry, holds=nowhere))


@by_name
def test_a_mended_numsharp_is_noticed(entry):
    with pytest.raises(Loose, match="the smallest input gives another candidate"):
        check(entry, by=numsharp_calls.numpy)


@pytest.mark.parametrize(
    "entry", [find(name) for name in ("exp-float32", "sum-float32", "mean-float64")], ids=lambda entry: entry.name
)
def test_the_bridges_exact_kernels_are_noticed(entry):
    """They stand for a NumSharp of the future that agrees with NumPy."""
    from cotrain.clr import assemblies
    from cotrain.clr.arrays import nd, view

    parity = assemblies.namespace("Cotrain.Kernels").ParityMath()

    def exact(operation, arguments):
        return view(getattr(parity, operation.name.capitalize())(nd(*arguments)))

    with pytest.raises(Loose, match="the smallest input gives another candidate"):
        check(entry, by=exact)


@pytest.mark.parametrize("entry", [find("exp-float32")], ids=lambda entry: entry.name)
def test_one_mended_input_of_exp_is_noticed(entry):
    """The other 83 still differ."""
    mended = sorted(EXP_FLOAT32)[40]

    def all_but_one(operation, arguments):
        result = numsharp_calls.numsharp(operation, arguments).copy()
        where = arguments[0].view(np.uint32) == mended
        result[where] = numsharp_calls.numpy(operation, arguments)[where]
        return result

    with pytest.raises(Loose, match=r"element \d+ is equal now"):
        check(entry, by=all_but_one)


@pytest.mark.full
@pytest.mark.parametrize("entry", [find("exp-float32")], ids=lambda entry: entry.name)
def test_exp_differs_nowhere_else(entry):
    """All 2^32 inputs."""
    chunk = 1 << 24
    found = {}
    for start in range(0, 1 << 32, chunk):
        x = np.arange(start, start + chunk, dtype=np.uint64).astype(np.uint32).view(np.float32)
        case = numsharp_calls.case("exp(x)", x)
        reference, candidate = (side.view(np.uint32) for side in (case.reference, case.candidate))
        for at in np.flatnonzero(reference != candidate):
            found[start + int(at)] = int(reference[at]), int(candidate[at])
    assert found == dict(EXP_FLOAT32)


@pytest.mark.full
def test_with_256_bit_vectors(run_python):
    """The order of additions depends on the vector width; the bounds do not."""
    code = "import pytest, sys; sys.exit(pytest.main(['-q', '-k', 'as_the_entry_says', sys.argv[1]]))"
    done = run_python(code, __file__, env={"DOTNET_EnableAVX512": "0"}, timeout=600)
    assert done.returncode == 0, done.stdout
