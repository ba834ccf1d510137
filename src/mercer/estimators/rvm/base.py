"""Base class of both relevance vector machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from mercer.aliases import ParameterRules, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training
from mercer.execution.blas import serial_blas
from mercer.gram.matrix import Matrix
from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.likelihoods import Gaussian, Logistic
from mercer.solvers.rvm.sequential import Relevance
from mercer.state import State

_BLOCK = 1024  # new samples whose variance is computed at a time


class RelevanceMachine(KernelEstimator):
    """Base class of relevance vector machines: the basis, its functions in use, and predictions."""

    needs: ClassVar[str] = "any"
    stored: ClassVar[State] = State(
        finite=("dual_coef_", "intercept_"),
        plain=(
            "kernel_",
            "relevance_",
            "relevance_vectors_",
            "alpha_",
            "intercept_alpha_",
            "covariance_",
            "log_marginal_likelihood_value_",
            "n_iter_",
            "report_",
            "_n_training",
            "_covariances",
        ),
        samples=("relevance_vectors_",),
        per_sample=("relevance_",),
        per_sample_last=("dual_coef_", "alpha_"),
        positions={"relevance_": "_n_training"},
    )
    fit_intercept: bool
    max_iter: int
    tol: float
    dual_coef_: np.ndarray
    alpha_: np.ndarray

    _parameter_constraints: ClassVar[ParameterRules] = {
        **KERNEL_RULES,
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def _maximize(self, basis: Basis, likelihood: Gaussian | Logistic) -> Relevance:
        """The functions that the evidence keeps, in order of the samples."""
        # many small matrices: threads of BLAS would wait for each other
        with serial_blas():
            result = likelihood.maximize(basis, self.max_iter, iteration_callback(self))
        if not result.converged:
            limits = f"raise max_iter={self.max_iter}, or tol={self.tol}"
            warn(f"{result.reason}; {limits}", ConvergenceWarning)
        order = np.argsort(result.active)
        result.active, result.alpha = result.active[order], result.alpha[order]
        result.mean = result.mean[order]
        result.covariance = result.covariance[np.ix_(order, order)]
        return result

    def _keep(self, data: Training, results: list[Relevance], matrix: Matrix, start: float) -> None:
        """Set the fitted attributes from the functions in use by each problem."""
        constant = int(self.fit_intercept)
        used = np.unique(np.concatenate([result.active for result in results]))
        kept = used[used >= constant] - constant
        self.kernel_ = data.kernel
        self.relevance_ = data.rows[kept]
        self.relevance_vectors_ = None
        if data.kernel is not None:
            self.relevance_vectors_ = pick_rows(data.X, self.relevance_)
        self._n_training = data.n_given
        self._covariances = [result.covariance for result in results]
        self._keep_weights(results, kept, constant)
        self.n_iter_ = max(result.iterations for result in results)
        self.log_marginal_likelihood_value_ = float(np.mean([result.value for result in results]))
        facts = {
            "likelihood": self.log_marginal_likelihood_value_,
            "iterations": self.n_iter_,
            "relevant": len(kept),
        }
        plan, solver = str(matrix.plan), "sequential maximization of the evidence"
        converged = all(result.converged for result in results)
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds, converged, facts)

    def _keep_weights(self, results: list[Relevance], kept: np.ndarray, constant: int) -> None:
        """Set means and precisions of the weights, a row per problem, the constant apart."""
        weights = np.zeros((len(results), len(kept) + 1))
        precisions = np.full_like(weights, np.inf)
        for row, result in enumerate(results):
            positions = 1 + np.searchsorted(kept, result.active - constant)
            positions = np.where(result.active < constant, 0, positions)
            weights[row, positions] = result.mean
            precisions[row, positions] = result.alpha
        self.intercept_: np.ndarray | float = weights[:, 0]
        self.intercept_alpha_: np.ndarray | float = precisions[:, 0]
        self.dual_coef_ = weights[:, 1:]
        self.alpha_ = precisions[:, 1:]

    def _expansion(self) -> Expansion:
        """The sum over relevance vectors, for new samples."""
        return Expansion(self.kernel_, self.relevance_vectors_, self.relevance_, self._n_training)

    def _functions(self, X: RawSamples) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Blocks of new samples: their positions, and the constant and all relevant columns."""
        for start in range(0, raw_length(X), _BLOCK):
            rows = np.arange(start, min(raw_length(X), start + _BLOCK))
            values = np.ones((len(rows), 1 + len(self.relevance_)))
            if len(self.relevance_):
                identity = np.eye(len(self.relevance_))
                values[:, 1:] = self._expansion().apply(pick_rows(X, rows), identity)
            yield rows, values

    def _latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of every latent function, a column for each problem."""
        shape = raw_length(X), len(self._covariances)
        mean, variance = np.empty(shape), np.empty(shape)
        weights = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.dual_coef_)])
        constant, others = np.atleast_1d(self.intercept_alpha_), np.atleast_2d(self.alpha_)
        precisions = np.column_stack([constant, others])
        for rows, Phi in self._functions(X):
            mean[rows] = Phi @ weights.T
            for number, covariance in enumerate(self._covariances):
                own = Phi[:, np.isfinite(precisions[number])]
                variance[rows, number] = np.einsum("ij,ij->i", own @ covariance, own)
        return mean, np.maximum(variance, 0.0)
