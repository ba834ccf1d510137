"""What a model rests on, by definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer import RBF, SVC, AutoClassifier, AutoRegressor, KernelRidge, Linear
from mercer.automatic import Assessment, assess
from mercer.automatic.explanations import (
    column_contributions,
    hardest,
    importance_metric,
    learning_curve,
    term_shares,
)
from mercer.automatic.learners import LEARNERS

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.standard_normal((60, 3)), columns=["a", "b", "c"])
Y = X["a"].to_numpy() + 0.3 * rng.standard_normal(60)


def test_shares_are_of_the_squared_norm():
    kernel = RBF(length_scale=2.0) + (0.5 * Linear() + RBF(length_scale=0.5))
    model = KernelRidge(kernel=kernel).fit(X, Y)
    c = np.ravel(model.dual_coef_)
    parts = [
        c @ term(X.to_numpy()) @ c
        for term in (RBF(length_scale=2.0), 0.5 * Linear(), RBF(length_scale=0.5))
    ]
    shares = term_shares(model)
    assert [name for name, _ in shares] == [
        "RBF(length_scale=2.0)",
        "0.5 * Linear()",
        "RBF(length_scale=0.5)",
    ]
    np.testing.assert_allclose([share for _, share in shares], np.array(parts) / sum(parts))
    machine = SVC(kernel=kernel).fit(X, np.digitize(Y, [-0.5, 0.5]))
    assert sum(share for _, share in term_shares(machine)) == pytest.approx(1.0)
    assert term_shares(KernelRidge(kernel=RBF()).fit(X, Y)) == []


def test_only_columns_that_are_used_contribute():
    kernel = Linear().on(["a", "b"])
    found = assess(AutoRegressor(kernel), X, Y, cv=3, repeats=1)
    made = {one.column: one for one in column_contributions(found, X, Y)}
    assert (
        list(made)[0] == "a" and made["a"].drop > 1.0 and made["c"].drop == made["c"].error == 0.0
    )
    again = column_contributions(found, X, Y)
    assert again == list(made.values())
    assert (
        column_contributions(found, X, Y, most=2) == []
        and column_contributions(found, X.to_numpy(), Y) == []
    )


def test_columns_are_compared_by_the_auc_where_the_accuracy_is_that_of_a_constant():
    """One class in four: the probabilities order the samples, and few of them pass one half."""
    draws = np.random.default_rng(1)
    frame = pd.DataFrame(draws.standard_normal((300, 2)), columns=["a", "b"])
    chance = 1.0 / (1.0 + np.exp(1.3 - 0.8 * frame["a"]))
    y = np.where(draws.random(300) < chance, "yes", "no")
    found = assess(AutoClassifier(RBF(3.0), learner="logistic"), frame, y, cv=3, repeats=1)
    assert not found.is_better("accuracy") and found.is_better("auc")
    assert importance_metric(found) == "auc"
    made = {one.column: one for one in column_contributions(found, frame, y)}
    assert made["a"].drop > 0.08 > made["b"].drop


CURVES = [key for key in LEARNERS if key[1] != "rvm"]


@pytest.mark.parametrize(("task", "learner"), CURVES)
def test_every_learner_has_a_curve(task, learner):
    y = Y if task == "regression" else np.where(Y > 0, "up", "down")
    kind = AutoRegressor if task == "regression" else AutoClassifier
    model = kind(RBF(length_scale=2.0).on(["a"]), learner).fit(X, y)
    made = learning_curve(model, X, y, points=3, cv=3)
    assert [point.count for point in made] == [20, 28, 40] and made[-1].score > (
        0.5 if task == "regression" else 0.7
    )
    assert made == learning_curve(model, X, y, points=3, cv=3)


def test_a_curve_is_of_some_samples_where_there_are_many():
    model = AutoRegressor(Linear()).fit(X, Y)
    assert learning_curve(model, X, Y, most=30, cv=3)[-1].count == 20


def test_samples_that_are_certain_are_not_among_the_worst():
    y, nothing = np.array(["a", "a", "b"]), np.zeros(3)
    shares = np.array([[0.9999, 0.0001], [0.2, 0.8], [0.3, 0.7]])
    made = Assessment("classification", nothing, 0.5, nothing, shares, nothing, [], 3, 1)
    assert hardest(made, y) == [(1, 0.2), (2, 0.7)]
