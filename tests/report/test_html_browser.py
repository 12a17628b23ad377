"""The page in a browser: headless Chromium, driven by selenium. Skipped where either is missing."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from report import results

from cotrain.lockstep.result import Result
from cotrain.report import html_report

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")
try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ModuleNotFoundError:
    pytest.skip("selenium is not installed (.ci/run brings it)", allow_module_level=True)
if CHROMIUM is None or CHROMEDRIVER is None:
    pytest.skip("chromium and chromedriver are not installed", allow_module_level=True)

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1280,900",
)

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    yield made
    made.quit()


@pytest.fixture
def open_page(driver: Any, tmp_path: Path) -> Iterator[Open]:
    """Writes a result's page and opens it from the file; every page is checked for errors and fetches at the end."""
    pages = []

    def open_it(result: Result, *, width: int = 1280, height: int = 900, dark: bool = False) -> Any:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        path = tmp_path / f"{len(pages)}" / "report.html"
        path.parent.mkdir()
        html_report.write(result, path)
        pages.append(path.as_uri())
        for log in ("browser", "performance"):
            driver.get_log(log)
        driver.get(path.as_uri())
        until(lambda: driver.execute_script("return document.documentElement.classList.contains('drawn')"))
        return driver

    yield open_it
    assert [entry["message"] for entry in driver.get_log("browser")] == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert set(asked) - {"about:blank"} <= set(pages)
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0


