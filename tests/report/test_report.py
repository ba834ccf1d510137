"""A report is one file that asks for nothing, and shows the data's texts as texts."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import os
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer.automatic.studies.effort import Effort
from mercer.automatic.study import study
from mercer.readers import Source
from mercer.report import write_report

rng = np.random.default_rng(0)
N = 40
EVIL, WORSE, MATHS = "<script>alert(1)</script>", '"><img src=x>', "$\\frac{$"
VOID = {"meta", "img", "br", "link", "input", "hr"}


def source_of(kind: str) -> tuple[Source, str | None]:
    a, b = rng.standard_normal((2, N))
    side = np.where(a > 0, EVIL, WORSE)
    match kind:
        case "classes":
            return Source(
                "table",
                pd.DataFrame({EVIL: a, WORSE: b, MATHS: np.where(b > 0, MATHS, EVIL), "y": side}),
                None,
                [],
                None,
                EVIL,
            ), "y"
        case "plane":
            return Source(
                "table", pd.DataFrame({"a": a, "b": b, WORSE: side}), None, [], None, "told"
            ), WORSE
        case "numbers":
            return Source(
                "table", pd.DataFrame({MATHS: a, "b": b, EVIL: 2 * a + b}), None, [], None, "told"
            ), EVIL
        case "sequences":
            texts = ["".join(rng.choice(list("acgt" if v > 0 else "aacg"), 20)) for v in a]
            return Source("sequences", texts, side, [], None, "told"), None
    return Source(
        "vectors",
        sp.csr_matrix(rng.random((N, 6)) * (rng.random((N, 6)) > 0.5)),
        np.where(a > 0, 1.0, -1.0),
        [],
        None,
        "told",
    ), None


KINDS = ("classes", "plane", "numbers", "sequences", "vectors")


@pytest.fixture(scope="module")
def studies():
    made = {}
    for kind in KINDS:
        source, target = source_of(kind)
        made[kind] = study(
            source, target, learner="svc" if kind == "plane" else "ridge", cv=2, repeats=1
        )
    return made


@pytest.fixture(scope="module")
def pages(studies, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    return {
        kind: write_report(
            made, folder / f"{kind}.html", command="mercer fit some.csv", memory=1e9
        ).read_text()
        for kind, made in studies.items()
    }


@pytest.fixture
def _undrawn(monkeypatch):
    """Pictures take time, and not every test looks at them."""
    monkeypatch.setattr("mercer.report.page.pictures", lambda study: [])


class Reader(HTMLParser):
    """Tags, attributes and texts; tags must close in the order in which they opened."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[tuple[str, str, str]] = []
        self.ids: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.values += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_comes_from_elsewhere_and_nothing_runs(pages, kind):
    found = Reader(pages[kind])
    assert not {"script", "iframe", "object", "embed", "link", "form", "base"} & set(found.tags)
    for tag, name, value in found.values:
        assert not name.startswith("on"), (tag, name)
        if name in ("src", "href", "srcset", "action", "data"):
            assert value.startswith(("data:image/svg+xml;base64,", "#")), (tag, name, value[:60])
    assert (
        "default-src 'none'" in pages[kind]
        and "url(" not in pages[kind]
        and "@import" not in pages[kind]
    )
    for picture in re.findall(r"base64,([A-Za-z0-9+/=]+)", pages[kind]):
        drawn = base64.b64decode(picture).decode()
        assert "<script" not in drawn.lower() and not re.search(r'href="(?!#|data:)', drawn)


@pytest.mark.parametrize("kind", KINDS)
def test_all_sections_are_there(pages, kind):
    found = Reader(pages[kind])
    assert {"error", "pictures", "kernel", "examples", "data", "again"} <= set(found.ids) and len(
        set(found.ids)
    ) == len(found.ids)
    links = {value[1:] for tag, name, value in found.values if (tag, name) == ("a", "href")}
    assert links and links <= set(found.ids)
    expected = {"gram", "spectrum", "components", "typical", "tried", "space"} | (
        {"residuals", "trend", "spread"}
        if kind == "numbers"
        else {"confusion", "roc", "precision_recall", "calibration", "classes"}
    )
    assert expected <= set(found.ids) and ("surface" in found.ids) is (kind in ("plane", "numbers"))
    assert ("contributions" in found.ids) is (kind in ("classes", "plane", "numbers"))
    for text in (
        "Predictive performance",
        "Is it positive semi-definite?",
        "Model selection",
        "Samples predicted worst",
        "The data",
        "Reproduce",
        "choosing and fitting the model",
    ):
        assert text in found.text
    assert (
        "mercer fit some.csv" in found.text
        and "is positive semi-definite"
        in found.text.replace("strictly positive definite", "positive semi-definite")
    )
    assert ("Support vectors" in found.text) is (kind == "plane")
    assert "nan" not in found.text.lower()


