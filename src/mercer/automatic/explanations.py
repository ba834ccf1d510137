"""Explanations of a fitted model: columns, terms of the kernel, samples, and their number."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.base import is_classifier

from mercer.aliases import Estimator, KernelLike, RawSamples, Targets
from mercer.automatic.assessment import Assessment, predict
from mercer.automatic.kinds.models import LearnedMixture
from mercer.automatic.learners import EVIDENCE, LEARNED, SQUARED_ERROR, learner_for
from mercer.automatic.metrics import METRICS, Metric, Reference, default_metric
from mercer.automatic.studies.deadline import check_time
from mercer.automatic.subsets import Fold, split_folds
from mercer.automatic.tabular.models import LearnedRegressor
from mercer.automatic.tuning import blas_threads
from mercer.definiteness import PSD, STRICT
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Sum

_CERTAIN = 0.9995  # a probability that rounds to 1 in three digits
_MOST_SHUFFLED = 300  # held-out samples per fold; more would only make the estimate more precise


@dataclasses.dataclass(frozen=True)
class Contribution:
    """A column's permutation importance: how much the held-out score falls when it is shuffled.

    Attributes
    ----------
    column : str
        The name of the column.
    drop : float
        The mean fall of the score over the folds.
    error : float
        The standard error of this mean.
    """

    column: str
    drop: float
    error: float


def column_contributions(
    assessment: Assessment,
    X: RawSamples,
    y: Targets,
    *,
    columns: Sequence[str] | None = None,
    random_state: int = 0,
    most: int = 100,
) -> list[Contribution]:
    """The permutation importance of each column on held-out samples, the largest first.

    It is a fall of the score when the column is shuffled, of models that have not seen these
    samples; of the AUC where the accuracy is no better than that of the most frequent class.
    Samples without columns, and tables of more than ``most`` columns, have none: every
    column costs a prediction in every fold.

    Parameters
    ----------
    assessment : Assessment
        What `assess` returned: models, and the samples that each of them has not seen.
    X : data frame
        The samples that were assessed.
    y : array of shape (n,)
        Their targets.
    columns : sequence of str, optional
        The columns to shuffle; by default all of them.
    random_state : int, default=0
        The seed of the shuffles.
    most : int, default=100
        The largest number of columns.

    Returns
    -------
    list of Contribution
        The ``column``, the mean ``drop`` of the score, and its standard ``error``.

    References
    ----------
    .. [1] L. Breiman, "Random forests", Machine Learning 45 (2001) 5-32.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import AutoRegressor, assess, column_contributions
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> assessment = assess(AutoRegressor(time="fast"), X, y, cv=2, repeats=1)
    >>> found = column_contributions(assessment, X, y)
    >>> len(found), found[0].drop > found[-1].drop
    (10, True)
    """
    columns = columns or list(getattr(X, "columns", []))
    if not 1 < len(columns) <= most:
        return []
    y = np.asarray(y)
    reference = Reference(y, assessment.task)
    metric = METRICS[importance_metric(assessment) or default_metric(y, assessment.task)]
    rng = np.random.default_rng(random_state)
    drops: dict[str, list[float]] = {str(name): [] for name in columns}
    # One model alone, on a test set, needs several shuffles to show their spread.
    models = list(enumerate(assessment.models)) * (1 if len(assessment.models) > 1 else 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for index, model in models:
            rows = np.flatnonzero(assessment.fold == index)
            rows = np.sort(rng.permutation(rows)[:_MOST_SHUFFLED])
            X_test, y_test = X.iloc[rows], y[rows]
            original = _value(metric, model, X_test, y_test, reference)
            for name in columns:
                check_time()
                if name in getattr(model, "left_out_", ()):
                    drops[str(name)].append(0.0)
                    continue
                shuffled = X_test.copy()
                shuffled[name] = X_test[name].to_numpy()[rng.permutation(len(X_test))]
                value = _value(metric, model, shuffled, y_test, reference)
                drops[str(name)].append(metric.gain(original, value))
    contributions = [Contribution(name, *_mean_and_error(fall)) for name, fall in drops.items()]
    return sorted(contributions, key=lambda contribution: -contribution.drop)


def importance_metric(assessment: Assessment) -> str:
    """The metric by which columns are compared: the judge, or the AUC where it is of no use.

    An accuracy that is no better than that of the most frequent class hardly falls when a column
    is shuffled, although the probabilities may depend on it.
    """
    judge = assessment.metric
    if judge != "accuracy" or not assessment.measured or assessment.is_better(judge):
        return judge
    area = assessment.result("auc")[0]
    return "auc" if np.isfinite(area) else "logloss"


def _value(
    metric: Metric, model: Estimator, X: RawSamples, y: np.ndarray, reference: Reference
) -> float:
    return metric.value(predict(model, X, y, reference, metric.probabilistic))


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error, where the values are defined."""
    known = np.array(values)[np.isfinite(values)]
    if len(known) < 2:
        return float(known.sum()), 0.0
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


