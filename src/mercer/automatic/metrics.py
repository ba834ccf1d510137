"""Metrics of predictions: their names, which direction is better, and their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Targets
from mercer.errors import ParameterError, did_you_mean

_UNBALANCED = 0.8  # share of one class from which the accuracy is misleading
_TINY = 1e-15  # the least probability, as in scikit-learn's log_loss


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Targets and what was predicted of them.

    Attributes
    ----------
    y, predicted : ndarray of shape (n,)
        The targets, and the predictions of them.
    probability : ndarray of shape (n, classes) or None
        Class probabilities, in the order of ``classes``.
    classes : ndarray
        All classes, sorted; empty in regression.
    positive : object
        Of two classes, the one that precision, recall and F1 are about.
    variance : float
        The variance that R² refers to; 0 for that of ``y``.
    weight : ndarray of shape (n,) or None
        The weights of the samples.
    """

    y: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray | None = None
    classes: Targets = ()
    positive: object = None
    variance: float = 0.0
    weight: np.ndarray | None = None

    def average(self, values: np.ndarray) -> float:
        """The weighted mean of one value for each sample."""
        return float(np.average(values, weights=self.weight))

    def take(self, rows: np.ndarray) -> Outcome:
        """The outcome of some of the samples."""
        parts = {"y": self.y[rows], "predicted": self.predicted[rows]}
        if self.probability is not None:
            parts["probability"] = self.probability[rows]
        if self.weight is not None:
            parts["weight"] = self.weight[rows]
        return dataclasses.replace(self, **parts)


def _accuracy(outcome: Outcome) -> float:
    return outcome.average(outcome.y == outcome.predicted)


def _shares(outcome: Outcome, label: object) -> tuple[float, float, float]:
    """The shares of samples of a class, of those predicted as it, and of those that are both."""
    true, predicted = outcome.y == label, outcome.predicted == label
    return outcome.average(true), outcome.average(predicted), outcome.average(true & predicted)


def _of_classes(ratio: Callable[[float, float, float], float]) -> Callable[[Outcome], float]:
    """A ratio for the positive one of two classes, or its mean over all classes that occur."""

    def value(outcome: Outcome) -> float:
        labels = [outcome.positive]
        if len(outcome.classes) != 2:
            labels = [label for label in outcome.classes if (outcome.y == label).any()]
        return float(np.mean([ratio(*_shares(outcome, label)) for label in labels]))

    return value


def _precision_of(true: float, predicted: float, both: float) -> float:
    return both / predicted if predicted > 0 else 0.0


def _recall_of(true: float, predicted: float, both: float) -> float:
    return both / true if true > 0 else float("nan")


def _f1_of(true: float, predicted: float, both: float) -> float:
    return 2.0 * both / (true + predicted) if true + predicted > 0 else float("nan")


def _balanced(outcome: Outcome) -> float:
    """The mean recall of the classes that occur."""
    present = [label for label in outcome.classes if (outcome.y == label).any()]
    return float(np.mean([_recall_of(*_shares(outcome, label)) for label in present]))


def _auc(outcome: Outcome) -> float:
    """The area under the ROC curve; of several classes, the mean of each against all others."""
    if outcome.probability is None:
        return float("nan")
    columns = range(len(outcome.classes))
    if len(outcome.classes) == 2:
        columns = range(1, 2)
    weight = outcome.weight
    if weight is None:
        weight = np.ones(len(outcome.y))
    areas = [
        area_under_curve(outcome.y == outcome.classes[at], outcome.probability[:, at], weight)
        for at in columns
    ]
    areas = [area for area in areas if np.isfinite(area)]
    return float(np.mean(areas)) if areas else float("nan")


