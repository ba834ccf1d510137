"""Generalization error: repeated cross-validation with model selection inside, or a test set."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.base import clone, is_classifier

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.automatic.metrics import METRICS, Metric, Outcome, Reference, metric_for
from mercer.automatic.studies.configured import fit
from mercer.automatic.studies.coverage import Coverage, measure_coverage, of_all_folds
from mercer.automatic.subsets import split_folds
from mercer.domains.base import pick_rows, raw_length
from mercer.params import integer, renamed_arguments

_RESAMPLED = 100  # bootstrap samples, from which the error on a test set is estimated


@dataclasses.dataclass(frozen=True)
class Assessment:
    """Predictions of held-out samples and their scores.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    scores : ndarray
        One score for each fold of each repeat, by the chosen metric; R² is in units of the variance
        of all targets.
    share : float
        The size of a test set divided by that of a training set; 0 for a test set of its own.
    predicted : ndarray of shape (repeats, n)
        The prediction for each sample by the model that was not fitted on it.
    probability : ndarray of shape (n, classes) or None
        Class probabilities in the first repeat; None in regression.
    fold : ndarray of shape (n,)
        The fold of the first repeat in which a sample was held out; -1 where there was none.
    models : list
        The fitted models of the first repeat.
    folds : int
        The number of folds; 1 for a test set of its own, 0 for leave-one-out predictions.
    repeats : int
        The number of repeats.
    metric : str
        The name of the metric of ``scores``.
    measured : dict of str to ndarray
        The scores by every metric.
    baselines : dict of str to float
        Every metric of the constant prediction: the most frequent class, or the mean.
    errors : dict of str to float
        Standard errors that are known otherwise than by the folds, as those of a test set.
    coverage : Coverage or None
        How many held-out targets lie in their intervals or sets of labels in the first repeat,
        where the models have such.

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
    metric: str = ""
    measured: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)
    baselines: dict[str, float] = dataclasses.field(default_factory=dict)
    errors: dict[str, float] = dataclasses.field(default_factory=dict)
    coverage: Coverage | None = None

    @property
    def mean(self) -> float:
        """The mean score over all folds."""
        return _mean(self.scores)

    @property
    def error(self) -> float:
        """The corrected standard error of the mean score, NaN for a single fold.

        It is √((1/J + n_test/n_train) s²) over J folds, by Nadeau and Bengio: the training sets of
        the folds overlap, so that the usual standard error would be too small. That of a test set
        is estimated by the bootstrap.
        """
        return self.errors.get(self.metric, self._corrected_error(self.scores))

    def result(self, metric: str) -> tuple[float, float, float]:
        """The mean of a metric over all folds, its standard error, and its baseline."""
        values = self.measured[metric]
        error = self.errors.get(metric, self._corrected_error(values))
        return _mean(values), error, self.baselines[metric]

    def take(self, rows: np.ndarray) -> Assessment:
        """The same scores, with the predictions of some samples only."""
        probability = None if self.probability is None else self.probability[rows]
        predicted, fold = self.predicted[:, rows], self.fold[rows]
        return dataclasses.replace(self, predicted=predicted, probability=probability, fold=fold)

    def _corrected_error(self, values: np.ndarray) -> float:
        values = values[np.isfinite(values)]
        if len(values) < 2:
            return float("nan")
        factor = 1.0 / len(values) + self.share
        return float(np.sqrt(factor * values.var(ddof=1)))

    def is_better(self, metric: str, errors: float = 1.0) -> bool:
        """Whether the model is better than the baseline by more than some standard errors."""
        mean, error, baseline = self.result(metric)
        # The standard error of a single fold is unknown.
        return bool(METRICS[metric].gain(mean, baseline) > errors * np.nan_to_num(error))


def _mean(values: np.ndarray) -> float:
    """The mean of the folds in which a metric is defined."""
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else float("nan")


def repeats_for(n_samples: int) -> int:
    """The number of repeats: many for small data sets, where the folds matter by chance."""
    for limit, repeats in ((200, 10), (500, 5), (1000, 2)):
        if n_samples <= limit:
            return repeats
    return 1


