"""Learning a metric by average gradient outer products (recursive feature machines)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from mercer.aliases import KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.definiteness import PSD, STRICT
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, ParameterError
from mercer.estimators.common.base import certificate_on
from mercer.estimators.common.fitting import memory_remedy
from mercer.estimators.learning.metric_data import MetricData, draw_rows
from mercer.estimators.learning.metric_result import LearnedMetric, MetricRound
from mercer.estimators.learning.pull_back import has_scale_per_column, matrix_power, pull_back
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.numerics.derivatives import input_gradients_between
from mercer.params import boolean, integer, positive
from mercer.solvers.ridge.path import RidgePath, ridge_path

RIDGES = tuple(10.0 ** (k / 2) for k in range(-10, 5))  # 1e-5 to 100
Tied = Iterable[Sequence[int | str]] | None  # groups of columns, by position or by name

_SMALLEST = 1e-6  # of the mean weight: every column keeps a finite length scale
_ENTRIES = 2**24  # of the gradients that are held at once


@memory_remedy("learn_metric", "learn from fewer samples with rows=...")
def learn_metric(
    kernel: KernelLike,
    X: RawSamples,
    y: Targets,
    *,
    rounds: int = 2,
    power: float = 0.5,
    diagonal: bool = True,
    rows: int = 1000,
    ridges: ArrayLike = RIDGES,
    tied: Tied = None,
    target: Literal["auto", "numbers", "labels"] = "auto",
    sample_weight: Weights = None,
    random_state: RandomState = 0,
) -> LearnedMetric:
    """Learn which columns, or directions, a kernel should look at.

    In every round kernel ridge regression is fitted, and the mean of ∇f ∇fᵀ over the samples, the
    average gradient outer product M, shows in which directions the fitted function f changes. The
    kernel is then pulled back by W^½, where W = M^power is scaled to a mean diagonal of 1, and
    fitted again. The round with the smallest leave-one-out error is kept; round 0 is the kernel as
    it was given.

    Parameters
    ----------
    kernel : Kernel or str
        A positive semi-definite kernel with a derivative in x: `RBF`, `Matern`, `Laplacian` and the
        other kernels of a distance, sums, products and multiples of them. Its length scale says how
        wide the kernel is before the first round, and on average after it.
    X : array-like of shape (n_samples, n_features)
        The samples. Columns should have comparable scales.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Numbers or labels. Labels are coded by one column of zeros and ones per class; M is the sum
        over all columns.
    rounds : int, default=2
        How often the metric is learned.
    power : float, default=0.5
        The power of M. Larger powers forget unimportant directions faster.
    diagonal : bool, default=True
        Whether only a weight per column is learned, which becomes a length scale per column. False
        learns a matrix; it needs many more samples than columns.
    rows : int, default=1000
        The number of samples, drawn at random, that the metric is learned from. The time grows with
        its third power.
    ridges : array-like of float
        The penalties of ridge regression to choose from by leave-one-out, as multiples of the mean
        of k(x, x). The default has 15 values from 1e-5 to 100.
    tied : list of lists of columns, optional
        Groups of columns, by position or by name, that share one weight, such as the indicators of
        one category. Only for a diagonal metric.
    target : {"auto", "numbers", "labels"}, default="auto"
        What y is. By default text and booleans are labels, and so are integers of at most 20
        different values that repeat.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples, in ridge regression and in the mean of the gradients.
    random_state : int, RandomState or None, default=0
        The source of randomness of the draw of rows.

    Returns
    -------
    LearnedMetric
        The kernel with the learned metric, the metric, and the errors of all rounds.

    See Also
    --------
    MetricDisplay : Draws the metric.

    References
    ----------
    A. Radhakrishnan, D. Beaglehole, P. Pandit and M. Belkin, "Mechanism for feature learning in
    neural networks and backpropagation-free machine learning models", Science 383, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, learn_metric
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> learned = learn_metric(RBF(2.0), X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1])
    >>> learned.round
    2
    >>> learned.metric.round(1).tolist()
    [3.3, 0.7, 0.0, 0.0]
    """
    base = _checked_kernel(kernel)
    integer(0).check("rounds", rounds)
    positive.check("power", power)
    boolean.check("diagonal", diagonal)
    integer(2).check("rows", rows)
    penalties = _checked_ridges(ridges)
    data = draw_rows(X, y, target, sample_weight, rows, random_state)
    _check_definite(base, data.X)
    units = _units(base, data.X.shape[1])
    groups = _checked_groups(tied, data, diagonal)
    none = np.ones(data.X.shape[1])
    history = [_fit_round(base, none if diagonal else np.diag(none), data, penalties)]
    for _ in range(rounds):
        learned, path = history[-1]
        M = gradient_products(learned.kernel, data, path.dual, diagonal)
        if diagonal:
            metric = _normalized(_tie(M * units**2, groups) ** power)
        else:
            metric = _normalized(matrix_power(M, power))
        history.append(_fit_round(pull_back(base, metric), metric, data, penalties))
    return LearnedMetric(tuple(step for step, _ in history), data.names)


def _checked_kernel(kernel: KernelLike) -> Kernel:
    """A kernel object of the user's, which is not changed."""
    known = parse(kernel) if isinstance(kernel, str) else kernel
    if not isinstance(known, Kernel):
        raise ParameterError("kernel", kernel, "is not a kernel", "give a kernel, such as RBF()")
    return clone(known)


