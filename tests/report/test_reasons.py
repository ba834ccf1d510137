"""The reasons of a report are the largest contributions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mercer import (
    RBF,
    SVC,
    AutoClassifier,
    KernelNeighborsClassifier,
    KernelRidge,
    Spectrum,
    Subsequence,
    WeisfeilerLehman,
    explain,
)
from mercer.report.formatting import sample_text
from mercer.report.reasons import reasons

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.standard_normal((40, 3)), columns=["a", "b", "c"])


def test_columns():
    model = KernelRidge(0.1, kernel=RBF()).fit(TABLE, TABLE.a * 3.0)
    found = reasons(model, TABLE, np.array([2, 5]))
    values = explain(model, TABLE[2:3], background=TABLE).values[0]
    order = np.argsort(-np.abs(values))
    assert found[0] == ", ".join(f"{'abc'[j]} {values[j]:+.3g}" for j in order)
    assert len(found) == 2


def test_the_predicted_class_is_explained():
    labels = np.array(list("uvw"))[np.digitize(TABLE.a, [-0.5, 0.5])]
    model = AutoClassifier(time="fast").fit(TABLE, labels)
    found = reasons(model, TABLE, np.array([0, 1]))
    assert all(reason.split(" ")[0] in "abc" for reason in found)


def test_positions():
    texts = ["".join(RNG.choice(list("acgt"), 8)) for _ in range(20)]
    labels = ["ac" in text for text in texts]
    model = SVC(kernel=Spectrum(2)).fit(texts, labels)
    assert "(" in reasons(model, texts, np.array([0]))[0]
    other = SVC(kernel=Subsequence()).fit(texts, labels)
    assert reasons(other, texts, np.array([0])) == []


def test_parts_whose_labels_differ_need_no_positions():
    graphs = [([(0, 1)], ["C", "O"]), ([(0, 1)], ["C", "C"]), ([], ["O"]), ([], ["C"])]
    model = SVC(kernel=WeisfeilerLehman(1)).fit(graphs, [1, 0, 1, 0])
    found = reasons(model, graphs, np.array([0]))[0].split(", ")
    assert sorted(reason.rsplit(" ", 1)[0] for reason in found) == ["node 0", "node 1"]


def test_graphs_and_series_are_shown_by_their_sizes():
    graph = {"n_nodes": 3, "edges": np.array([[0, 1]])}
    assert sample_text(graph) == "3 nodes, 1 edges"
    labeled = sample_text({**graph, "node_labels": list("COC")})
    assert labeled == "3 nodes, 1 edges; labels 2 × C, 1 × O"
    assert sample_text(np.array([[0.5], [1.25]])) == "2 points: 0.5, 1.25"
    assert sample_text(np.zeros((4, 2))) == "4 points of 2 channels"
    assert len(sample_text(np.full((40, 1), -1.23456))) == 90
    assert sample_text("(S (NP she))") == "(S (NP she))"


def test_what_would_take_long_has_none():
    model = KernelNeighborsClassifier(kernel=RBF()).fit(TABLE, TABLE.a > 0)
    assert reasons(model, TABLE, np.array([0])) == []
    wide = RNG.standard_normal((20, 101))
    model = SVC(kernel=RBF()).fit(wide, wide[:, 0] > 0)
    assert reasons(model, wide, np.array([0])) == []