@renamed_arguments(told="progress", folds="cv")
def assess(
    model: Estimator,
    X: RawSamples,
    y: Targets,
    *,
    cv: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    progress: Callable[[], None] | None = None,
    metric: str | None = None,
    balanced: bool = False,
    enough: Callable[[int], bool] | None = None,
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
    cv : int
        The number of folds; at most as many as the most frequent class has samples.
    repeats : int, optional
        How often the cross-validation is repeated with other folds. By default 10 times for up to
        200 samples, 5 times up to 500, twice up to 1,000, and once above.
    random_state : int
        The seed of the folds.
    progress : callable, optional
        Called without arguments after each fold, to show progress.
    metric : str, optional
        The metric of the scores: "accuracy" (the default), "balanced", "auc", "logloss",
        "precision", "recall" or "f1" of classifiers, "r2" (the default), "rmse" or "mae" of
        regressors. All of them are in ``measured``.
    balanced : bool
        Whether classes have the same total weight in the fits.
    enough : callable, optional
        Called with the number of folds that are done, before each further one: whether they are
        enough, as where a limit of time is reached. A later repeat counts as a whole or not at all;
        samples that the first one leaves out have the fold -1.

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
    integer(1).check("cv", cv)
    y = np.asarray(y)
    n_samples = raw_length(X)
    classification = is_classifier(model)
    reference = Reference(y, "classification" if classification else "regression")
    chosen = _metric(metric, reference.task)
    if repeats is None:
        repeats = repeats_for(n_samples)
    if classification:
        counts = np.unique(y, return_counts=True)[1]
        cv = max(2, min(cv, int(counts.max())))
    folds = min(cv, n_samples)
    predicted = np.empty((repeats, n_samples), dtype=y.dtype if classification else float)
    probability = np.zeros((n_samples, len(reference.shares)))
    fold = np.full(n_samples, -1)
    rows, models, covered = [], [], []
    seeds = [(random_state + repeat) % 2**32 for repeat in range(repeats)]
    parts = [part for seed in seeds for part in split_folds(y, classification, folds, seed)]
    for index, (train, test) in enumerate(parts):
        if index and enough is not None and enough(index):
            break
        with warnings.catch_warnings():
            if index:  # the warnings of the first fold are enough
                warnings.simplefilter("ignore")
            fitted = fit(clone(model), pick_rows(X, train), y[train], balanced)
            outcome = predict(fitted, pick_rows(X, test), y[test], reference)
            if index < folds:
                covered.append(measure_coverage(fitted, pick_rows(X, test), y[test]))
        rows.append(reference.measure(outcome))
        predicted[index // folds, test] = outcome.predicted
        if index < folds:
            fold[test] = index
            models.append(fitted)
            if outcome.probability is not None:
                probability[test] = outcome.probability
        if progress is not None:
            progress()
    repeats = max(1, len(rows) // folds)
    rows, predicted = rows[: repeats * folds], predicted[:repeats]
    measured = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    known = probability if probability.any() else None
    results = (predicted, known, fold, models, folds, repeats)
    return Assessment(
        reference.task,
        measured[chosen.name],
        1.0 / (folds - 1),
        *results,
        chosen.name,
        measured,
        reference.baselines(y),
        coverage=of_all_folds(covered),
    )


def assess_on(
    model: Estimator,
    X: RawSamples,
    y: np.ndarray,
    reference: Reference,
    *,
    metric: str | None = None,
    random_state: int = 0,
) -> Assessment:
    """The scores of a fitted model on a test set, with standard errors by the bootstrap.

    The baseline is the constant prediction that is best on the training set, of which
    ``reference`` is made.
    """
    chosen = _metric(metric, reference.task)
    if reference.task == "regression":
        reference.facts["variance"] = float(y.var())
    outcome = predict(model, X, y, reference)
    assessment = _of_outcome(outcome, reference, chosen.name, [model], 1, random_state)
    return dataclasses.replace(assessment, coverage=measure_coverage(model, X, y))


def assess_left_out(
    model: Estimator,
    rows: np.ndarray,
    y: np.ndarray,
    reference: Reference,
    *,
    metric: str | None = None,
    random_state: int = 0,
) -> Assessment:
    """The scores of the leave-one-out predictions that a fit made for some rows, whose y is given.

    Kernel and penalty were chosen by the same predictions, so that scores are a little too good.
    """
    chosen = _metric(metric, reference.task)
    predicted = model.loo_predictions_[rows]
    if reference.task == "classification":
        outcome = reference.outcome(y, model.classes_[predicted.argmax(axis=1)], predicted)
    else:
        outcome = reference.outcome(y, predicted)
    return _of_outcome(outcome, reference, chosen.name, [], 0, random_state)


def _of_outcome(
    outcome: Outcome,
    reference: Reference,
    metric: str,
    models: list[Estimator],
    folds: int,
    random_state: int,
) -> Assessment:
    """The scores of one set of predictions, with standard errors by the bootstrap."""
    y = outcome.y
    measured = {name: np.array([value]) for name, value in reference.measure(outcome).items()}
    rng = np.random.default_rng(random_state)
    drawn = [outcome.take(rng.integers(0, len(y), len(y))) for _ in range(_RESAMPLED)]
    errors = {name: _spread(METRICS[name], drawn) for name in measured}
    predicted = outcome.predicted[None, :]
    results = (predicted, outcome.probability, np.zeros(len(y), dtype=int), models, folds, 1)
    return Assessment(
        reference.task,
        measured[metric],
        0.0,
        *results,
        metric,
        measured,
        reference.baselines(y),
        errors,
    )


def _spread(metric: Metric, outcomes: list[Outcome]) -> float:
    """The standard deviation of a metric where it is defined."""
    values = np.array([metric.value(outcome) for outcome in outcomes])
    values = values[np.isfinite(values)]
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def _metric(name: str | None, task: str) -> Metric:
    if name is None:
        name = "accuracy" if task == "classification" else "r2"
    return metric_for(name, task)


def predict(
    model: Estimator, X: RawSamples, y: np.ndarray, reference: Reference, probable: bool = True
) -> Outcome:
    """The predictions of a model; of a classifier with probabilities of all known classes."""
    predicted = np.asarray(model.predict(X))
    if not (probable and hasattr(model, "predict_proba")):
        return reference.outcome(y, predicted)
    probability = np.zeros((len(y), len(reference.shares)))
    with warnings.catch_warnings():
        # The same warnings came with the predictions.
        warnings.simplefilter("ignore")
        columns = np.searchsorted(reference.facts["classes"], model.classes_)
        probability[:, columns] = model.predict_proba(X)
    return reference.outcome(y, predicted, probability)