def area_under_curve(positive: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
    """The probability that a positive sample has a larger score than a negative one; ties count ½.

    NaN where one of the two kinds is absent.
    """
    values, at = np.unique(score, return_inverse=True)
    ups = np.bincount(at, weight * positive, len(values))
    downs = np.bincount(at, weight * ~positive, len(values))
    total = ups.sum() * downs.sum()
    if total <= 0:
        return float("nan")
    below = np.cumsum(downs) - 0.5 * downs
    return float((ups * below).sum() / total)


def _log_loss(outcome: Outcome) -> float:
    """The mean of −log p(true class); a label that is not a class has probability 0."""
    if outcome.probability is None:
        return float("nan")
    classes = np.asarray(outcome.classes)
    at = np.minimum(np.searchsorted(classes, outcome.y), len(classes) - 1)
    own = outcome.probability[np.arange(len(at)), at] * (classes[at] == outcome.y)
    return outcome.average(-np.log(np.clip(own, _TINY, 1.0)))


def _squared_error(outcome: Outcome) -> float:
    return outcome.average((outcome.y - outcome.predicted) ** 2)


def _root_mean_squared_error(outcome: Outcome) -> float:
    return float(np.sqrt(_squared_error(outcome)))


def _absolute_error(outcome: Outcome) -> float:
    return outcome.average(np.abs(outcome.y - outcome.predicted))


def _r2(outcome: Outcome) -> float:
    variance = outcome.variance
    if variance == 0:
        variance = outcome.average((outcome.y - outcome.average(outcome.y)) ** 2)
    if variance == 0:
        return float("nan")
    return 1.0 - _squared_error(outcome) / variance


@dataclasses.dataclass(frozen=True)
class Metric:
    """A metric of predictions.

    Attributes
    ----------
    name : str
        How it is asked for: "auc", for instance.
    title : str
        How it is printed: "AUC".
    task : str
        "classification" or "regression".
    value : callable
        Computes it from an `Outcome`.
    greater : bool
        Whether greater values are better.
    percent : bool
        Whether it is printed in percent.
    probabilistic : bool
        Whether it is computed from probabilities.
    """

    name: str
    title: str
    task: str
    value: Callable[[Outcome], float]
    greater: bool = True
    percent: bool = False
    probabilistic: bool = False

    def gain(self, value: float, other: float) -> float:
        """By how much a value is better than another one; negative where it is worse."""
        return value - other if self.greater else other - value


_CLASSES, _NUMBERS = "classification", "regression"
METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", _CLASSES, _accuracy, percent=True),
        Metric("balanced", "balanced accuracy", _CLASSES, _balanced, percent=True),
        Metric("auc", "AUC", _CLASSES, _auc, probabilistic=True),
        Metric("logloss", "log-loss", _CLASSES, _log_loss, greater=False, probabilistic=True),
        Metric("precision", "precision", _CLASSES, _of_classes(_precision_of), percent=True),
        Metric("recall", "recall", _CLASSES, _of_classes(_recall_of), percent=True),
        Metric("f1", "F1", _CLASSES, _of_classes(_f1_of)),
        Metric("r2", "R²", _NUMBERS, _r2),
        Metric("rmse", "RMSE", _NUMBERS, _root_mean_squared_error, greater=False),
        Metric("mae", "MAE", _NUMBERS, _absolute_error, greater=False),
    )
}


def metric_for(name: str, task: str) -> Metric:
    """The metric of that name, which has to suit the task.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.automatic.metrics import Outcome, metric_for
    >>> y, predicted = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0])
    >>> metric_for("mae", "regression").value(Outcome(y, predicted))
    0.3333333333333333
    """
    suitable = [metric.name for metric in METRICS.values() if metric.task == task]
    if name in suitable:
        return METRICS[name]
    remedy = f"one of {', '.join(suitable)}"
    if name not in METRICS:
        remedy = did_you_mean(str(name), suitable, remedy)
    raise ParameterError("metric", name, f"is not a metric of {task}", remedy)


def metrics_of(task: str) -> list[Metric]:
    """All metrics of a task."""
    return [metric for metric in METRICS.values() if metric.task == task]


def is_unbalanced(y: np.ndarray) -> bool:
    """Whether one class has four fifths of all samples, so that the accuracy is misleading."""
    counts = np.unique(y, return_counts=True)[1]
    return bool(counts.max() >= _UNBALANCED * len(y))


def default_metric(y: np.ndarray, task: str, balanced: bool = False) -> str:
    """The metric to choose and judge a model by where none is asked for.

    It is R² or the accuracy; the log-loss where one class prevails, since a constant prediction has
    a high accuracy there, and the balanced accuracy of models with balanced classes.
    """
    if task == "regression":
        return "r2"
    if balanced:
        return "balanced"
    return "logloss" if is_unbalanced(y) else "accuracy"


class Reference:
    """What the metrics of all parts of a data set refer to: classes, variance, the baseline.

    The positive one of two classes is the rarer one, or the second of two of the same size.
    """

    def __init__(self, y: np.ndarray, task: str) -> None:
        self.task = task
        self.facts: dict[str, Any] = {}
        if task == "regression":
            numbers = y.astype(float)
            self.shares = np.empty(0)
            self.constant: object = float(numbers.mean())
            # A small test set may have no variance of its own.
            self.facts = {"variance": float(numbers.var())}
            return
        classes, counts = np.unique(y, return_counts=True)
        self.shares = counts / len(y)
        self.constant = classes[np.argmax(counts)]
        rarest = len(counts) - 1 - int(np.argmin(counts[::-1]))
        self.facts = {"classes": classes, "positive": classes[rarest]}

    def outcome(
        self, y: np.ndarray, predicted: np.ndarray, probability: np.ndarray | None = None
    ) -> Outcome:
        """Targets and predictions, with what their metrics refer to."""
        return Outcome(y, predicted, probability, **self.facts)

    def measure(self, outcome: Outcome) -> dict[str, float]:
        """All metrics of the task."""
        return {metric.name: metric.value(outcome) for metric in metrics_of(self.task)}

    def baselines(self, y: np.ndarray) -> dict[str, float]:
        """All metrics of the constant prediction: the most frequent class, or the mean."""
        constant = np.full(len(y), self.constant)
        probability = None
        if self.task == "classification":
            probability = np.tile(self.shares, (len(y), 1))
        return self.measure(self.outcome(y, constant, probability))