def until(condition: Callable[[], Any], seconds: float = 20.0) -> Any:
    """The condition's first true value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.03)
    return value


def text(page: Any, selector: str) -> str:
    return str(page.execute_script("return document.querySelector(arguments[0]).textContent", selector))


def details(page: Any) -> str:
    """The text of the details that are open, on one line."""
    assert page.find_element(By.ID, "details").is_displayed()
    return " ".join(text(page, "#details").split())


def drag(page: Any, element: Any, by: int) -> None:
    scroll_to(page, element)
    ActionChains(page).move_to_element(element).click_and_hold().move_by_offset(by, 0).release().perform()


def scroll_to(page: Any, element: Any) -> None:
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)


def point_at(page: Any, tap: str, step: int) -> ActionChains:
    """A chain that has moved over a cell of the map."""
    canvas = page.find_element(By.CSS_SELECTOR, ".cells")
    scroll_to(page, canvas)
    x, y = page.execute_script(
        "const map = report.map, line = map.canvas.rows.indexOf(map.model.rowOf(arguments[0]));"
        "return [(map.canvas.x(arguments[1]) + map.canvas.x(arguments[1] + 1)) / 2 - map.cells.clientWidth / 2,"
        "        map.canvas.top + (line + 0.5) * map.canvas.rowHeight - map.cells.clientHeight / 2]",
        tap,
        step,
    )
    return ActionChains(page).move_to_element_with_offset(canvas, int(x), int(y))


def active(page: Any) -> str:
    return str(page.execute_script("return document.activeElement.className || document.activeElement.id"))


def test_pointing_at_a_cell_reads_it_and_a_click_opens_its_details(open_page: Open) -> None:
    page = open_page(results.red())
    point_at(page, results.SCRIPT, 7).perform()
    readout = text(page, "#readout")
    assert results.SCRIPT in readout
    assert "step 7 (epoch 0, batch 7): origin, 3 of 1,280 elements, at most 128 ulp apart" in readout
    point_at(page, "fc.preact", 7).perform()
    assert "fc.preact" in text(page, "#readout")
    assert "equal bytes" in text(page, "#readout")

    assert not page.find_element(By.ID, "details").is_displayed()
    point_at(page, results.SCRIPT, 7).click().perform()
    assert f"{results.SCRIPT} at step 7 origin" in details(page)
    assert "in 2 steps of the run (from 7 to 50), at most 1,125,899,906,842,624 ulp apart" in details(page)
    assert "twin/a&b.py:7" in details(page)
    marked = [mark.text for mark in page.find_elements(By.CSS_SELECTOR, "#details mark")]
    assert marked == ["01111", "10000"]


def test_details_lead_to_other_cells(open_page: Open) -> None:
    page = open_page(results.red())
    point_at(page, results.SCRIPT, 50).click().perform()
    button = page.find_element(By.XPATH, "//div[@id='details']//button[contains(., 'adam.p')]")
    scroll_to(page, button)
    button.click()
    assert "adam.p at step 50 inherited" in details(page)
    button = page.find_element(By.XPATH, f"//div[@id='details']//button[contains(., '{results.SCRIPT}')]")
    button.click()
    page.find_element(By.XPATH, "//div[@id='details']//button[contains(., 'first origin: step 7')]").click()
    assert f"{results.SCRIPT} at step 7 origin" in details(page)


def test_text_from_outside_is_shown_as_text(open_page: Open) -> None:
    page = open_page(results.red())
    assert page.execute_script("return document.scripts.length") == 2
    assert page.execute_script("return document.querySelectorAll('main i:not([class]), main b b').length") == 0
    names = page.execute_script("return [...document.querySelectorAll('.tap')].map(e => e.textContent)")
    assert results.SCRIPT in names
    assert "a warning with <i>markup</i>" in page.find_element(By.CSS_SELECTOR, ".warnings").text
    assert "cotrain --again '<b>'" in page.find_element(By.CSS_SELECTOR, "#divergence .command").text
    page = open_page(results.structural())
    assert f"{results.SCRIPT}: float32[3]" in page.find_element(By.CSS_SELECTOR, ".aligned .unequal").text


def test_the_policy_lets_nothing_be_fetched(open_page: Open) -> None:
    page = open_page(results.green())
    blocked = page.execute_async_script(
        "const done = arguments[0];"
        "document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));"
        "const image = new Image(); image.src = 'http://127.0.0.1:9/x.png';"
    )
    assert blocked == "img-src"
    # The browser says so, too; what it logged is expected here.
    page.execute_script("performance.clearResourceTimings()")
    assert [entry["level"] for entry in page.get_log("browser")] == ["SEVERE"]
    assert any('"blockedReason":"csp"' in entry["message"] for entry in page.get_log("performance"))


def test_the_map_works_with_the_keyboard(open_page: Open) -> None:
    page = open_page(results.red())
    keys = lambda *pressed: ActionChains(page).send_keys(*pressed).perform()  # noqa: E731
    for _ in range(30):
        keys(Keys.TAB)
        if active(page) == "cells":
            break
    assert active(page) == "cells"
    outline = page.execute_script("return getComputedStyle(document.querySelector('.cells')).outline")
    assert "solid" in outline
    assert "2px" in outline
    keys("n")
    assert "step 50 (epoch 1, batch 4): origin" in text(page, "#live")
    keys("n")
    assert "No later difference" in text(page, "#live")
    keys("p", Keys.ARROW_RIGHT)
    assert "step 8 (epoch 0, batch 8): equal bytes" in text(page, "#live")
    keys(Keys.ARROW_DOWN, Keys.END)
    assert text(page, "#live").startswith("loss.mean, step 91")
    keys(Keys.ARROW_DOWN, Keys.HOME, "n")
    assert "adam.p, step 50" in text(page, "#live")
    keys("+", "+", "+")
    assert page.execute_script("return report.map.view.span") < 20
    assert page.execute_script("return report.map.view.from <= 50 && report.map.view.to >= 51")
    keys(Keys.ENTER)
    assert active(page) == "card details"
    assert "adam.p at step 50 inherited" in details(page)
    keys(Keys.ESCAPE)
    assert active(page) == "cells"
    assert not page.find_element(By.ID, "details").is_displayed()
    keys("0")
    assert page.execute_script("return report.map.view.span") == 92


def test_zooming_and_dragging(open_page: Open) -> None:
    page = open_page(results.red())
    view = lambda: page.execute_script("return [report.map.view.from, report.map.view.to]")  # noqa: E731
    canvas = page.find_element(By.CSS_SELECTOR, ".cells")
    strip = page.find_element(By.CSS_SELECTOR, ".strip")
    drag(page, strip, 200)
    begin, end = view()
    assert 10 < begin < end < 80
    drag(page, canvas, 100)
    assert view()[0] < begin
    assert view()[1] - view()[0] == pytest.approx(end - begin)
    assert not page.find_element(By.ID, "details").is_displayed()


def test_the_charts_read_with_the_keyboard(open_page: Open) -> None:
    page = open_page(results.red())
    chart = page.find_element(By.CSS_SELECTOR, "#series .chart")
    page.execute_script("arguments[0].focus()", chart)
    ActionChains(page).send_keys(Keys.HOME).perform()
    assert "step 0 reference 4 candidate 4" in " ".join(text(page, "#live").split())
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
    assert "step 1 reference 2" in " ".join(text(page, "#live").split())
    toggle = page.find_element(By.XPATH, "//div[@id='growth']//button[contains(., 'adam.p')]")
    scroll_to(page, toggle)
    toggle.click()
    assert toggle.get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("make", [results.green, results.red, results.stopped, results.structural, results.worst])
def test_a_phone_scrolls_in_one_direction(open_page: Open, make: Callable[[], Result]) -> None:
    page = open_page(make(), width=390, height=844)
    assert page.execute_script("return document.documentElement.scrollWidth") == 390
    assert page.execute_script("return document.body.scrollWidth") == 390


def test_dark_and_light(open_page: Open) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    cell = (
        "const {canvas, cells} = report.map, copy = document.createElement('canvas').getContext('2d');"
        "copy.drawImage(cells, canvas.left + 3, canvas.top + 3, 1, 1, 0, 0, 1, 1);"
        "return [...copy.getImageData(0, 0, 1, 1).data]"
    )
    page = open_page(results.red())
    light, light_cell = page.execute_script(ground), page.execute_script(cell)
    page = open_page(results.red(), dark=True)
    assert page.execute_script(ground) != light
    assert page.execute_script(cell) != light_cell
    theme = page.find_element(By.ID, "theme")
    assert theme.text == "Theme: system"
    theme.click()
    theme.click()
    assert theme.text == "Theme: light"
    assert page.execute_script(ground) == light
    assert page.execute_script(cell) == light_cell
    theme.click()


def test_a_table_sorts(open_page: Open) -> None:
    page = open_page(results.red())
    first = "return document.querySelector('#differences tbody th .tap').textContent"
    assert page.execute_script(first) == results.SCRIPT
    head = page.find_element(By.CSS_SELECTOR, "#differences thead tr:nth-child(2) th:nth-child(5) button")
    scroll_to(page, head)
    head.click()
    assert page.execute_script(first) == "adam.p"
    assert head.find_element(By.XPATH, "..").get_attribute("aria-sort") == "descending"
    head.click()
    assert page.execute_script(first) == results.SCRIPT


def test_the_page_has_the_numbers_of_the_run(open_page: Open) -> None:
    result = results.red()
    page = open_page(result)
    rows = page.execute_script(
        "return report.map.model.rows.map(r => [r.tap.name, [...r.kinds], [...r.elements], [...r.ulps]])"
    )
    for name, kinds, elements, ulps in rows:
        row = result.differences.row(name, result.steps)
        assert kinds == row.kinds.tolist()
        assert elements == row.elements.tolist()
        assert ulps == [float(ulp) for ulp in row.ulps]


def test_a_run_in_which_everything_differs(open_page: Open) -> None:
    page = open_page(results.worst())
    ActionChains(page).move_to_element(page.find_element(By.CSS_SELECTOR, ".cells")).perform()
    expected = results.worst().differences.row("layer3.some_operation", 4600)
    page.execute_script("report.map.go(3, 4321)")
    assert "layer3.some_operation = a * b + c · step 4321 (epoch 93, batch 43)" in text(page, "#readout")
    shown = page.execute_script("const row = report.map.model.rows[3]; return [row.elements[4321], row.ulps[4321]]")
    assert shown[0] == pytest.approx(int(expected.elements[4321]), rel=0.01)
    assert shown[1] == pytest.approx(int(expected.ulps[4321]), rel=0.01)


def test_a_green_run(open_page: Open) -> None:
    page = open_page(results.green())
    assert page.find_element(By.TAG_NAME, "h1").text == "identical"
    assert page.find_elements(By.ID, "map") == []
    table = page.find_element(By.CSS_SELECTOR, "#time table").text
    assert results.SCRIPT in table
    assert table.count("equal") == 4
    assert len(page.find_elements(By.CSS_SELECTOR, "#series canvas")) == 2
