"""Novelty by support vectors: a half-space, a ball."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin

from mercer.aliases import Gamma, KernelLike, RawSamples, Targets, Weights
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import SingleMachine, filled
from mercer.solvers.margin.dual import Bounds, DualSolution


def _boundary(solution: DualSolution, diagonal: np.ndarray) -> float:
    """The level of a boundary that has its own support vectors inside, rounding included, once they are known exactly."""
    scale = float(np.abs(solution.beta).sum()) * float(np.abs(diagonal).max())
    if solution.gap <= 1e-9 * max(scale, 1e-300):
        return float(solution.edges[0]) + 1e-12 * scale
    return float(solution.levels[0])


class OneClassSVM(OutlierMixin, SingleMachine):
    """The half-space that holds all but a share ν of the samples, as in scikit-learn: +1 inside, −1 outside."""

    needs: ClassVar[str] = "psd"

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored."""
        start = time.perf_counter()
        data = self._begin(X, None, sample_weight, "none")
        problem = self._problem(data)
        room = data.weight
        beta = filled(room, self.nu * room.sum())[None]
        zero = np.zeros_like(beta)
        bounds = Bounds(zero.copy(), room[None].copy())
        solution = problem.solve(zero, bounds, beta, 0.0, self.max_iter)
        level = _boundary(solution, problem.diagonal)
        self._finish(problem, data, solution.beta[0], level, solution, start)
        self.offset_ = -self.intercept_
        return self

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Positive inside."""
        return self._value(X)

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """The decision before the offset is subtracted."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: RawSamples) -> np.ndarray:
        """+1 inside, −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)


class SVDD(OutlierMixin, SingleMachine):
    """The smallest ball in feature space that holds all but a share ν of the samples (support vector data description).

    With a kernel of constant k(x, x) it is the one-class SVM; unlike that it also takes conditionally positive kernels.

    Examples
    --------
    >>> from mercer import SVDD, NegativeDistance
    >>> model = SVDD(kernel=NegativeDistance(power=2.0), nu=0.5).fit([[-1.0], [0.0], [1.0]])
    >>> model.predict([[0.1], [3.0]]).tolist()
    [1, -1]
    """

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored."""
        start = time.perf_counter()
        data = self._begin(X, None, sample_weight, "none")
        problem = self._problem(data)
        # on the scale of the one-class machine, where a tolerance means as much; then over Σβ
        share = self.nu * float(data.weight.sum())
        total = max(share, 1.0)
        room = data.weight * (total / share)
        target = total * problem.diagonal[None] / 2
        beta = filled(room, total)[None]
        bounds = Bounds(np.zeros_like(beta), room[None].copy())
        solution = problem.solve(target, bounds, beta, 0.0, self.max_iter)
        within = float(solution.beta[0] @ (target[0] - solution.slack[0])) / total**2
        level = _boundary(solution, problem.diagonal) / total
        self.radius_ = float(np.sqrt(max(2 * level + within, 0.0)))
        first = float(problem.diagonal[0])
        constant = np.ptp(problem.diagonal) <= 1e-12 * abs(first)
        self._diagonal = first if constant else None
        self._finish(problem, data, 2 * solution.beta[0] / total, 2 * level, solution, start)
        self.offset_ = np.array([-(self.radius_**2)])
        return self

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """The squared radius less the squared distance from the centre: positive inside."""
        value = self._value(X)
        if self.kernel_ is not None:
            return value - self.kernel_.diag(self._check_X(X, reset=False))
        if self._diagonal is None:
            rule = "does not hold k(x, x) of new samples, which SVDD needs unless it is the same for all"
            raise ParameterError(
                "kernel", "precomputed", rule, "normalise the kernel, or give a kernel object"
            )
        return value - self._diagonal

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """Minus the squared distance from the centre."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: RawSamples) -> np.ndarray:
        """+1 inside, −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