def fitted_samples(model: Estimator, *names: str) -> RawSamples | None:
    """The training samples that a model keeps under one of these names; None if it keeps none."""
    for name in names:
        if hasattr(model, name):
            return getattr(model, name)
    return None


def term_shares(model: Estimator) -> list[tuple[str, float]]:
    """The share of each term of a sum of kernels in the squared norm of the learned function.

    For f = Σ c_i k(·, x_i) and k = Σ k_t it is cᵀK_t c/cᵀKc. Other kernels have no shares.
    """
    terms = _terms(getattr(model, "kernel_", None))
    if len(terms) < 2 or not hasattr(model, "dual_coef_"):
        return []
    samples = fitted_samples(model, "support_vectors_", "X_fit_")
    if samples is None:
        return []
    c = _dual_coefficients(model, raw_length(samples))
    norms = [_squared_norm(term, samples, c) for term in terms]
    total = sum(norms)
    if total <= 0:
        return []
    return [(repr(term), norm / total) for term, norm in zip(terms, norms, strict=True)]


def _dual_coefficients(model: Estimator, n_samples: int) -> np.ndarray:
    """The coefficients of a fitted model with a row for each sample."""
    c = np.atleast_2d(dense_numbers(model.dual_coef_))
    if c.shape[0] != n_samples:
        return c.T
    return c


def _squared_norm(kernel: Kernel, samples: RawSamples, c: np.ndarray) -> float:
    return max(0.0, float(np.einsum("ij,ij->", c, kernel.gram(samples) @ c)))


def _terms(kernel: KernelLike) -> list[Kernel]:
    """The terms of a sum, however deep the sums are nested; another kernel is its only term."""
    if not isinstance(kernel, Sum):
        return [kernel]
    return [term for part in kernel.children() for term in _terms(part)]


def trials(model: Estimator) -> list[tuple[str, float, float]]:
    """The trials of model selection: the kernel, the penalty, and the loss in units of the target.

    Regressors are fitted to the standardized target z = (y − mean)/scale. Squared errors of y are
    scale² times those of z, and its density is that of z divided by the scale.
    """
    scale = getattr(model, "target_scale_", 1.0)
    factor, shift = 1.0, 0.0
    if model.loss_ == SQUARED_ERROR:
        factor = scale**2
    elif model.loss_ == EVIDENCE:
        shift = float(np.log(scale))
    return [
        (kernel, penalty, factor * loss + shift) for kernel, penalty, loss in model.tuned_.trials
    ]


@dataclasses.dataclass(frozen=True)
class CurvePoint:
    """The score on held-out samples of models fitted on ``count`` samples."""

    count: int
    score: float
    error: float


