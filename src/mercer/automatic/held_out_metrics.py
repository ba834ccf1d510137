"""Penalties chosen by any metric, on held-out folds of one Gram matrix."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
from scipy.special import softmax

from mercer.aliases import Estimator, Weights
from mercer.automatic.learners import CandidateScore, Learner, Penalties, Scores, n_folds
from mercer.automatic.metrics import Metric, Outcome, Reference
from mercer.automatic.subsets import Fold, split_folds
from mercer.kernels.precomputed import Precomputed

# the metrics that order models as a learner's own loss does
_SAME = {"error rate": ("accuracy",), "mean squared error": ("r2", "rmse")}


def judged_by(learner: Learner, metric: Metric | None) -> Learner:
    """The learner, with its penalty and kernel chosen by the metric."""
    if metric is None or metric.name in _SAME.get(learner.loss, ()):
        return learner
    title = f"1 − {metric.title}" if metric.greater else metric.title

    def score_penalties(
        K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
    ) -> Scores:
        folds = split_folds(
            y, metric.task == "classification", n_folds(y, metric.task == "classification"), seed
        )
        with warnings.catch_warnings():
            # Small folds may lack a class, and extreme penalties may not converge.
            warnings.simplefilter("ignore", UserWarning)
            outcomes = [held_out(learner, penalty, K, y, folds, weight) for penalty in penalties]
        values = [metric.value(outcome) for outcome in outcomes]
        losses = [1.0 - value if metric.greater else value for value in values]
        return [CandidateScore(*pair) for pair in zip(penalties, losses, strict=True)]

    return dataclasses.replace(
        learner, score_penalties=score_penalties, loss=title, way="cross-validated search"
    )


def held_out(
    learner: Learner,
    penalty: float,
    K: np.ndarray,
    y: np.ndarray,
    folds: list[Fold],
    weight: Weights = None,
) -> Outcome:
    """Predictions for all samples by models of the other folds; of classes with probabilities."""
    reference = Reference(y, learner.task)
    predicted, probability = np.empty(len(y), dtype=y.dtype), None
    if learner.task == "classification":
        probability = np.zeros((len(y), len(reference.shares)))
    for train, test in folds:
        model, to_predict = _fitted(learner, penalty, K, y, train, test, weight)
        if model is None:  # all samples of a rare class are held out
            predicted[test] = y[train][0]
        else:
            predicted[test] = model.predict(to_predict)
        if probability is not None:
            probability[test] = _probabilities(model, to_predict, reference, y[train])
    outcome = reference.outcome(y, predicted, probability)
    return dataclasses.replace(outcome, weight=None if weight is None else np.asarray(weight))


def _fitted(
    learner: Learner,
    penalty: float,
    K: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    weight: Weights,
) -> tuple[Estimator | None, np.ndarray]:
    """A model of the training fold, and the test fold as it reads it; none of a single class."""
    of_train = None if weight is None else np.asarray(weight)[train]
    if learner.task == "classification" and len(np.unique(y[train])) < 2:
        return None, test
    if learner.name == "gp":  # which learns more of a kernel than a matrix has
        model = learner.make(Precomputed(K), penalty)
        return model.fit(train, y[train], sample_weight=of_train), test
    model = learner.make("precomputed", penalty)
    model.fit(K[np.ix_(train, train)], y[train], sample_weight=of_train)
    return model, K[np.ix_(test, train)]


def _probabilities(
    model: Estimator | None, X: np.ndarray, reference: Reference, y: np.ndarray
) -> np.ndarray:
    """Class probabilities; of learners without them the softmax of their decision values."""
    result = np.zeros((len(X), len(reference.shares)))
    if model is None:
        result[:, reference.facts["classes"] == y[0]] = 1.0
        return result
    known = np.searchsorted(reference.facts["classes"], model.classes_)
    if hasattr(model, "predict_proba"):
        result[:, known] = model.predict_proba(X)
        return result
    scores = 2.0 * model.decision_function(X)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    result[:, known] = softmax(scores, axis=1)
    return result
