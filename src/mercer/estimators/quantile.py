"""Quantile regression in feature space."""

from __future__ import annotations

import time
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_pinball_score
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.domains.base import raw_length
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import SupportVectorMachine
from mercer.solvers.margin.dual import Bounds


class KernelQuantileRegressor(RegressorMixin, SupportVectorMachine):
    """C Σ w · pinball loss + ½ ‖f‖² with a bias: one function for each quantile, sorted at prediction so that they do not cross.

    The dual is that of the margin machines, between −C(1 − τ) and Cτ. About a share τ of the samples lies below f_τ.

    Parameters
    ----------
    quantile : a number between 0 and 1, or several
    C : inverse strength of the penalty
    kernel, gamma, degree, coef0 : as in `SVR`
    tol : the KKT gap at which the fit is done, as a share of the standard deviation of y

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelQuantileRegressor
    >>> x = np.linspace(0, 3, 40)[:, None]
    >>> model = KernelQuantileRegressor([0.1, 0.5, 0.9], kernel=RBF()).fit(x, 10 + np.sin(x[:, 0]) + np.resize([-1.0, 0.0, 1.0], 40))
    >>> model.predict([[1.5]]).round().tolist()
    [[10.0, 11.0, 12.0]]
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        **SupportVectorMachine._parameter_constraints,
        "quantile": [Interval(Real, 0, 1, closed="neither"), "array-like"],
    }

    def __init__(
        self,
        quantile: Any = 0.5,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.quantile = quantile
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with numbers ``y``; a weight multiplies C for its sample."""
        start = time.perf_counter()
        levels = np.asarray(self.quantile, dtype=np.float64)
        if levels.ndim > 1 or levels.size == 0 or not ((levels > 0) & (levels < 1)).all():
            raise ParameterError("quantile", self.quantile, "must lie strictly between 0 and 1")
        data = self._begin(X, y, sample_weight, "number")
        bound = self.C * data.weight
        problem = self._problem(data)
        problem.tol = self.tol * (float(data.y.std()) or 1.0)
        solutions = []
        for level in levels.ravel():
            bounds = Bounds(-bound[None] * (1 - level), bound[None] * level)
            beta = np.zeros((1, data.count))
            solutions.append(problem.solve(data.y[None], bounds, beta, 0.0, self.max_iter))
        dual = np.vstack([problem.coefficients(solution.beta[0]) for solution in solutions])
        used = np.flatnonzero(dual.any(axis=0))
        self._keep_support(data.kernel, data.X, data.rows[used])
        self.dual_coef_ = dual[:, used]
        self.intercept_ = np.array([float(solution.levels[0]) for solution in solutions])
        self.n_iter_ = int(sum(solution.iterations for solution in solutions))
        self._levels = levels
        seconds = time.perf_counter() - start
        self._report(data.kernel, problem.plan, solutions, seconds, problem.tol)
        return self

    def predict(self, X: RawSamples) -> np.ndarray:
        """The quantiles: one number per sample, or, if several were asked for, one column each, in the order asked for."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        values = (
            self._expansion().apply(X, np.ascontiguousarray(self.dual_coef_.T)) + self.intercept_
        )
        if self._levels.ndim == 0:
            return values[:, 0]
        order = np.argsort(self._levels, kind="stable")
        values[:, order] = np.sort(values, axis=1)
        return values

    def score(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> float:
        """1 − pinball loss / that of the best constants; the mean over quantiles."""
        values = self.predict(X).reshape(raw_length(X), -1)
        levels = np.atleast_1d(self._levels)
        scores = [
            d2_pinball_score(y, values[:, k], sample_weight=sample_weight, alpha=float(a))
            for k, a in enumerate(levels)
        ]
        return float(np.mean(scores))