def learning_curve(
    model: Estimator,
    X: RawSamples,
    y: Targets,
    *,
    points: int = 5,
    cv: int = 5,
    most: int = 4000,
    random_state: int = 0,
) -> list[CurvePoint]:
    """Cross-validated scores of the chosen kernel and penalty on training sets of growing size.

    It is the accuracy, or R². It is computed on at most ``most`` samples, whose Gram matrix serves
    all training sets, so that it takes little time.
    """
    y = np.asarray(y)
    n_samples = raw_length(X)
    rng = np.random.default_rng(random_state)
    if n_samples > most:
        rows = np.sort(rng.permutation(n_samples)[:most])
        X, y, n_samples = pick_rows(X, rows), y[rows], most
    curve = []
    # a training set has half of the samples on average
    with blas_threads(n_samples // 2), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel, X = _chosen_kernel(model, X)
        parts = split_folds(y, is_classifier(model), cv, random_state)
        largest = min(len(train) for train, _ in parts)
        shuffled = [(train[rng.permutation(len(train))], test) for train, test in parts]
        counts = np.geomspace(min(20, largest), largest, points).round().astype(int)
        for count in np.unique(counts):
            check_time()
            trained = [(np.sort(train[:count]), test) for train, test in shuffled]
            scores = _scores(model, kernel, X, y, trained)
            if len(scores) > 1:
                curve.append(CurvePoint(int(count), *_mean_and_error(scores)))
    return curve


def _chosen_kernel(model: Estimator, X: RawSamples) -> tuple[KernelLike, RawSamples]:
    """The kernel that models of subsets have, and all samples as it reads them."""
    kernel = model.tuned_.kernel
    if isinstance(model.model_, LearnedMixture):
        return "precomputed", model.model_.encode(X)
    if model.learner_ == LEARNED:
        return kernel, model.model_.encode(X)
    if _takes_gram(model):
        return "precomputed", np.asarray(kernel.copy().fit(X)(X))
    return kernel, X


def _takes_gram(model: Estimator) -> bool:
    """Whether it takes Gram matrices, and its kernel is proved: a matrix may be refuted."""
    return model.learner_ != "gp" and model.tuned_.kernel.certificate().status in (STRICT, PSD)


def _scores(
    model: Estimator, kernel: KernelLike, X: RawSamples, y: np.ndarray, parts: list[Fold]
) -> list[float]:
    """Scores of the chosen kernel and penalty; none where a training set has one class only."""
    classification = is_classifier(model)
    reference = Reference(y, model._task)
    metric = METRICS["accuracy" if classification else "r2"]
    scores = []
    for train, test in parts:
        if not classification or len(np.unique(y[train])) > 1:
            predicted = _refit(model, kernel, X, y, (train, test))
            scores.append(metric.value(reference.outcome(y[test], predicted)))
    return scores


def _refit(
    model: Estimator, kernel: KernelLike, X: RawSamples, y: np.ndarray, part: Fold
) -> np.ndarray:
    """Predictions for the test set by the chosen kernel and penalty, fitted on the training set."""
    train, test = part
    if model.learner_ == LEARNED:
        blank = model.model_.blank
    else:
        blank = learner_for(model._task, model.learner_).make(kernel, model.tuned_.penalty)
    X_train, X_test, y_train = pick_rows(X, train), pick_rows(X, test), y[train]
    if isinstance(kernel, str):
        X_train, X_test = X_train[:, train], X_test[:, train]
    if is_classifier(model):
        return blank.fit(X_train, y_train).predict(X_test)
    mean, scale = y_train.mean(), y_train.std() or 1.0
    if isinstance(model.model_, LearnedRegressor):  # it knows of zero, and has a constant
        mean, scale = model.target_mean_, model.target_scale_
    return mean + scale * blank.fit(X_train, (y_train - mean) / scale).predict(X_test)


def hardest(
    assessment: Assessment, y: Targets, classes: np.ndarray | None = None, count: int = 10
) -> list[tuple[int, float]]:
    """The samples predicted worst, with the number that says so.

    It is the probability of their own class, or the residual in regression. ``classes`` are those
    of the training samples, where ``y`` may lack some. Samples whose probability is shown as 1 are
    not among them.
    """
    y = np.asarray(y)
    if assessment.probability is None:
        values = y - assessment.predicted[0]
        order = np.argsort(-np.abs(values), kind="stable")
    else:
        own_class = np.searchsorted(np.unique(y) if classes is None else classes, y)
        values = assessment.probability[np.arange(len(y)), own_class]
        order = np.argsort(values, kind="stable")
        order = order[values[order] < _CERTAIN]
    return [(int(row), float(values[row])) for row in order[:count]]
