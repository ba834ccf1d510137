"""Generalisation error by repeated cross-validation, with model selection inside each fold."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.base import clone, is_classifier

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.automatic.subsets import split_folds
from mercer.domains.base import pick_rows, raw_length


@dataclasses.dataclass(frozen=True)
class Assessment:
    """Cross-validated predictions and scores.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    scores : ndarray
        One score for each fold of each repeat: the accuracy, or R² in units of the variance of all
        targets.
    share : float
        The size of a test set divided by that of a training set.
    predicted : ndarray of shape (repeats, n)
        The prediction for each sample by the model that was not fitted on it.
    probability : ndarray of shape (n, classes) or None
        Class probabilities in the first repeat; None in regression.
    fold : ndarray of shape (n,)
        The fold of the first repeat in which a sample was held out.
    models : list
        The fitted models of the first repeat.
    folds : int
        The number of folds.
    repeats : int
        The number of repeats.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.automatic import Assessment
    >>> scores, nothing = np.array([0.8, 0.9, 1.0]), np.zeros(3)
    >>> result = Assessment("classification", scores, 0.5, nothing, None, nothing, [], 3, 1)
    >>> round(result.mean, 3), round(result.error, 3)
    (0.9, 0.091)
    """

    task: str
    scores: np.ndarray
    share: float
    predicted: np.ndarray
    probability: np.ndarray | None
    fold: np.ndarray
    models: list[Estimator]
    folds: int
    repeats: int

    @property
    def mean(self) -> float:
        """The mean score over all folds."""
        return float(self.scores.mean())

    @property
    def error(self) -> float:
        """The corrected standard error of the mean score, NaN for a single fold.

        It is √((1/J + n_test/n_train) s²) over J folds, by Nadeau and Bengio: the training sets of
        the folds overlap, so that the usual standard error would be too small.
        """
        if len(self.scores) < 2:
            return float("nan")
        factor = 1.0 / len(self.scores) + self.share
        return float(np.sqrt(factor * self.scores.var(ddof=1)))


def repeats_for(n_samples: int) -> int:
    """The number of repeats: many for small data sets, where the folds matter by chance."""
    for limit, repeats in ((200, 10), (500, 5), (2000, 2)):
        if n_samples <= limit:
            return repeats
    return 1


def assess(
    model: Estimator,
    X: RawSamples,
    y: Targets,
    *,
    folds: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    told: Callable[[], None] | None = None,
) -> Assessment:
    """Repeated cross-validation: a clone is fitted on each training set and scored on its test set.

    With `AutoClassifier` or `AutoRegressor` it is nested: kernel and penalty are chosen anew on
    each training set, so that the score is not biased by the choice.

    Parameters
    ----------
    model : estimator
        The classifier or regressor; it is cloned, and not changed itself.
    X : array, data frame, sparse matrix or list
        The samples.
    y : array of shape (n,)
        The targets.
    folds : int
        The number of folds; at most as many as the most frequent class has samples.
    repeats : int, optional
        How often the cross-validation is repeated with other folds. By default 10 times for up to
        200 samples, 5 times up to 500, twice up to 2,000, and once above.
    random_state : int
        The seed of the folds.
    told : callable, optional
        Called without arguments after each fold, to show progress.

    Returns
    -------
    Assessment
        Scores with their standard error, and the predictions for held-out samples.

    Examples
    --------
    >>> from mercer import AutoClassifier
    >>> from mercer.automatic import assess
    >>> from mercer.datasets import promoters
    >>> X, y = promoters()
    >>> result = assess(AutoClassifier(), X, y, repeats=1)
    >>> bool(0.8 < result.mean < 1.0), len(result.scores)
    (True, 5)
    """
    y = np.asarray(y)
    n_samples = raw_length(X)
    classification = is_classifier(model)
    if repeats is None:
        repeats = repeats_for(n_samples)
    if classification:
        counts = np.unique(y, return_counts=True)[1]
        folds = max(2, min(folds, int(counts.max())))
    folds = min(folds, n_samples)
    score = Score(y, classification)
    predicted = np.empty((repeats, n_samples), dtype=y.dtype if classification else float)
    fold = np.zeros(n_samples, dtype=int)
    scores, models = [], []
    for repeat in range(repeats):
        parts = split_folds(y, classification, folds, (random_state + repeat) % 2**32)
        for index, (train, test) in enumerate(parts):
            with warnings.catch_warnings():
                # The warnings of the first fold are enough.
                if repeat or index:
                    warnings.simplefilter("ignore")
                fitted = clone(model).fit(pick_rows(X, train), y[train])
                predicted[repeat, test] = fitted.predict(pick_rows(X, test))
            scores.append(score(y[test], predicted[repeat, test]))
            if repeat == 0:
                fold[test] = index
                models.append(fitted)
            if told is not None:
                told()
    probability = _probabilities(models, fold, X, y) if classification else None
    results = (predicted, probability, fold, models, folds, repeats)
    return Assessment(score.task, np.array(scores), 1.0 / (folds - 1), *results)


def _probabilities(
    models: list[Estimator], fold: np.ndarray, X: RawSamples, y: np.ndarray
) -> np.ndarray:
    """Class probabilities of each sample by the model that was not fitted on it."""
    classes = np.unique(y)
    probability = np.zeros((len(y), len(classes)))
    with warnings.catch_warnings():
        # The same warnings came with the predictions.
        warnings.simplefilter("ignore")
        for index, model in enumerate(models):
            test = np.flatnonzero(fold == index)
            columns = np.searchsorted(classes, model.classes_)
            probability[np.ix_(test, columns)] = model.predict_proba(pick_rows(X, test))
    return probability


class Score:
    """The accuracy, or R² = 1 − (mean squared error)/(variance of all targets ``y``).

    A small test set may have no variance of its own.
    """

    def __init__(self, y: np.ndarray, classification: bool) -> None:
        self.task = "classification" if classification else "regression"
        self.variance = 1.0
        if not classification:
            self.variance = float(y.astype(float).var())

    def __call__(self, y: np.ndarray, predicted: np.ndarray) -> float:
        if self.task == "classification":
            return float((y == predicted).mean())
        if self.variance == 0:
            return float("nan")
        return 1.0 - float(((y - predicted) ** 2).mean()) / self.variance
