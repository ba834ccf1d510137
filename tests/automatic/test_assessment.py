"""Nobody is told of a sample what was learned from it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mercer import RBF, AutoClassifier, AutoRegressor
from mercer.automatic import Assessment, assess
from mercer.automatic.assessment import assess_on, repeats_for
from mercer.automatic.metrics import METRICS, Reference
from mercer.errors import ParameterError

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 2))


class Parrot(ClassifierMixin, BaseEstimator):
    """Says of a row what it was told of it, and is wrong of all others."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = {tuple(row): label for row, label in zip(np.asarray(X), y, strict=True)}
        return self

    def predict(self, X):
        return np.array(
            [self.known_.get(tuple(row), "never") for row in np.asarray(X)], dtype=object
        )

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.n_, self.mean_ = len(y), float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_predictions_are_of_rows_that_were_held_out():
    y = np.array(["a", "b"] * 30, dtype=object)
    found = assess(Parrot(), X, y, cv=4, repeats=3)
    assert (
        found.mean == 0.0
        and (found.predicted == "never").all()
        and found.predicted.shape == (3, 60)
    )
    for at, model in enumerate(
        found.models
    ):  # the models that are kept belong to the folds that are told
        assert not any(tuple(row) in model.known_ for row in X[found.fold == at])
        assert all(tuple(row) in model.known_ for row in X[found.fold != at])


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame])
def test_random_labels_cannot_be_told(frame):
    """Choosing kernel, width and penalty on the test rows would score well above chance."""
    samples = frame(np.random.default_rng(1).standard_normal((60, 4)))
    if hasattr(samples, "columns"):
        samples.columns = [f"c{at}" for at in samples.columns]
    scores = []
    for seed in range(3):
        y = np.random.default_rng(seed).permutation(np.repeat(["a", "b"], 30))
        scores.append(assess(AutoClassifier(learner="ridge"), samples, y, cv=3, repeats=1).mean)
    assert 0.3 < np.mean(scores) < 0.62


def test_random_numbers_cannot_be_told():
    y = np.random.default_rng(2).standard_normal(60)
    assert assess(AutoRegressor(), X, y, cv=5, repeats=2).mean < 0.1


def test_the_error_is_that_of_nadeau_and_bengio():
    found = assess(AutoRegressor(), X, X[:, 0] + 0.3 * rng.standard_normal(60), cv=3, repeats=2)
    assert len(found.scores) == 6 and found.share == 0.5
    assert found.mean == pytest.approx(np.mean(found.scores))
    assert found.error == pytest.approx(np.sqrt((1 / 6 + 20 / 40) * np.var(found.scores, ddof=1)))
    one = Assessment(
        "regression", np.array([0.5]), 0.5, np.zeros((1, 1)), None, np.zeros(1), [], 2, 1
    )
    assert np.isnan(one.error)


def test_scores():
    y = rng.standard_normal(60)
    found = assess(Mean(), X, y, cv=5, repeats=1)
    at = found.fold == 2
    assert found.models[2].n_ == 48 and found.models[2].mean_ == pytest.approx(y[~at].mean())
    expected = 1 - ((y[at] - y[~at].mean()) ** 2).sum() / (at.sum() * y.var())
    assert found.scores[2] == pytest.approx(expected)
    assert found.probability is None and found.task == "regression"


def test_the_same_again():
    y = np.where(X[:, 0] > 0, "yes", "no")
    first, again = (
        assess(AutoClassifier(RBF(), "ridge"), X, y, cv=3, repeats=2, random_state=5)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.predicted, again.predicted)
    np.testing.assert_array_equal(first.probability, again.probability)
    other = assess(AutoClassifier(RBF(), "ridge"), X, y, cv=3, repeats=2, random_state=9)
    assert (other.fold != first.fold).any() and (first.predicted[0] != first.predicted[1]).any()


def test_probabilities_are_of_the_class_said():
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(60) > 0, "yes", "no")
    found = assess(AutoClassifier(RBF(), "logistic"), X, y, cv=3, repeats=1)
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        np.array(["no", "yes"])[found.probability.argmax(axis=1)], found.predicted[0]
    )


def test_rare_classes_and_few_samples():
    y = np.array(["a"] * 30 + ["b"] * 28 + ["rare"] * 2)
    heard = []
    found = assess(
        AutoClassifier(learner="ridge"), X, y, cv=5, repeats=1, progress=lambda: heard.append(1)
    )
    assert (
        len(heard) == 5 and found.probability.shape == (60, 3) and np.isfinite(found.scores).all()
    )
    few = assess(Parrot(), X[:4], np.array(["a", "a", "b", "b"], dtype=object), cv=5, repeats=1)
    assert few.folds == 2
    assert [repeats_for(n) for n in (100, 400, 1000, 2000)] == [10, 5, 2, 1]


def test_two_samples_of_a_class():
    y = np.array(["common"] * 58 + ["rare"] * 2)
    found = assess(AutoClassifier(RBF(), "svc"), X, y, cv=5, repeats=1)
    assert found.mean > 0.9


def test_folds_of_one_sample():
    found = assess(AutoRegressor(RBF()), X[:12], X[:12, 0], cv=12, repeats=1)
    assert np.isfinite(found.mean) and np.isfinite(found.error)


# -- metrics ---------------------------------------------------------------------------------------


def test_every_metric_is_measured_in_every_fold():
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(60) > 0.3, "yes", "no")
    model = AutoClassifier(RBF(), "logistic")
    found = assess(model, X, y, cv=3, repeats=2, metric="auc")
    assert found.metric == "auc" and found.mean == found.result("auc")[0] > 0.7
    assert found.measured.keys() == found.baselines.keys()
    assert all(values.shape == (6,) for values in found.measured.values())
    np.testing.assert_array_equal(found.scores, found.measured["auc"])
    held_out = found.fold == 1
    one = Reference(y, "classification").outcome(
        y[held_out], found.predicted[0][held_out], found.probability[held_out]
    )
    for name, metric in METRICS.items():
        if metric.task == "classification":
            assert found.measured[name][1] == pytest.approx(metric.value(one)), name
    assert found.is_better("auc") and found.baselines["auc"] == 0.5
    with pytest.raises(ParameterError, match="metric = 'rmse' is not a metric of classification"):
        assess(model, X, y, metric="rmse")


def test_balanced_classes_have_the_same_weight():
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(60) > 1.2, "rare", "common")
    model = AutoClassifier(RBF(), "logistic")
    plain, even = (assess(model, X, y, cv=3, repeats=1, balanced=b) for b in (False, True))
    assert (even.predicted == "rare").sum() > (plain.predicted == "rare").sum()


def test_a_test_set():
    y = X[:, 0] + 0.3 * rng.standard_normal(60)
    model = AutoRegressor(RBF()).fit(X[:40], y[:40])
    found = assess_on(model, X[40:], y[40:], Reference(y[:40], "regression"), metric="rmse")
    residuals = y[40:] - model.predict(X[40:])
    assert found.mean == pytest.approx(np.sqrt(np.mean(residuals**2)))
    assert found.result("r2")[0] == pytest.approx(model.score(X[40:], y[40:]))
    assert found.baselines["rmse"] == pytest.approx(np.sqrt(np.mean((y[40:] - y[:40].mean()) ** 2)))
    # the standard error of a mean of squares, by the delta method
    expected = (residuals**2).std() / np.sqrt(20) / (2 * found.mean)
    assert 0.6 < found.error / expected < 1.6 and found.folds == 1
