"""Classifiers on centers: the score of their decisions, and what they keep of a solution."""

from __future__ import annotations

import numpy as np

from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.problem import CenterProblem, Fitted, Task
from mercer.estimators.common.dual_classifier import DualClassifier


def keep_on_centers(
    estimator: DualClassifier, data: RowData, problem: CenterProblem, task: Task, start: float
) -> Fitted:
    """Solve the task, and set the centers, their coefficients, the biases and the report."""
    fitted = problem.fit(task, accuracy)
    estimator._keep_centers(data.kernel, fitted.samples, fitted.positions, data.count)
    estimator.dual_coef_ = fitted.solution.weights
    estimator.intercept_ = fitted.solution.bias
    estimator.report_ = fitted.report(data, start)
    return fitted


def accuracy(values: np.ndarray, y: np.ndarray) -> float:
    """The share of rows whose class is decided; y are numbers of classes or signs."""
    decided = values.argmax(axis=1)
    if values.shape[1] == 1:
        decided = (values[:, 0] > 0).astype(int)
    true = y
    if y.ndim == 2:
        true = (y[:, 0] > 0).astype(int) if y.shape[1] == 1 else y.argmax(axis=1)
    return float(np.mean(decided == true))
