"""Penalties chosen by a metric: every learner, and the loss against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from mercer import RBF, AutoClassifier, AutoRegressor
from mercer.automatic.held_out_metrics import held_out, judged_by
from mercer.automatic.learners import LEARNERS, learner_for
from mercer.automatic.metrics import metric_for
from mercer.automatic.subsets import split_folds

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
Y = (X[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int)
NUMBERS = X[:, 0] + 0.1 * rng.normal(size=40)


@pytest.mark.parametrize(("task", "name"), [key for key in LEARNERS if key[1] != "rvm"])
def test_every_learner(task, name):
    kind = AutoClassifier if task == "classification" else AutoRegressor
    metric = "auc" if task == "classification" else "mae"
    y = Y if task == "classification" else NUMBERS
    model = kind(RBF(2.0), name, metric=metric).fit(X, y)
    assert model.loss_ == ("1 − AUC" if metric == "auc" else "MAE")
    assert model.tuned_.loss == min(loss for *_, loss in model.tuned_.trials)
    assert model.score(X, y) > 0.5


def test_values_are_those_of_scikit_learn():
    learner, weight = learner_for("classification", "logistic"), rng.random(40) + 0.5
    K, folds = RBF()(X), split_folds(Y, True, 5, 0)
    outcome = held_out(learner, 1.0, K, Y, folds, weight)
    assert outcome.probability is not None
    for name, expected in (
        ("auc", roc_auc_score(Y, outcome.probability[:, 1], sample_weight=weight)),
        ("logloss", log_loss(Y, outcome.probability, sample_weight=weight)),
    ):
        metric = metric_for(name, "classification")
        assert metric.value(outcome) == pytest.approx(expected)
        judged = judged_by(learner, metric)
        (score,) = judged.score_penalties(K, Y, 0, (1.0,), weight)
        assert score.loss == pytest.approx(1 - expected if metric.greater else expected)


def test_a_metric_that_orders_alike_changes_nothing():
    ridge = learner_for("regression", "ridge")
    assert judged_by(ridge, metric_for("rmse", "regression")) is ridge
    assert judged_by(ridge, None) is ridge


def test_a_fold_without_a_class():
    y = np.where(np.arange(40) == 0, 1, 0)
    model = AutoClassifier(RBF(), "svc", metric="logloss").fit(X, y)
    assert np.isfinite(model.tuned_.loss)
