from pathlib import Path
from xml.etree import ElementTree

import pytest
from report import results

from cotrain.lockstep.result import Result, Verdict
from cotrain.report import junit


def parsed(result: Result) -> ElementTree.Element:
    root = ElementTree.fromstring(junit.to_xml(result))
    assert root.tag == "testsuites"
    (suite,) = root
    assert [child.tag for child in suite] == ["properties"] + ["testcase"] * (len(suite) - 1)
    cases = suite.findall("testcase")
    for element in (root, suite):
        assert int(element.attrib["tests"]) == len(cases)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.attrib[count]) == sum(case.find(tag) is not None for case in cases)
        float(element.attrib["time"])
    for case in cases:
        assert set(case.attrib) == {"classname", "name", "time"}
        assert len(case) <= 1
    assert len({case.attrib["name"] for case in cases}) == len(cases)
    return suite


def case(suite: ElementTree.Element, start: str) -> ElementTree.Element:
    (found,) = (each for each in suite.findall("testcase") if each.attrib["name"].startswith(start))
    return found


def test_a_green_run() -> None:
    suite = parsed(results.green())
    names = [each.attrib["name"] for each in suite.findall("testcase")]
    assert names == [
        "run",
        "the taps of both sides line up",
        "initial state (2 taps, 1.2 kB)",
        "fc.preact = x @ w",
        f"{results.SCRIPT} = exp(x) & more",
        "loss.mean = mean(x)",
        'adam.p = p - "lr" * g',
    ]
    assert not any(len(each) for each in suite.findall("testcase"))
    assert case(suite, "fc.preact").attrib["time"] == "0.350000"


def test_pins_are_properties() -> None:
    properties = {each.attrib["name"]: each.attrib["value"] for each in parsed(results.red()).iter("property")}
    assert properties["pins.numpy.version"] == "2.4.2"
    assert properties["pins.numpy.list"] == "a b"
    assert properties["pins.gemm"] == "openblas"
    assert properties["verdict"] == "diverged"
    assert properties["warning.1"] == "a warning with <i>markup</i>"


def test_a_tap_that_differs_fails_with_its_card() -> None:
    suite = parsed(results.red())
    failure = case(suite, results.SCRIPT).find("failure")
    assert failure is not None
    assert failure.attrib == {"message": f"divergence at step 7, {results.SCRIPT} (origin)", "type": "origin"}
    lines = (failure.text or "").splitlines()
    assert lines[0] == "origin in 2 steps from 7 to 50: 6 elements, at most 1,125,899,906,842,624 ulp apart"
    assert "  reference  1.0536708e-08  0x323504EF  0 01100100 01101010000010011101111" in lines
    assert "                                                                     ^^^^^" in lines
    assert lines[-1] == "  again  cotrain --again '<b>'"
    inherited = case(suite, "adam.p").find("failure")
    assert inherited is not None
    assert inherited.attrib["type"] == "inherited"
    assert "again" not in (inherited.text or "")


def test_a_stopped_run() -> None:
    suite = parsed(results.stopped())
    skipped = case(suite, "loss.mean").find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "not among the selected taps"
    after = case(suite, "adam.p").find("failure")
    assert after is not None
    assert after.attrib["message"] == f"differs too in step 7, after {results.SCRIPT}"


def test_a_structural_divergence() -> None:
    failure = case(parsed(results.structural()), "the taps").find("failure")
    assert failure is not None
    assert results.SCRIPT in failure.attrib["message"]
    assert "reference" in (failure.text or "")


def test_a_known_difference_is_skipped() -> None:
    result = results.excused()
    skipped = case(parsed(result), results.SCRIPT).find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "a known difference: exp-float32"


def test_a_difference_beside_a_known_one_is_a_failure() -> None:
    result = results.excused()
    result.differences.add(9, results.SCRIPT, results.TAPS[results.SCRIPT], origin=True, elements=1, max_ulp=9)
    result.divergences.append(results.divergence(9, results.SCRIPT, origin=True))
    failure = case(parsed(result), results.SCRIPT).find("failure")
    assert failure is not None
    assert failure.attrib["message"] == f"divergence at step 9, {results.SCRIPT} (origin)"


def test_a_difference_before_step_0() -> None:
    result = results.red()
    first = results.divergence(-1, "init.w", origin=True)
    result.divergences.insert(0, first)
    result.differences.add(-1, "init.w", "", origin=True, elements=1, max_ulp=1)
    suite = parsed(result)
    failure = case(suite, "initial state").find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "init.w differs before step 0"
    assert case(suite, "init.w").find("failure") is not None


@pytest.mark.parametrize(
    ("verdict", "facts", "message"),
    [
        (Verdict.ERROR, {"error": "the candidate threw"}, "the candidate threw"),
        (Verdict.INTERRUPTED, {"signal": 15}, "interrupted by signal 15 after 0 steps"),
    ],
)
def test_a_run_that_did_not_end(verdict, facts, message) -> None:
    error = case(parsed(Result(verdict=verdict, **facts)), "run").find("error")
    assert error is not None
    assert error.attrib["message"] == message


def test_what_xml_forbids_is_replaced(tmp_path: Path) -> None:
    result = Result(verdict=Verdict.ERROR, error="a\x00b\x1bc\ud800d\ufffee \U0001f600 \x85")
    junit.write(result, tmp_path / "junit.xml")
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    error = root.find(".//error")
    assert error is not None
    assert error.attrib["message"] == "a\ufffdb\ufffdc\ufffdd\ufffde \U0001f600 \x85"
