"""Known differences in every report: named, counted, and accepted or not."""

from __future__ import annotations

import io

from report import results

from cotrain.lockstep.result import ExcuseCount, Verdict
from cotrain.report import card, html_report, json_report, summary
from cotrain.report.terminal import Terminal


def test_an_accepted_difference_shows_no_card_but_its_count() -> None:
    result = results.excused()
    out = io.StringIO()
    Terminal(out).finished(result)
    text = out.getvalue()
    assert text.startswith("excused: 92 steps")
    assert "accepted: exp-float32 in 1 tap, 3 elements, at most 1 ulp apart" in text
    assert "divergence at" not in text
    assert result.exit_code == 0


def test_what_is_known_but_not_accepted_says_how_to_read_and_accept_it() -> None:
    lines = card.plain_lines("", list(card.rows(results.divergence(7, "a", origin=True, excuse="exp-float32"))))
    assert lines[-1].endswith("exp-float32; python -m cotrain.ledger explains it, --allow exp-float32 accepts it")


def test_an_inherited_difference_names_where_it_comes_from() -> None:
    found = results.divergence(7, "a", origin=False, excuse="exp-float32, mean-float32", accepted=True)
    assert card.plain_lines("", list(card.rows(found)))[-1].endswith(
        "inherited from exp-float32, mean-float32; accepted"
    )


def test_counts_of_what_inherits_it() -> None:
    result = results.excused()
    result.excuses = {"mean-float32": ExcuseCount(False, 2, 2, 1, 3), "x": ExcuseCount(True, 0, 0, 5, None)}
    assert summary.excuse_lines(result) == [
        "known, not accepted: mean-float32 in 2 taps, 2 elements, at most 3 ulp apart; 1 later tap inherits it",
        "accepted: x; 5 later taps inherit it",
    ]


def test_the_card_is_about_the_first_that_nothing_accepts() -> None:
    result = results.excused()
    result.verdict = Verdict.DIVERGED
    result.divergences.append(results.divergence(9, "loss.mean", origin=True))
    assert card.title(result) == "divergence at step 9, loss.mean (origin)"


def test_the_json_has_the_counts_and_both_marks() -> None:
    report = json_report.to_dict(results.excused())
    assert report["excuses"] == {
        "exp-float32": {
            "accepted": True,
            "origin_taps": 1,
            "origin_elements": 3,
            "inherited_taps": 0,
            "max_ulp": 1,
        }
    }
    assert (report["divergences"][0]["excuse"], report["divergences"][0]["accepted"]) == ("exp-float32", True)


def test_the_page_lists_them() -> None:
    page = html_report.render(results.excused())
    assert '<h2 id="known-title">Known differences</h2>' in page
    assert "<li>accepted: exp-float32 in 1 tap, 3 elements, at most 1 ulp apart</li>" in page
    assert "First divergence, accepted" in page
    assert "Known differences" not in html_report.render(results.green())
