"""Support vector regression."""

from __future__ import annotations

import time
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.aliases import Gamma, KernelLike, RawSamples, Targets, Weights
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import SingleMachine, filled
from mercer.estimators.svm.problem import MarginProblem
from mercer.solvers.margin.dual import DualSolution


class MarginRegressor(RegressorMixin, SingleMachine):
    def _target_checks(self) -> dict[str, Any]:
        return {"y_numeric": True, "multi_output": False}

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with numbers ``y``; a weight multiplies C for its sample."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        X, y, weight, choice = self._begin(X, y, sample_weight)
        target = np.asarray(y, dtype=np.float64)
        rows, kernel = self._kept(choice, X, weight)
        problem = self._problem(kernel, X, rows)
        solution, intercept = self._solve(problem, target[rows], self.C * weight[rows])
        self._finish(problem, X, rows, solution.beta.sum(axis=0), intercept, solution, start)
        return self

    def _solve(
        self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray
    ) -> tuple[DualSolution, float]:
        raise NotImplementedError(type(self).__name__)

    def predict(self, X: RawSamples) -> np.ndarray:
        """The regression function."""
        return self._value(X)


class SVR(MarginRegressor):
    """ε-insensitive regression, as in scikit-learn.

    Examples
    --------
    >>> from mercer import RBF, SVR
    >>> model = SVR(kernel=RBF(), C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> model.predict([[1.0]]).round(2).tolist()
    [0.99]
    """

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    def _solve(
        self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray
    ) -> tuple[DualSolution, float]:
        solution = problem.solve(
            y[None],
            -limit[None],
            limit[None],
            np.zeros((1, len(y))),
            float(self.epsilon),
            self.max_iter,
        )
        return solution, float(solution.levels[0])


class NuSVR(MarginRegressor):
    """ν in place of ε: it bounds the share of points outside the tube; as in scikit-learn."""

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    def _solve(
        self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray
    ) -> tuple[DualSolution, float]:
        zero = np.zeros_like(limit)
        start = filled(limit, self.nu * limit.sum() / 2)
        solution = problem.solve(
            np.vstack([y, y]),
            np.vstack([zero, -limit]),
            np.vstack([limit, zero]),
            np.vstack([start, -start]),
            0.0,
            self.max_iter,
        )
        self.epsilon_ = float((solution.levels[0] - solution.levels[1]) / 2)
        return solution, float(solution.levels.mean())