def _check_definite(kernel: Kernel, X: np.ndarray) -> None:
    status = certificate_on(clone(kernel), X).status
    if status not in (STRICT, PSD):
        rule = f"is {status}, and ridge regression needs a positive semi-definite kernel"
        raise DefinitenessError("kernel", kernel, rule)


def _checked_ridges(ridges: ArrayLike) -> np.ndarray:
    values = np.asarray(ridges, dtype=float).ravel()
    if values.size == 0 or not np.isfinite(values).all() or values.min() <= 0:
        rule = "must be positive numbers"
        raise ParameterError("ridges", ridges, rule, "leave-one-out needs a penalty > 0")
    return values


def _units(kernel: Kernel, n_columns: int) -> np.ndarray:
    """The length scales of a kernel that has one per column: gradients are measured in them."""
    if has_scale_per_column(kernel) and np.ndim(kernel.length_scale):
        return np.asarray(kernel.length_scale, dtype=float)
    return np.ones(n_columns)


def _checked_groups(tied: Tied, data: MetricData, diagonal: bool) -> list[np.ndarray]:
    """The positions of the columns in every group."""
    groups = [data.positions(group) for group in tied or ()]
    if groups and not diagonal:
        rule = "is for a weight per column, not for a matrix"
        raise ParameterError("tied", tied, rule, "leave it out, or set diagonal=True")
    members = [column for group in groups for column in group]
    if len(set(members)) < len(members):
        raise ParameterError("tied", tied, "has a column twice", "put it in one group only")
    return [np.array(group, dtype=int) for group in groups if group]


def _fit_round(
    kernel: Kernel, metric: np.ndarray, data: MetricData, ridges: np.ndarray
) -> tuple[MetricRound, RidgePath]:
    """Ridge regression with a kernel, and its leave-one-out error as a share of the variance."""
    K = kernel(data.X)
    path = ridge_path(K, data.Y, data.weight, ridges * float(K.diagonal().mean()))
    error = float(path.losses[path.best]) / (data.variance or 1.0)
    return MetricRound(kernel, metric, error, float(ridges[path.best])), path


def gradient_products(
    kernel: Kernel, data: MetricData, dual: np.ndarray, diagonal: bool = True
) -> np.ndarray:
    """The mean of ∇f ∇fᵀ for f = Σ a_i k(x_i, ·), summed over targets, or its diagonal alone."""
    samples = kernel.prepare(Batch(data.X))
    n_columns = data.X.shape[1]
    total = np.zeros(n_columns if diagonal else (n_columns, n_columns))
    at_once = max(1, _ENTRIES // data.X.size)
    for start in range(0, dual.shape[1], at_once):
        weights = np.ascontiguousarray(dual[:, start : start + at_once].T)[:, None, :]
        gradients = input_gradients_between(kernel, samples, samples, weights)
        gradients *= np.sqrt(data.weight)[:, None]
        rows = gradients.reshape(-1, n_columns)
        total += np.einsum("ij,ij->j", rows, rows) if diagonal else rows.T @ rows
    return total / data.weight.sum()


def _tie(M: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    """M with the mean of every group in place of its columns' own."""
    tied = M.copy()
    for group in groups:
        tied[group] = M[group].mean()
    return tied


def _normalized(metric: np.ndarray) -> np.ndarray:
    """A metric whose weights have mean 1, none of them 0; the identity where no column matters."""
    weights = metric if metric.ndim == 1 else metric.diagonal()
    mean = float(weights.mean())
    if mean <= 0 or not np.isfinite(mean):
        return np.ones(len(weights)) if metric.ndim == 1 else np.eye(len(weights))
    if metric.ndim == 2:
        return metric / mean
    return np.maximum(metric / mean, _SMALLEST)
