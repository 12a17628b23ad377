import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import RunPython
from report import results

from cotrain.errors import CotrainError
from cotrain.lockstep.result import Result, Verdict
from cotrain.report import html_report


class Page(HTMLParser):
    """The elements of a page: (tag, attributes), and the text in each kind of element."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.source = html_report.render(result, written=datetime(2026, 5, 4, 3, 2, tzinfo=UTC))
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("td", "th", "dt", "dd"):
            self.handle_data(" ")
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        for tag in set(self._open):
            self.texts[tag][-1] += data

    @property
    def text(self):
        return " ".join(" ".join(self.texts["main"]).split())


def test_the_card_is_there_to_the_bit() -> None:
    page = Page(results.red())
    assert page.texts["h1"] == ["diverged"]
    assert f"divergence at step 7, {results.SCRIPT} (origin)" in page.texts["h3"]
    assert page.texts["mark"][:2] == ["01111", "10000"]
    assert "cotrain --again '<b>'" in page.texts["code"]
    assert "First difference: step 7, <script>alert(1)</script>. Its inputs are byte-equal" in page.text


def test_the_table_of_differences() -> None:
    page = Page(results.red())
    assert 'adam.p p - "lr" * g – 42 2,961 8,281 50 – 91' in page.text
    assert f"{results.SCRIPT} exp(x) & more 2 6 1,125,899,906,842,624 7 – 50 –" in page.text


def test_pins_warnings_and_special_values() -> None:
    page = Page(results.red())
    assert "version 2.4.2" in page.text
    assert "a warning with <i>markup</i>" in page.text
    assert f"nan step 3, {results.SCRIPT}[5] never" in page.text
    assert "2026-05-04 03:02 UTC" in page.source


def test_nothing_from_outside_becomes_markup() -> None:
    result = results.red()
    result.pins = {"<b>": {"<b>": "</script><b>"}}
    result.error = result.command = "\"'><b>"
    result.series["</script><b>"] = result.series["loss"]
    result.timing.startup["<b>"] = 1.0
    result.weights_sha256["<b>"] = {"reference": "<b>", "candidate": "<b>x"}
    page = Page(result)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2
    # <b> is an element that the page has itself, for labels; each of those is written in the template.
    assert "<b></" not in page.source
    assert all("alert" not in str(value) for _, attributes in page.elements for value in attributes.values())
    json.loads(page.texts["script"][0])


@pytest.mark.parametrize("make", [results.green, results.red, results.stopped, results.structural])
def test_a_page_needs_nothing_else(make) -> None:
    page = Page(make())
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form"), tag
        assert "src" not in attributes
        assert not any(name.startswith("on") or name == "style" for name in attributes), attributes
        link = attributes.get("href")
        assert link is None or link == "report.json" or link.startswith("#"), link
        if link and link.startswith("#"):
            assert any(each.get("id") == link[1:] for _, each in page.elements), link


def test_the_policy_names_the_very_scripts_and_styles() -> None:
    page = Page(results.red())
    policy = next(each["content"] for tag, each in page.elements if "http-equiv" in each)
    script = re.findall("<script>(.*?)</script>", page.source, re.DOTALL)
    style = re.findall("<style>(.*?)</style>", page.source, re.DOTALL)
    for (text,), directive in ((script, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy
    assert "<!--" not in script[0]


def test_the_chart_library_is_the_published_one_with_its_licence() -> None:
    folder = html_report.PAGE / "uplot"
    note = (folder / "README.md").read_text()
    for name in ("uPlot.iife.min.js", "uPlot.min.css"):
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() in note
    page = html_report.render(results.green())
    for line in (folder / "LICENSE").read_text().splitlines():
        assert line in page


def test_a_stopped_run_says_what_it_did_not_look_at() -> None:
    page = Page(results.stopped())
    data = json.loads(page.texts["script"][0])
    assert [tap["name"] for tap in data["taps"]] == ["fc.preact", results.SCRIPT, "adam.p"]
    assert "steps 8 of 92" in page.text
    assert "operations selected 3 of 4" in page.text
    assert "loss.mean mean(x) not selected" in page.text
    assert 'adam.p p - "lr" * g differs too' in page.text


def test_a_structural_divergence_is_aligned() -> None:
    page = Page(results.structural())
    assert f"{results.SCRIPT}: float32[3] – c: float32[3] c: float32[3]" in page.text
    assert f"At step 0: the candidate lacks the tap {results.SCRIPT}; in its place stands c." in page.text


@pytest.mark.parametrize(
    ("verdict", "facts", "sentence"),
    [
        (Verdict.ERROR, {"error": "the candidate threw <x>"}, "the candidate threw <x>"),
        (Verdict.INTERRUPTED, {"signal": 2}, "interrupted by signal 2"),
        (Verdict.IDENTICAL, {}, "the same bytes on both sides"),
    ],
)
def test_a_run_without_steps_has_a_page(verdict, facts, sentence) -> None:
    result = Result(verdict=verdict, **facts)
    assert sentence in Page(result).text


def test_a_worst_run_stays_below_one_and_a_half_megabytes() -> None:
    assert len(html_report.render(results.worst()).encode()) < 1_500_000


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(CotrainError, match=r"cannot write the report .*report\.html"):
        html_report.write(results.green(), tmp_path / "report.html")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_name_that_utf8_cannot_hold_is_written_all_the_same(tmp_path: Path) -> None:
    result = results.green()
    result.command = "cotrain --data '\udcff'"
    result.warnings = ["\udcff"]
    html_report.write(result, tmp_path / "report.html")
    assert "<li>?</li>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_jinja2_is_imported_only_for_a_page(run_python: RunPython) -> None:
    done = run_python(
        "import sys; from cotrain.report import html_report, terminal, json_report, junit; "
        "sys.exit('jinja2' in sys.modules or 'markupsafe' in sys.modules)"
    )
    assert done.returncode == 0, done.stderr
