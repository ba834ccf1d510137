"""Base class of linear support vector machines: no kernel, the weights are fitted directly."""

from __future__ import annotations

import math
import time
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Features, ParameterRules, RandomState, RawSamples
from mercer.domains.raw import dense_numbers
from mercer.errors import warn
from mercer.estimators.common.fitting import Observable, iteration_callback
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.validation import check_sums, warn_of_equal_samples
from mercer.gram.plan import FLOAT64, require_room
from mercer.kernels.vectors.dot import Linear
from mercer.solvers.margin.linear import (
    MOST_DIRECT,
    LinearProblem,
    LinearSolution,
    solve_by_descent,
    solve_squared,
)
from mercer.state import State

FLOATS = (np.float64, np.float32)  # what samples may be, without a copy of them
# numbers of each sample that are kept: targets, penalties, values, errors, bounds, an order
_KEPT_BY_NEWTON, _KEPT_BY_DESCENT = 12, 24


class LinearMachine(AnswersDask, Observable, BaseEstimator):
    """Base class of linear support vector machines, primal and without a Gram matrix."""

    _remedy: ClassVar[str]  # for samples that the memory budget does not hold
    small_fits_use_blas: ClassVar[bool] = False
    stored: ClassVar[State] = State(finite=("coef_", "intercept_"), plain=("n_iter_", "report_"))
    _parameter_constraints: ClassVar[ParameterRules] = {
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "dual": ["boolean", StrOptions({"auto"})],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }
    tol: float
    C: float
    fit_intercept: bool
    intercept_scaling: float
    loss: str
    verbose: int
    random_state: RandomState
    max_iter: int
    coef_: np.ndarray
    intercept_: np.ndarray | float

    def _columns(self, X: Features) -> Features:
        """The samples with the constant column of the intercept, which is penalized like others."""
        check_sums(X)
        warn_of_equal_samples(X)
        n, d = X.shape
        if sparse.issparse(X) and 3 * X.nnz < 2 * n * d:
            return self._sparse_columns(X)
        self._require_room(n, d + 1, 1.0 + self._copies(d))
        if sparse.issparse(X):
            X = X.toarray()  # which takes no more memory, and less time
        if not self.fit_intercept:
            return np.ascontiguousarray(X, dtype=np.float64)
        columns = np.empty((n, d + 1))
        columns[:, :-1], columns[:, -1] = X, self.intercept_scaling
        return columns

    def _sparse_columns(self, X: Features) -> Features:
        """The same of sparse samples, whose entries have a place of half their size."""
        n, d = X.shape
        self._require_room(n, X.nnz / n + 1, 1.5 + self._copies(d))
        X = X.astype(np.float64, copy=False)
        if not self.fit_intercept:
            return X
        constant = np.full((n, 1), float(self.intercept_scaling))
        return sparse.csr_array(sparse.hstack([X, constant], format="csr"))

    def _copies(self, d: int) -> float:
        """How many further copies of d columns the solver makes."""
        return float(d > MOST_DIRECT and self.loss.startswith("squared"))

    def _require_room(self, n: int, columns: float, copies: float) -> None:
        """Raise an error if copies of the samples, and what is kept of each, do not fit."""
        what = "the float64 samples of a linear machine, with the numbers that it keeps of each"
        kept = _KEPT_BY_NEWTON if self.loss.startswith("squared") else _KEPT_BY_DESCENT
        width = math.ceil(columns * copies) + kept
        require_room(n, width, FLOAT64, what, self._remedy)

    def _solve(self, problem: LinearProblem, share: float) -> LinearSolution:
        """The weights; the tolerance of squared losses is multiplied by a share, as LIBLINEAR's."""
        rest = self.max_iter, self._seed(), iteration_callback(self)
        if self.loss.startswith("squared"):
            return solve_squared(problem, self.tol, share, *rest)
        return solve_by_descent(problem, 1, self.tol, *rest)

    def _seed(self) -> int:
        """The seed of the order of coordinates; the same in every fit without a random_state."""
        if self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _split(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray | float]:
        """Rows of weights as coefficients and intercepts."""
        if not self.fit_intercept:
            return weights, 0.0
        return weights[:, :-1].copy(), self.intercept_scaling * weights[:, -1]

    def _finish(self, solutions: list[LinearSolution], n: int, start: float) -> None:
        """Set the number of iterations and the report, and warn of what has not converged."""
        self.n_iter_ = max(solution.iterations for solution in solutions)
        converged = all(solution.converged for solution in solutions)
        facts = {
            "objective": sum(solution.objective for solution in solutions),
            "iterations": self.n_iter_,
        }
        solver = solutions[0].method
        seconds = time.perf_counter() - start
        plan = "no Gram matrix: the weights of the columns"
        self.report_ = FitReport(Linear(), plan, solver, n, seconds, converged, facts)
        if not converged:
            reason = next(solution.reason for solution in solutions if not solution.converged)
            message = f"{type(self).__name__} failed to converge, {reason}"
            advice = "scale the features (StandardScaler), raise tol, or lower C"
            warn(f"{message}; {advice}", ConvergenceWarning)
        if self.verbose:
            print(self.report_)

    def _values(self, X: RawSamples) -> np.ndarray:
        """X wᵀ + b, a column for each row of weights."""
        check_is_fitted(self)
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}
        X = read_numbers(self, X, reset=False, **options)
        return X @ np.atleast_2d(dense_numbers(self.coef_)).T + self.intercept_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
