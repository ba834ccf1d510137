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
    explain,
)
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


def test_what_would_take_long_has_none():
    model = KernelNeighborsClassifier(kernel=RBF()).fit(TABLE, TABLE.a > 0)
    assert reasons(model, TABLE, np.array([0])) == []
    wide = RNG.standard_normal((20, 101))
    model = SVC(kernel=RBF()).fit(wide, wide[:, 0] > 0)
    assert reasons(model, wide, np.array([0])) == []
