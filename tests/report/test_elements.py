"""Tables of the report, and how they read on a phone."""

from __future__ import annotations

import pytest
from studio.browsing import Tab, driving

from mercer.report.elements import document, fact, section, table

LONG = "all of its 5 most similar samples are of another class"
TABLES = {
    "few columns": (["class", "samples", "share"], [["a", 165, "54.5 %"]], False),
    "many columns": (
        list("abcdef"),
        [["balanced accuracy", "0.918 ± 0.014", 1, 2, 3, "<b>"]],
        True,
    ),
    "narrow columns": (list("abcde"), [["165", "84.4 %", "0.85", "1", "1"]], False),
    "quartiles": (
        ["minimum", "lower quartile", "median", "upper quartile", "maximum"],
        [["2.33", "23.71", "34.445", "46.135", "82.6"]],
        True,
    ),
    "long text": (["row", "true", "predicted", "p(true)", "why"], [[1, "a", "b", 0.1, LONG]], True),
    "extra columns": ([*"abcdefgh"], [["0.123"] * 8], False),
}


@pytest.mark.parametrize("name", TABLES)
def test_cells_of_wide_tables_know_their_titles(name):
    header, rows, wide = TABLES[name]
    made = table(header, rows, extra=4 if name == "extra columns" else 0)
    assert ('class="stacked"' in made) == wide
    assert made.count("data-title=") == (len(header) if wide else 0)
    assert "<b>" not in made


def test_a_number_and_its_sign_stay_on_one_line():
    made = table(list("abcde"), [["80.3 % to 91.0 %", "5 % of all", "%", "a %", "1"]], numbers=(0,))
    assert ">80.3\xa0% to 91.0\xa0%<" in made and ">5\xa0% of all<" in made and ">a %<" in made
    assert "<b>91.7\xa0% ± 2.8</b>" in fact("91.7 % ± 2.8", "accuracy")


def test_titles_are_escaped():
    made = table(['"><script>', *"bcdef"], [["0.123456789"] * 6])
    assert "<script>" not in made and 'data-title="&quot;&gt;&lt;script&gt;"' in made


_WIDTHS = """
    const tables = [...document.querySelectorAll('.scroll')];
    const wide = tables.filter(e => e.scrollWidth > e.clientWidth);
    const sizes = [...document.querySelectorAll('td')].flatMap(
      e => [e, '::before'].map(f => parseFloat(getComputedStyle(e, f === e ? null : f).fontSize)));
    return [wide.length, Math.min(...sizes), document.documentElement.scrollWidth];
"""


def test_a_phone_shows_all_of_them(tmp_path):
    """No table is cut off at the right edge, and no text is smaller than 11 pixels."""
    rows = "".join(section(name, table(*each[:2])) for name, each in TABLES.items())
    page = tmp_path / "page.html"
    page.write_text(document("Tables", "for a phone", "", rows), encoding="utf-8")
    with driving(tmp_path) as driver:
        size = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(page.as_uri())
        cut, smallest, width = Tab(driver).run(_WIDTHS)
    assert cut == 0 and smallest >= 11.0 and width <= 390


def test_numbers_are_not_broken_into_lines():
    """Nor is a number of a column of words, unless it is too long for a line of a phone."""
    page = table(["fnlwgt", "note"], [["176711", "a word"], ["1" * 40, "-3.5e-07"]])
    assert '<td class="whole">176711</td>' in page and '<td class="whole">-3.5e-07</td>' in page
    assert f"<td>{'1' * 40}</td>" in page and "<td>a word</td>" in page
