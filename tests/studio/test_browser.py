"""The studio in a real browser: what people do with it, and no error on the console."""

from __future__ import annotations

import json
import re
import time

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra studio is not installed")

from studio.browsing import Tab, driving, serving

import mercer
from mercer.datasets import shipped
from mercer.studio.lessons.chapters import chapters
from mercer.studio.lessons.presets import PRESETS
from mercer.studio.wire import plain

_ASYNC = "const done = arguments[arguments.length - 1]; const [path, code] = arguments;"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """The driver, the address, the application and the folder of downloads."""
    downloads = tmp_path_factory.mktemp("downloads")
    with driving(downloads) as driver, serving() as (address, app):
        yield driver, address, app, downloads


@pytest.fixture
def page(browser):
    """The playground with its first lesson; the page of the test before, which takes seconds."""
    driver, address, *_ = browser
    tab = Tab(driver)
    if driver.current_url != address or tab.run("return innerWidth") != 1280:
        return tab.open(address)
    tab.click("#tab-play")
    tab.answered(lambda: tab.choose("#lesson", "refuted"))
    tab.answered(lambda: tab.choose("#lesson", "moons"))
    return tab


@pytest.fixture(autouse=True)
def quiet_console(browser):
    """Whatever is written to the console fails the test."""
    yield
    assert [entry["message"] for entry in browser[0].get_log("browser")] == []


def state(tab, name):
    """A value of the page's state."""
    script = (
        f"{_ASYNC} import(new URL('js/state.js', document.baseURI))"
        ".then((m) => done(JSON.stringify(m.state[path])))"
    )
    return json.loads(tab.driver.execute_async_script(script, name, ""))


def pixel(tab, at):
    """Where a point lies, from the middle of the canvas."""
    left, right, bottom, top = state(tab, "window")
    x, y, _ = state(tab, "points")[at]
    box = tab.find("#plane").size
    return (
        round(((x - left) / (right - left) - 0.5) * box["width"]),
        round((0.5 - (y - bottom) / (top - bottom)) * box["height"]),
    )


def test_the_page_shows_points_a_proof_and_every_view(page):
    assert "strictly positive definite" in page.text("#status")
    assert "Bochner" in page.text("#proof") and page.text("#expression-error") == ""
    assert "support vectors" in page.text("#facts")
    for canvas in ("#plane", "#gram", "#spectrum", "#components", "#draws"):
        assert len(page.pixels(canvas)) > 2000, canvas
    page.run("window.scrollTo(0, 0)")
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")


def test_a_point_is_dragged_added_and_erased(page):
    from selenium.webdriver.common.action_chains import ActionChains

    canvas = page.find("#plane")
    page.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
    before, picture, count = state(page, "points")[0], page.pixels("#plane"), 180
    x, y = pixel(page, 0)

    def drag():
        chain = ActionChains(page.driver).move_to_element_with_offset(canvas, x, y)
        chain.click_and_hold().move_by_offset(40, 30).release().perform()

    page.answered(drag)
    after = state(page, "points")[0]
    assert after[0] > before[0] and after[1] < before[1] and after[2] == before[2]
    assert page.pixels("#plane") != picture and len(state(page, "points")) == count
    page.click(".swatch:nth-child(2)")
    page.answered(
        lambda: (
            ActionChains(page.driver).move_to_element_with_offset(canvas, 5, 150).click().perform()
        )
    )
    assert len(state(page, "points")) == count + 1 and state(page, "points")[-1][2] == 1
    page.answered(lambda: page.click("#tools > button:nth-last-child(2)"))
    assert len(state(page, "points")) == count


def test_points_are_drawn_with_the_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    count = len(state(page, "points"))
    page.run("document.querySelector('#plane').focus()")
    keys = page.driver.switch_to.active_element
    page.answered(lambda: keys.send_keys("2", Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ENTER))
    assert len(state(page, "points")) == count + 1 and state(page, "points")[-1][2] == 1
    assert "Point added" in page.text("#announcer")
    page.answered(lambda: keys.send_keys(Keys.DELETE))
    assert len(state(page, "points")) == count


def test_a_slider_changes_kernel_and_picture(page):
    picture = page.pixels("#plane")
    slider = page.find("#builder .leaf input[type=range]")
    script = "arguments[0].value = 300; arguments[0].dispatchEvent(new Event('input'))"
    page.answered(lambda: page.run(script, slider))
    kernel = mercer.parse(page.run("return document.querySelector('#expression').value"))
    assert kernel.length_scale > 1 and page.pixels("#plane") != picture


