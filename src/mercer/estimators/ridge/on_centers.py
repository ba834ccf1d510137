"""Ridge regression on centers: the squared loss of all rows, for a function on some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mercer.estimators.centers.changes import Repeated, Shifted
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.problem import CenterProblem, Task
from mercer.estimators.centers.scores import r_squared
from mercer.gram.centers import Centers
from mercer.solvers.nystrom.losses import Squared

if TYPE_CHECKING:
    from mercer.estimators.ridge.base import RidgeRegressor

EXACT_STEPS = 27.0  # of conjugate gradients on the whole matrix
_PATH_CENTERS = 1000  # centers at most, of the models that choose among penalties
_HELD_OUT, _MOST_HELD = 0.2, 5000  # rows that choose among penalties


def fit_on_centers(
    estimator: RidgeRegressor, data: RowData, penalty: np.ndarray, start: float
) -> None:
    """Set the coefficients of the centers, the mean of the targets, and the report."""
    problem = CenterProblem(estimator, data)
    mean = _center(problem, data)
    task = Task(Squared(), penalty, data.n_targets, intercept=False, scale=data.spread)
    fitted = problem.fit(task, r_squared)
    estimator.kernel_ = data.kernel
    estimator.X_fit_ = fitted.samples
    estimator.__dict__.pop("primal_coef_", None)
    weights = fitted.solution.weights
    estimator.dual_coef_ = weights[:, 0].copy() if data.one_target else weights
    estimator.intercept_ = float(mean[0]) if data.one_target else mean
    estimator.report_ = fitted.report(data, start)


def held_out_errors(estimator: RidgeRegressor, data: RowData, penalties: np.ndarray) -> np.ndarray:
    """The mean squared error of every penalty for rows held out, all by the same passes."""
    held = max(1, min(_MOST_HELD, int(_HELD_OUT * data.count)))
    problem = CenterProblem(estimator, data, held_out=held)
    if isinstance(problem.given, str):  # the best penalty hardly depends on the centers
        problem.n_centers = min(problem.n_centers, _PATH_CENTERS)
    _center(problem, data)
    problem.change(Repeated(len(penalties)))
    n_outputs = data.n_targets * len(penalties)
    repeated = np.repeat(penalties, data.n_targets)
    task = Task(Squared(), repeated, n_outputs, intercept=False, scale=data.spread)
    fitted = problem.fit(task)
    assert problem.test is not None and problem.test.y is not None
    values = Centers(data.kernel, fitted.samples).apply(problem.test.X, fitted.solution.weights)
    errors = ((values - problem.test.y) ** 2).reshape(-1, len(penalties), data.n_targets)
    return np.average(errors.mean(axis=2), axis=0)


def _center(problem: CenterProblem, data: RowData) -> np.ndarray:
    """Subtract the mean of the targets, unless all rows are centers; return what was subtracted.

    Far from 0 a function on few centers would have to spend itself on the mean.
    """
    assert data.mean is not None
    if problem.complete:
        return np.zeros_like(data.mean)
    problem.change(Shifted(data.mean))
    return data.mean
