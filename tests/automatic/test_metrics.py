"""Metrics equal scikit-learn's, with weights and ties, and of several classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as reference

from mercer.automatic.metrics import (
    METRICS,
    Outcome,
    Reference,
    default_metric,
    is_unbalanced,
    metric_for,
)
from mercer.errors import ParameterError

rng = np.random.default_rng(0)
N = 80


def classified(n_classes: int, weight: np.ndarray | None = None) -> Outcome:
    classes = np.array(["a", "b", "c", "d"])[:n_classes]
    y = classes[rng.integers(0, n_classes, N)]
    probability = rng.dirichlet(np.ones(n_classes), N).round(2) + 0.001
    probability /= probability.sum(axis=1, keepdims=True)
    predicted = classes[probability.argmax(axis=1)]
    return Outcome(y, predicted, probability, classes, classes[-1], weight=weight)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_classification_equals_scikit_learn(n_classes, weighted):
    weight = rng.random(N) + 0.1 if weighted else None
    said = classified(n_classes, weight)
    of_classes = {"average": "macro", "zero_division": 0.0}
    if n_classes == 2:
        of_classes = {"average": "binary", "pos_label": said.positive}
    scores = said.probability[:, 1] if n_classes == 2 else said.probability
    pair, heavy = (said.y, said.predicted), {"sample_weight": weight}
    expected = {
        "accuracy": reference.accuracy_score(*pair, **heavy),
        "balanced": reference.balanced_accuracy_score(*pair, **heavy),
        "auc": reference.roc_auc_score(said.y, scores, multi_class="ovr", **heavy),
        "logloss": reference.log_loss(said.y, said.probability, **heavy),
        "precision": reference.precision_score(*pair, **of_classes, **heavy),
        "recall": reference.recall_score(*pair, **of_classes, **heavy),
        "f1": reference.f1_score(*pair, **of_classes, **heavy),
    }
    assert expected.keys() == {m.name for m in METRICS.values() if m.task == "classification"}
    for name, value in expected.items():
        assert METRICS[name].value(said) == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("weighted", [False, True])
def test_regression_equals_scikit_learn(weighted):
    y, predicted = rng.standard_normal((2, N))
    weight = rng.random(N) + 0.1 if weighted else None
    said = Outcome(y, predicted, weight=weight)
    heavy = {"sample_weight": weight}
    expected = {
        "r2": reference.r2_score(y, predicted, **heavy),
        "rmse": reference.root_mean_squared_error(y, predicted, **heavy),
        "mae": reference.mean_absolute_error(y, predicted, **heavy),
    }
    for name, value in expected.items():
        assert METRICS[name].value(said) == pytest.approx(value, rel=1e-12), name


def test_what_has_no_value_is_not_a_number():
    one_class = Outcome(np.array(["a", "a"]), np.array(["a", "a"]), np.eye(2), ["a", "b"], "b")
    assert np.isnan(METRICS["auc"].value(one_class))
    assert np.isnan(METRICS["recall"].value(one_class))
    assert METRICS["precision"].value(one_class) == 0.0
    assert METRICS["accuracy"].value(one_class) == 1.0
    without = Outcome(np.array(["a", "b"]), np.array(["a", "b"]), None, ["a", "b"], "b")
    assert np.isnan(METRICS["auc"].value(without)) and np.isnan(METRICS["logloss"].value(without))


def test_a_label_that_is_no_class_has_probability_zero():
    said = Outcome(np.array(["a", "zebra"]), np.array(["a", "a"]), np.eye(2), ["a", "b"], "b")
    assert METRICS["logloss"].value(said) == pytest.approx(-np.log(1e-15) / 2)


def test_baselines():
    y = np.array(["no"] * 87 + ["yes"] * 13)
    found = Reference(y, "classification").baselines(y)
    entropy = -(0.87 * np.log(0.87) + 0.13 * np.log(0.13))
    assert found["accuracy"] == 0.87 and found["auc"] == 0.5 and found["balanced"] == 0.5
    assert found["logloss"] == pytest.approx(entropy) and found["recall"] == 0.0
    assert Reference(y, "classification").facts["positive"] == "yes"
    numbers = rng.standard_normal(N)
    found = Reference(numbers, "regression").baselines(numbers)
    assert found["r2"] == pytest.approx(0.0) and found["rmse"] == pytest.approx(numbers.std())


def test_which_metric_suits():
    even, odd = np.array(["a", "b"] * 10), np.array(["a"] * 17 + ["b"] * 3)
    assert default_metric(even, "classification") == "accuracy" and not is_unbalanced(even)
    assert default_metric(odd, "classification") == "logloss" and is_unbalanced(odd)
    assert default_metric(odd, "classification", balanced=True) == "balanced"
    assert default_metric(rng.random(9), "regression") == "r2"
    with pytest.raises(
        ParameterError, match="metric = 'auc' is not a metric of regression; one of r2"
    ):
        metric_for("auc", "regression")
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        metric_for("acuracy", "classification")
    assert METRICS["logloss"].gain(0.3, 0.4) == pytest.approx(0.1)