def test_texts_of_the_data_are_shown_as_they_are(pages):
    found = Reader(pages["classes"])
    for text in (EVIL, WORSE, MATHS):
        assert text in found.text
    assert "img src=x" not in re.sub(r"&[a-z]+;img src=x&[a-z]+;", "", pages["classes"])
    assert EVIL in Reader(pages["numbers"]).text and f"{EVIL}</" not in pages["numbers"]


def test_paper_has_no_room_for_all_columns_of_the_samples_predicted_worst(pages):
    worst = pages["classes"].partition('id="examples"')[2]
    header = worst[: worst.index("</thead>")]
    assert "largest contributions" in header and 'class="extra"' in header
    assert ".extra { display: none; }" in pages["classes"].partition("@media print")[2]


def test_figures_are_those_of_the_study(pages, studies):
    made = studies["classes"]
    score = f"{100 * made.assessment.mean:.1f}\xa0% ± {100 * made.assessment.error:.1f}"
    assert score in pages["classes"]
    assert (
        f"{studies['numbers'].assessment.mean:.3f} ± {studies['numbers'].assessment.error:.3f}"
        in pages["numbers"]
    )


@pytest.mark.parametrize("kind", [pytest.param("classes", marks=pytest.mark.slow), "numbers"])
def test_the_same_study_has_the_same_bytes(studies, pages, kind, tmp_path):
    source, target = studies[kind].source, studies[kind].question.target
    again = study(source, target, learner="ridge", cv=2, repeats=1)
    again = dataclasses.replace(again, seconds=studies[kind].seconds)
    assert (
        write_report(
            again, tmp_path / "again.html", command="mercer fit some.csv", memory=1e9
        ).read_text()
        == pages[kind]
    )


def test_a_study_without_contributions_and_much_else(studies, tmp_path):
    bare = dataclasses.replace(
        studies["classes"], contributions=[], shares=[], curve=[], hardest=[], columns=[], notes=[]
    )
    found = Reader(write_report(bare, tmp_path / "bare.html").read_text())
    assert "contributions" not in found.ids and "learning" not in found.ids and "error" in found.ids
    assert {value[1:] for tag, name, value in found.values if (tag, name) == ("a", "href")} <= set(
        found.ids
    )


@pytest.mark.usefixtures("_undrawn")
def test_it_is_written_whole_or_not_at_all(studies, tmp_path, monkeypatch):
    target = tmp_path / "some.html"
    target.write_text("old")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_report(studies["classes"], target)
    monkeypatch.undo()
    assert target.read_text() == "old" and [file.name for file in tmp_path.iterdir()] == [
        "some.html"
    ]


@pytest.mark.usefixtures("_undrawn")
def test_checksums_of_the_data(studies, tmp_path):
    file = tmp_path / "x<y.csv"
    file.write_bytes(b"a,b\n")
    page = write_report(
        studies["sequences"], tmp_path / "r.html", files=[file, tmp_path / "gone.csv"]
    ).read_text()
    assert (
        "SHA-256 of x&lt;y.csv" in page
        and hashlib.sha256(b"a,b\n").hexdigest() in page
        and "of gone.csv</td>" not in page
    )
    assert "label from x&lt;y.csv, gone.csv</h1>" in page


@pytest.mark.parametrize("learner", ["ridge", "gp", "svr"])
def test_errors_of_a_regression_are_those_of_the_target(tmp_path, learner):
    """In one unit all over the page: 1,024 times the target makes 2²⁰ times the squared errors."""
    tables = []
    a, b, noise = np.random.default_rng(0).standard_normal((3, N))
    for factor in (1.0, 1024.0):
        frame = pd.DataFrame({"a": a, "b": b, "y": factor * (np.sin(a) + 0.3 * b + noise)})
        source = Source("table", frame, None, [], None, "told")
        result = study(source, "y", learner=learner, cv=2, repeats=1, explain_columns=False)
        page = write_report(result, tmp_path / "r.html").read_text()
        section = page.partition("<h2>Model selection</h2>")[2].partition("</section>")[0]
        losses = re.findall(r'<tr><td class="number">([^<]*)</td>', section)
        tables.append(np.array(losses, dtype=float))
        assert "standardized target" in section
    small, large = tables
    if learner == "gp":
        np.testing.assert_allclose(large - small, np.log(1024.0), atol=2e-3)
    else:
        np.testing.assert_allclose(large, 2.0**20 * small, rtol=2e-3)
        if learner == "ridge":  # leave-one-out, and one repeat of two folds: of the same size
            assert 0.2 < large[0] / result.root_mean_squared_error**2 < 2.0


@pytest.mark.usefixtures("_undrawn")
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_measured_coverage_stands_beside_the_one_asked_for(tmp_path, kind):
    source, target = source_of(kind)
    result = study(source, target, effort=Effort(folds=2, quick=True), explain_columns=False)
    page = write_report(result, tmp_path / "page.html").read_text()
    what = "intervals" if kind == "numbers" else "sets"
    section = page.partition("<h2>Predictive performance</h2>")[2].partition("</section>")[0]
    assert f"{what} asked to hold 90 % hold" in section
    assert f"of {N} held-out targets" in section and "measured, not guaranteed" in section
