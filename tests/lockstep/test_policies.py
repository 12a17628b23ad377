"""``continue`` and ``resync``: how a difference spreads, and the same findings in overlap and in sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cotrain.lockstep.injection import Injection
from cotrain.lockstep.pair import Pair
from cotrain.lockstep.result import Result, Verdict
from cotrain.report.json_report import to_dict

MakePair = Callable[..., Pair]
FLIP = Injection(2, "fc1.output", 5, 30)


def findings(result: Result) -> dict[str, Any]:
    report = to_dict(result)
    del report["timing"], report["mode"]
    return report


@pytest.mark.parametrize("policy", ["stop", "continue", "resync"])
@pytest.mark.parametrize("keywords", [{"math": "numsharp"}, {"gemm": "native"}, {}])
def test_overlap_and_sequence_find_the_same(flagship: MakePair, policy: str, keywords: dict[str, str]) -> None:
    inject = [] if keywords else [FLIP]
    both = [flagship(50, **keywords).run(on_diff=policy, inject=inject, mode=mode) for mode in ("overlap", "sequence")]
    assert both[0].verdict is Verdict.DIVERGED
    assert findings(both[0]) == findings(both[1])
    assert both[0].steps == (50 if policy != "stop" else both[0].divergences[0].place.step + 1)


def test_continue_tells_origin_from_what_is_handed_down_across_steps(flagship: MakePair) -> None:
    result = flagship(6).run(on_diff="continue", inject=[FLIP])
    taps = result.differences.taps
    origins = {name: row.origin.steps for name, row in taps.items() if row.origin.steps}
    assert origins == {"fc1.output": 1}
    assert (taps["fc1.output"].origin.first_step, taps["fc1.output"].origin.elements) == (2, 1)
    # The weights that step 2 left are inputs of step 3.
    assert taps["fc1.preact"].inherited.first_step == 3
    assert taps["adam.fc2.w.p"].inherited.first_step == 2
    assert result.weights_sha256["fc1.w"]["reference"] != result.weights_sha256["fc1.w"]["candidate"]


def test_resync_leaves_the_origin_only(flagship: MakePair) -> None:
    result = flagship(6).run(on_diff="resync", inject=[FLIP, Injection(4, "adam.fc1.w.m", 7, 31)])
    assert [(d.place.step, d.tap, d.origin) for d in result.divergences] == [
        (2, "fc1.output", True),
        (4, "adam.fc1.w.m", True),
    ]
    assert result.differences.taps.keys() == {"fc1.output", "adam.fc1.w.m"}
    hashes = result.weights_sha256.values()
    assert all(each["reference"] == each["candidate"] for each in hashes)


def test_resync_never_changes_the_reference(flagship: MakePair) -> None:
    plain = flagship(6).run()
    resynced = flagship(6).run(on_diff="resync", inject=[FLIP])
    assert resynced.weights_sha256 == plain.weights_sha256
    assert resynced.series["loss"].reference == plain.series["loss"].reference


def test_a_structural_difference_ends_any_policy(tiny_pair: MakePair) -> None:
    for policy in ("continue", "resync"):
        result = tiny_pair(fault="missing").run(on_diff=policy)
        assert (result.steps, result.verdict) == (3, Verdict.DIVERGED)
        assert result.structural is not None


def test_only_selected_taps_are_counted_but_all_decide_origin(flagship: MakePair) -> None:
    result = flagship(4).run(on_diff="continue", taps="fc2.preact", inject=[FLIP])
    assert result.differences.taps.keys() == {"fc2.preact"}
    assert result.differences.taps["fc2.preact"].origin.steps == 0
    assert result.compared.taps == 4