def test_the_proof_changes_with_the_kernel(page):
    page.answered(lambda: page.type("#expression", "RBF() * Linear() + Periodic()"))
    assert (
        "Schur product" in page.text("#proof")
        and len(page.driver.find_elements("css selector", ".term")) == 2
    )
    page.answered(lambda: page.type("#expression", "Sigmoid()"))
    assert "not positive semi-definite" in page.text("#status")
    assert "cᵀKc = " in page.text("#proof") and "needs" in page.text("#plane-note")
    page.type("#expression", "__import__('os').system('ls')")
    page.until(lambda: "cannot be called" in page.text("#expression-error"))
    assert page.find("#expression").get_attribute("aria-invalid") == "true"
    page.answered(lambda: page.type("#expression", "RBF(length_scale=0.6)"))
    assert page.text("#expression-error") == "" or not page.find("#expression-error").is_displayed()


def test_blocks_are_dragged(page):
    """A chip onto a term multiplies, below the terms it adds; the events are those of a mouse."""
    drag = """
        const [from, to] = [...arguments].map((selector) => document.querySelector(selector));
        const options = { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() };
        for (const [target, kind] of [[from, 'dragstart'], [to, 'dragover'], [to, 'drop']])
          target.dispatchEvent(new DragEvent(kind, options));
    """
    page.answered(lambda: page.run(drag, "#palette .chip:nth-child(2)", ".term"))
    assert state(page, "kernel") == "RBF(length_scale=0.6) * Linear()"
    page.answered(lambda: page.run(drag, "#palette .chip:nth-child(1)", "#builder .drop"))
    assert state(page, "kernel") == "RBF(length_scale=0.6) * Linear() + RBF()"
    page.answered(lambda: page.run(drag, "[data-term='1']", "[data-term='0']"))
    assert state(page, "kernel") == "RBF(length_scale=0.6) * Linear() * RBF()"


def test_blocks_are_added_and_removed(page):
    page.answered(lambda: page.click("#palette .chip:nth-child(2)"))
    assert (
        page.run("return document.querySelector('#expression').value")
        == "RBF(length_scale=0.6) + Linear()"
    )
    page.click("#palette .segmented button:nth-child(2)")
    page.answered(lambda: page.click("#palette .chip:nth-child(3)"))
    text = page.run("return document.querySelector('#expression').value")
    assert text == "RBF(length_scale=0.6) + Linear() * Polynomial(degree=2)"
    page.answered(lambda: page.click("[aria-label='remove Polynomial']"))
    page.answered(lambda: page.click("[aria-label='remove Linear']"))
    assert page.run("return document.querySelector('#expression').value") == "RBF(length_scale=0.6)"


def test_the_page_prints_blocks_as_mercer_reads_them(page):
    """The printer of the page against the parser of the library."""
    from mercer.studio.kernel.blocks import read

    texts = [variant[1] for preset in PRESETS.values() for variant in preset.variants]
    texts = [text for text in texts if "club" not in text] + [
        "RBF() - 0.5 * Linear()",
        "(RBF() + Linear())**2 * Constant(3.0)",
        "-RBF()",
        "0.25 * (RBF() + 2.0 * Linear()).normalize()",
        "(RBF() * Linear()).exp()",
        "RBF(length_scale=[1.0, 2.0])",
        "Signature(levels=3, static=RBF(length_scale=0.5) + Linear())",
        "2.0 * (RBF() @ squash)",
    ]
    blocks = plain([read(text)[1] for text in texts])
    script = (
        f"{_ASYNC} import(new URL('js/expression.js', document.baseURI))"
        ".then((m) => done(path.map((block) => m.print(block))))"
    )
    for text, printed in zip(
        texts, page.driver.execute_async_script(script, blocks, ""), strict=True
    ):
        assert mercer.parse(printed) == mercer.parse(text), (text, printed)


def test_learners_are_switched_and_stepped_through(page):
    before = page.pixels("#plane")
    page.answered(lambda: page.choose("#learner", "KernelLogisticRegression"))
    assert page.pixels("#plane") != before and "training accuracy" in page.text("#facts")
    page.answered(lambda: page.choose("#learner", "SVC"))
    page.click("#steps-start")
    page.until(lambda: "iteration" in page.text("#steps-text"))
    page.click("#steps-end")
    assert not page.find("#steps-bar").is_displayed()


