"""How well it will do on new samples: repeated cross-validation with every choice made anew inside each fold."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.aliases import RawSamples, Targets
from mercer.domains.base import pick_rows, raw_length


@dataclasses.dataclass(frozen=True)
class Assessment:
    """Predictions for samples that were not seen.

    ``error`` is the standard error of the mean score by Nadeau and Bengio: √((1/J + n_test/n_train) s²) over J folds, because the training
    parts of the folds overlap.
    """

    task: str
    scores: (
        np.ndarray
    )  # one for each fold of each repeat: accuracy, or R² in units of the variance of all targets
    share: float  # test size / training size
    predicted: np.ndarray  # repeats × n
    probability: np.ndarray | None  # n × classes, of the first repeat
    fold: np.ndarray  # which fold of the first repeat held a sample out
    models: list[Any]  # those of the first repeat
    folds: int
    repeats: int

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def error(self) -> float:
        return (
            float(np.sqrt((1.0 / len(self.scores) + self.share) * self.scores.var(ddof=1)))
            if len(self.scores) > 1
            else float("nan")
        )


def repeats_for(n: int) -> int:
    """Many where folds are small and chance is great, one where they are large."""
    return 10 if n <= 200 else 5 if n <= 500 else 2 if n <= 2000 else 1


def assess(
    model: Any,
    X: RawSamples,
    y: Targets,
    *,
    folds: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    told: Callable[[], None] | None = None,
) -> Assessment:
    """Fit a clone on every training part and predict what it has not seen; ``told`` is called after each fold.

    >>> import numpy as np
    >>> from mercer import AutoClassifier
    >>> from mercer.automatic import assess
    >>> from mercer.datasets import promoters
    >>> X, y = promoters()
    >>> found = assess(AutoClassifier(), X, y, repeats=1)
    >>> bool(0.8 < found.mean < 1.0), len(found.scores)
    (True, 5)
    """
    y = np.asarray(y)
    n = raw_length(X)
    classes = is_classifier(model)
    repeats = repeats_for(n) if repeats is None else repeats
    if classes:
        labels, counts = np.unique(y, return_counts=True)
        folds = max(2, min(folds, int(counts.max())))
    folds = min(folds, n)
    spread = 0.0 if classes else float(y.astype(float).var())
    predicted = np.empty((repeats, n), dtype=y.dtype if classes else float)
    probability = np.zeros((n, len(labels))) if classes else None
    fold = np.zeros(n, dtype=int)
    scores, models = [], []
    for repeat in range(repeats):
        seed = random_state + repeat
        splitter = (
            StratifiedKFold(folds, shuffle=True, random_state=seed)
            if classes
            else KFold(folds, shuffle=True, random_state=seed)
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            parts = list(splitter.split(np.zeros(n), y if classes else None))
        for at, (train, test) in enumerate(parts):
            with warnings.catch_warnings():
                if repeat or at:  # what is said of the first need not be said again
                    warnings.simplefilter("ignore")
                fitted = clone(model).fit(pick_rows(X, train), y[train])
                held = pick_rows(X, test)
                predicted[repeat, test] = fitted.predict(held)
                if repeat == 0:
                    fold[test] = at
                    models.append(fitted)
                    if probability is not None:
                        probability[np.ix_(test, np.searchsorted(labels, fitted.classes_))] = (
                            fitted.predict_proba(held)
                        )
            scores.append(score(y[test], predicted[repeat, test], classes, spread))
            if told is not None:
                told()
    share = 1.0 / (folds - 1)
    task = "classification" if classes else "regression"
    return Assessment(
        task, np.array(scores), share, predicted, probability, fold, models, folds, repeats
    )


def score(y: np.ndarray, said: np.ndarray, classes: bool, spread: float) -> float:
    """Accuracy, or 1 − (mean squared error)/``spread``, the variance of all targets: a fold of like samples has none of its own."""
    if classes:
        return float((y == said).mean())
    return 1.0 - float(((y - said) ** 2).mean()) / spread if spread > 0 else float("nan")
