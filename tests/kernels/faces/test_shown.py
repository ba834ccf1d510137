"""What notebooks show: valid HTML, without anything of the data being taken for markup."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import mercer
from mercer import RBF, SVC, KernelPCA, Linear, Sigmoid
from mercer.errors import ParameterError
from mercer.kernels import catalogue
from mercer.kernels.faces.table import kernel_names

_VOID = {"img", "br", "hr", "input", "meta", "link"}


class Tags(HTMLParser):
    """Notes tags that are not closed, and text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.seen = [], "", []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


@pytest.mark.parametrize("name", catalogue())
def test_every_kernel_is_shown(name):
    k = catalogue()[name].examples()[0]
    page = read(k._repr_html_())
    assert mercer.markup.shortened(repr(k)) in page.text
    assert k._repr_latex_() in page.text
    assert "definite" in page.text


def test_names_of_columns_are_text():
    page = read(Linear().on(["<script>alert(1)</script>"])._repr_html_())
    assert "script" not in page.seen
    proof = read(Linear().on(["<b>"]).certificate()._repr_html_())
    assert "b" not in proof.seen and "<b>" in proof.text


def test_a_proof_is_a_tree_that_folds():
    certificate = ((RBF() + Linear()) * RBF() + 2.0 * (Linear() * Linear())).certificate()
    html = certificate._repr_html_()
    page = read(html)
    nodes = str(certificate).count("\n") + 1
    assert page.seen.count("details") == str(certificate).count(" by ") > 5 < nodes
    assert html.count("<details open>") < html.count("<details")
    refuted = read(Sigmoid().certificate()._repr_html_())
    assert "INDEFINITE" in refuted.text and "witness: x = ([0.1], [2.0])" in refuted.text


@pytest.mark.parametrize("shape", [(3, 3), (300, 2), (1, 1), (500, 500)])
def test_a_gram_matrix_is_shown_with_a_thumbnail(shape, rng):
    X, Y = rng.standard_normal((shape[0], 2)), rng.standard_normal((shape[1], 2))
    K = RBF().gram(X, Y)
    page = read(K._repr_html_())
    assert "img" in page.seen
    assert f"{shape[0]:,} × {shape[1]:,}" in page.text
    assert K.plan in page.text


def test_nothing_large_is_computed_for_a_thumbnail(rng, monkeypatch):
    K = RBF().gram(rng.standard_normal((4000, 2)))
    with mercer.config_context(memory_budget="1 MB"):
        K._repr_html_()  # a dense matrix would have 128 MB


def test_pixels_are_those_of_the_matrix():
    matplotlib = pytest.importorskip("matplotlib.image")
    import io

    matrix = np.array([[0.0, 1.0, np.nan], [0.5, 0.25, 0.75]])
    pixels = matplotlib.imread(io.BytesIO(mercer.markup.png(matrix)), format="png")[..., :3]
    shown = (255 * pixels).round().astype(int)
    assert shown.shape == (2, 3, 3)
    assert shown[0, 0].tolist() == [38, 24, 82] and shown[0, 1].tolist() == [250, 219, 128]
    assert shown[0, 2].tolist() == [0, 0, 0] and shown[1, 0].tolist() == [178, 62, 108]
    assert mercer.markup.png(np.zeros((2, 2)))[:4] == b"\x89PNG"


def test_fitted_models_show_kernel_and_report(rng):
    X = rng.standard_normal((40, 2))
    model = SVC(kernel=RBF(2.0))
    before = model._repr_html_()
    model.fit(X, X[:, 0] > 0)
    after = model._repr_html_()
    for part in ("RBF(length_scale=2.0)", "support vectors", "dense Gram matrix"):
        assert part in after
    assert "support vectors" not in before
    assert "support vectors" in model._repr_mimebundle_()["text/html"]
    assert "components" in KernelPCA(2, kernel=RBF()).fit(X)._repr_html_()


def test_the_report_of_a_fit_is_a_table(rng):
    X = rng.standard_normal((40, 2))
    report = SVC(kernel=RBF()).fit(X, X[:, 0] > 0).report_
    page = read(report._repr_html_())
    assert "table" in page.seen and "kernel" in page.text and "solver" in page.text


def test_the_table_of_kernels():
    table = mercer.kernels_table()
    assert [entry.name for entry in table] == kernel_names() and len(table) > 90
    page = read(table._repr_html_())
    assert "GappedKmer" in page.text and page.seen.count("details") == len(table.kinds())
    assert all(entry.samples == "strings" for entry in mercer.kernels_table("strings"))
    assert "RBF" in repr(table)
    with pytest.raises(ParameterError, match="is not a kind of samples"):
        mercer.kernels_table("sounds")