def test_nothing_of_another_learner_stays_in_the_picture(page):
    """A learner that fails, then one without support vectors: neither leaves a trace."""
    assert len(_answer(page, "support")) > 0
    page.answered(lambda: page.choose("#learner", "KernelDensity"))
    assert _answer(page, "support") is None
    page.answered(lambda: page.choose("#learner", "SVC"))
    page.run("document.querySelector('#tools > button:last-child').click()")
    page.until(lambda: page.find("#plane-note").is_displayed())
    page.answered(lambda: page.click("#tools > button:nth-last-child(2)"))
    assert not page.find("#plane-note").is_displayed() and len(_answer(page, "support")) > 0
    page.answered(lambda: page.type("#expression", "NegativeDistance()"))
    page.answered(lambda: page.choose("#learner", "GaussianProcessClassifier"))
    assert page.find("#plane-note").is_displayed() and _answer(page, "surface") is None
    assert not page.find("#draws").is_displayed()
    page.answered(lambda: page.choose("#learner", "SVC"))
    assert not page.find("#plane-note").is_displayed() and "accuracy" in page.text("#facts")


def _answer(page, name):
    """A part of the last answer as a list, or None if it has none."""
    script = (
        f"{_ASYNC} import(new URL('js/state.js', document.baseURI))"
        ".then((m) => done(m.state.answer[path] ? [...m.state.answer[path]] : null))"
    )
    return page.driver.execute_async_script(script, name, "")


def test_samples_are_ordered_by_what_they_have(page):
    def orders(lesson):
        page.answered(lambda: page.choose("#lesson", lesson))
        buttons = page.driver.find_elements("css selector", "#gram-order button")
        return [button.text for button in buttons]

    assert orders("sinc") == ["position", "component", "as drawn"]
    assert orders("diabetes") == ["value", "component", "as drawn"]
    assert orders("novelty") == ["component", "as drawn"]
    assert orders("moons") == ["class", "component", "as drawn"]
    assert orders("headlines") == ["class", "component", "as given"]
    legend = [item.text for item in page.driver.find_elements("css selector", ".legend li")]
    assert legend == ["grain", "oil"]


def test_formulas_of_the_chapters_are_typeset(page):
    """No chapter leaves a command of TeX, a dollar sign or a star in its text."""
    texts = {name: path.read_text("utf-8") for name, path in chapters().items()}
    script = (
        f"{_ASYNC} import(new URL('js/chapter.js', document.baseURI)).then((m) => done("
        "path.map((text) => { const box = document.createElement('div');"
        "box.append(...m.render(text));"
        "for (const code of box.querySelectorAll('code, pre')) code.remove();"
        "return [box.textContent, ...['math', 'mfrac > mn'].map("
        "(part) => box.querySelectorAll(part).length)]; })))"
    )
    *shown, half = page.driver.execute_async_script(script, [*texts.values(), r"$\tfrac12n$"], "")
    assert half == ["12n", 1, 2]
    for name, (text, count, _) in zip(texts, shown, strict=True):
        assert re.findall(r"\\[a-zA-Z]+|\$", text) == [] and count >= 20 * (name == "learners")


def test_two_kernels_are_compared(page):
    page.type("#other", "Linear()")
    page.click("#compare-run")
    page.until(lambda: "alignment" in page.text("#compare-result"))
    assert "A is better" in page.text("#compare-result") or "within the noise" in page.text(
        "#compare-result"
    )


