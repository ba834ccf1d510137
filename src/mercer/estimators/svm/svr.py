"""Support vector regression."""

from __future__ import annotations

import time
from typing import Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.aliases import Gamma, KernelLike, RawSamples, Targets, Weights
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import SingleMachine, filled
from mercer.solvers.margin.dual import Bounds, DualSolution
from mercer.solvers.margin.problem import MarginProblem


class MarginRegressor(RegressorMixin, SingleMachine):
    """Base class of support vector regression."""

    C: float

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies C for its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        data = self._begin(X, y, sample_weight, "number")
        problem = self._problem(data)
        solution, intercept = self._solve(problem, data.y, self.C * data.weight)
        self._finish(problem, data, solution.beta.sum(axis=0), intercept, solution, start)
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
        bounds = Bounds(-limit[None], limit[None])
        beta = np.zeros((1, len(y)))
        solution = problem.solve(y[None], bounds, beta, float(self.epsilon), self.max_iter)
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
        bounds = Bounds(np.vstack([zero, -limit]), np.vstack([limit, zero]))
        beta = np.vstack([start, -start])
        solution = problem.solve(np.vstack([y, y]), bounds, beta, 0.0, self.max_iter)
        self.epsilon_ = float((solution.levels[0] - solution.levels[1]) / 2)
        return solution, float(solution.levels.mean())
