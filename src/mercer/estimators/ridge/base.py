"""Base classes of ridge regression."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from mercer.aliases import ParameterRules, RawSamples
from mercer.domains.base import Batch, raw_length
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training
from mercer.estimators.common.validation import check_fitted
from mercer.gram.plan import Plan
from mercer.state import State

RIDGE_RULES: ParameterRules = {**KERNEL_RULES, "gamma": [*KERNEL_RULES["gamma"], None]}


class RidgeRegressor(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Base class of ridge regression: fitted attributes, report and prediction."""

    needs: ClassVar[str] = "psd"
    stored: ClassVar[State] = State(
        finite=("dual_coef_", "primal_coef_", "intercept_"),
        plain=("kernel_", "X_fit_", "report_"),
        samples=("X_fit_",),
        per_sample=("dual_coef_",),
    )

    def _keep(self, data: Training, dual: np.ndarray) -> None:
        """Set the coefficients of all samples given; those of weight 0 get 0."""
        self.kernel_ = data.kernel
        self.X_fit_ = data.X
        coefficients = np.zeros((data.n_given, dual.shape[1]))
        coefficients[data.rows] = dual
        self.dual_coef_ = as_targets(coefficients, data.y.ndim)
        for name in ("primal_coef_", "intercept_"):
            self.__dict__.pop(name, None)

    def _report(
        self, data: Training, solution: RidgeSolution, penalty: np.ndarray, start: float
    ) -> None:
        """The objective J = ½ Σ w (y − f)² + ½ λ ‖f‖², and how well a = w (y − f)/λ holds."""
        A, F = solution.dual, solution.values
        Y = as_columns(data.y)
        gap = data.weight[:, None] * (Y - F)
        loss = 0.5 * float(np.sum(gap * (Y - F)))
        norm = 0.5 * float(np.sum(np.broadcast_to(penalty, A.shape) * A * F))
        identity = float("nan")
        if np.all(penalty > 0):
            largest = float(np.abs(A).max()) or 1.0
            identity = float(np.abs(A - gap / penalty).max()) / largest
        seconds = time.perf_counter() - start
        facts = {"objective": loss + norm, "identity": identity}
        plan, solver = str(solution.plan), solution.solver
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds, facts=facts)

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            f(x) = Σ a_i k(x, x_i).
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        if "primal_coef_" in vars(self) and self.kernel_ is not None:
            weights = as_columns(self.primal_coef_)
            values = np.asarray(self.kernel_.map_features(Batch(X), None) @ weights)
        else:
            n = raw_length(self.X_fit_)
            samples = None if self.kernel_ is None else self.X_fit_
            expansion = Expansion(self.kernel_, samples, np.arange(n), n)
            values = expansion.apply(X, np.ascontiguousarray(as_columns(self.dual_coef_)))
        return as_targets(values, self.dual_coef_.ndim) + vars(self).get("intercept_", 0.0)


class RidgeSolution:
    """Coefficients and fitted values of all targets, and how they were computed."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.dual, self.values = np.empty(shape), np.empty(shape)
        self.primal: np.ndarray | None = None
        self.plan: Plan | str = ""
        self.solver = ""


def as_columns(y: np.ndarray) -> np.ndarray:
    """Targets as a matrix, one column each."""
    if y.ndim == 1:
        return y[:, None]
    return y


def as_targets(columns: np.ndarray, ndim: int) -> np.ndarray:
    """Columns in the form of the targets: a vector where these are one."""
    if ndim == 1:
        return columns[:, 0]
    return columns