def test_samples_of_other_kinds_show_a_map_with_names(page):
    from selenium.webdriver.common.action_chains import ActionChains

    page.answered(lambda: page.choose("#lesson", "headlines"))
    assert "Spectrum" in page.run("return document.querySelector('#expression').value")
    canvas = page.find("#plane")
    page.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
    for x in range(-120, 140, 12):  # over the map until a sample is met
        ActionChains(page.driver).move_to_element_with_offset(canvas, x, x // 3).perform()
        if state(page, "focus") is not None:
            break
    page.settle()
    rows = page.driver.find_elements("css selector", "#neighbors tbody tr")
    assert state(page, "focus") is None or len(rows) == 6


def test_a_gaussian_process_is_drawn_and_learns(page):
    page.answered(lambda: page.choose("#lesson", "process"))
    page.click("#draws-choice button:nth-child(2)")
    assert "given the points" in page.text("#draws-facts")
    page.click("#steps-start")
    page.until(lambda: "log marginal likelihood" in page.text("#steps-text"))
    page.run(
        "const r = document.querySelector('#steps-range'); r.value = r.max;"
        "r.dispatchEvent(new Event('input'))"
    )
    page.answered(lambda: page.click("#steps-take"))
    learned = mercer.parse(page.run("return document.querySelector('#expression').value"))
    assert learned.length_scale > 0.4


def test_the_program_is_copied(page):
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click("#copy-python")
    assert "import RBF, SVC" in page.until(lambda: page.run("return window.copied"))


def test_the_report_of_the_playground_is_saved(page, browser):
    page.answered(lambda: page.choose("#lesson", "process"))
    page.click("#export-report")
    file = browser[3] / "mercer-studio.html"
    page.until(file.exists)
    time.sleep(0.2)
    text = file.read_text("utf-8")
    assert "GaussianProcessRegressor" in text and "data:image/png" in text and "Bochner" in text


def test_a_table_is_uploaded_fitted_asked_and_exported(page, browser):
    page.click("#tab-data")
    page.find("#file").send_keys(str(shipped()["house_votes"]))
    page.until(lambda: "435 rows" in page.text("#file-name"))
    page.choose("#target", "Class")
    for box in page.driver.find_elements("css selector", "#columns input")[4:]:
        page.run("arguments[0].click()", box)
    page.type("#fit-kernel", "MissingAware(Overlap())")
    page.choose("#fit-learner", "ridge")
    page.click("#fit-run")
    page.until(page.find("#results").is_displayed)
    assert "democrat" in page.text("#confusion") and "%" in page.text("#models")
    page.click("#confusion td.wrong button")
    assert "democrat as republican" in page.text("#hardest-title")
    page.until(page.find("#ask-card").is_displayed)
    page.until(lambda: "democrat" in page.text("#answer"))
    first = page.text("#answer .prediction")
    for at in range(4):
        select = page.find(f"#column-{at}")
        page.run("arguments[0].selectedIndex = 1 - arguments[0].selectedIndex", select)
    page.click("#ask-run")
    page.until(lambda: page.text("#answer .prediction") != first)
    page.click("#save-report")
    report = browser[3] / "mercer-report-1.html"
    page.until(report.exists)
    page.click("#save-model")
    model = browser[3] / "model-1.mercer"
    page.until(model.exists)
    assert mercer.load(model).classes_.tolist() == ["democrat", "republican"]
    assert "Predictive performance" in report.read_text("utf-8")


def test_the_phone_has_no_sideways_scrolling_and_the_theme_changes(browser):
    driver, address, *_ = browser
    tab = Tab(driver).open(address, 390, 844)
    assert tab.run("return document.documentElement.scrollWidth <= innerWidth")
    small = tab.run(
        "return [...document.querySelectorAll('*')].filter((e) => e.offsetParent"
        " && e.childNodes.length && parseFloat(getComputedStyle(e).fontSize) < 11)"
        ".map((e) => e.className)"
    )
    assert small == []
    light = tab.run("return getComputedStyle(document.body).backgroundColor")
    for _ in range(2):
        tab.click("#theme")
    dark = tab.run("return getComputedStyle(document.body).backgroundColor")
    assert light != dark
    tab.click("#theme")


def test_every_control_has_a_name(page):
    nameless = page.run(
        "return [...document.querySelectorAll('button, input, select, textarea, canvas, a')]"
        ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length"
        " || e.getAttribute('aria-labelledby') || e.title)).map((e) => e.outerHTML.slice(0, 80))"
    )
    assert nameless == []


def test_closing_the_page_ends_its_processes(page, browser):
    driver, _, app, _ = browser
    tabs = app.state.tabs
    tab = next(iter(tabs.open.values()))
    process, folder = tab.worker.process, tab.folder
    driver.get("about:blank")
    end = time.monotonic() + 60
    while time.monotonic() < end and (tabs.open or process.returncode is None):
        time.sleep(0.05)
    assert not tabs.open and process.returncode is not None and not folder.exists()
    assert np.isfinite(process.returncode)
