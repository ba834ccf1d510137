"""Kernels as lines: nothing of them is left out."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from mercer import RBF, AutoRegressor, Laplacian, Limit, Linear, Periodic, Warp, parse, squash
from mercer.automatic.tabular.scores import TableScores
from mercer.proposals.tables import read_columns
from mercer.report.sections.model import _different
from mercer.report.terms import scale_text, term_lines


def test_lines_joined_are_the_kernel():
    kernels = (
        RBF(2.0) + 0.5 * Linear() + Periodic() * RBF(),
        (RBF() + Linear()).on(["a"]) * Periodic(3.0).on(["b"]),
        (RBF() + Linear()) * Periodic(3.0),
        0.5 * RBF(),
        RBF(length_scale=[1.0] * 40),
    )
    for kernel in kernels:
        lines = term_lines(kernel)
        assert repr(parse(" ".join(lines))) == repr(kernel)
    assert len(term_lines(kernels[0])) == 3


def test_a_limit_is_no_product():
    kernel = Limit(RBF(2.0), RBF(4.0))
    assert term_lines(kernel) == [repr(kernel)]
    assert term_lines(Linear() + kernel) == ["Linear()", f"+ {kernel!r}"]


def test_names_of_fitted_maps_are_read_without_their_marks():
    rows = np.random.default_rng(0).standard_normal((30, 2))
    kernel = 0.5 * RBF().on(["sales_20240101"]) + (RBF() @ squash.fit(rows)).normalize()
    assert re.search(r"_[0-9a-f]{8}\b", repr(kernel))
    assert " ".join(term_lines(kernel)).count("_") == 1
    assert "sales_20240101" in term_lines(kernel)[0]


def test_length_scales_have_the_names_of_their_columns():
    assert scale_text(["a", "a", "b"], [2.0, 2.0, 0.51234]) == "length scales: b 0.512; a 2"
    assert scale_text(["a", "b", "c"], [2.0, 1.0, 2.0]) == "length scales: b 1; a, c 2"
    assert scale_text(["a", "b"], 3.0) == "length scale 3: a, b"


def test_a_learned_kernel_of_a_table_names_every_column_in_every_term():
    rng = np.random.default_rng(0)
    table = {"age": rng.random(60), "pay": rng.random(60), "city": rng.choice(["x", "y"], 60)}
    frame = pd.DataFrame(table)
    model = AutoRegressor(random_state=0).fit(frame, frame["age"])
    for line in term_lines(model.kernel_):
        assert all(name in line for name in table)
        assert "length scale" in line


def test_products_name_their_columns():
    kernel = RBF(2.0).on([0]) * RBF(3.0).on([1])
    named = "(RBF of columns, length scale 2: age) * (RBF of columns, length scale 3: dose)"
    assert term_lines(0.5 * kernel + Linear(), ["age", "dose"]) == [f"0.5 * {named}", "+ Linear()"]
    frame = pd.DataFrame({"age": np.arange(9.0), "dose": np.arange(9.0) ** 2})
    scores = TableScores(read_columns(frame), (), "squash").fit(frame)
    assert term_lines(Warp(0.5 * kernel, scores)) == [
        f"0.5 * {named.replace('columns', 'scaled columns')}"
    ]


def test_parts_of_a_learned_sum_name_their_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"ca": rng.random(40), "cp": rng.choice(list("xyz"), 40)})
    frame.loc[:5, "ca"] = np.nan
    scores = TableScores(read_columns(frame), (), "squash").fit(frame)
    assert scores.titles == ["ca", "ca missing", "cp", "cp", "cp"]
    parts = Laplacian(length_scale=[5.0, 9.0, 2.0, 2.0, 2.0]) * 0.25 + Laplacian(3.0).on([2, 3, 4])
    lines = term_lines(0.5 * Warp(parts, scores) + 1 / 3 * RBF())
    assert lines == [
        "0.125 * Laplacian of scaled columns, length scales: cp 2; ca 5; ca missing 9",
        "+ 0.5 * Laplacian of scaled columns, length scale 3: cp",
        "+ 0.3333 * RBF()",
    ]


def test_shortened_texts_of_candidates_stay_different():
    texts = [f"{'a' * 60} {end} {'b' * 60}" for end in ("first", "second")]
    assert _different(texts) == texts
    assert _different([texts[0], texts[0]]) != [texts[0]] * 2
