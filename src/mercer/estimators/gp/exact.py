"""The exact posterior of a Gaussian process: one Cholesky factor of the dense matrix."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.estimators.gp.posterior import Posterior
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import Evidence, evidence
from mercer.state import storable


@storable
class ExactPosterior(Posterior):
    """Evidence, gradient, means and covariances by a Cholesky factor L of K + noise."""

    @property
    def plan(self) -> str:
        size = format_bytes(8 * len(self.Y) ** 2)
        return f"exact, dense Gram matrix, float64, {size}, Cholesky"

    def evidence(self, theta: np.ndarray, eval_gradient: bool) -> tuple[float, np.ndarray]:
        self.parameters.theta = theta
        # jitter only where there is no other way; `condition` reports it
        result = self._factor() or self._factor(jitter=True)
        if result is None or not np.isfinite(result.value):
            return -np.inf, np.zeros(len(theta))
        if not eval_gradient:
            return result.value, np.zeros(0)
        return result.value, self.parameters.gradient(self.X, result.weights())

    def _factor(self, jitter: bool = False) -> Evidence | None:
        K = self.parameters.training_gram(self.X)
        return evidence(K, self.noise, self.Y, jitter)

    def condition(self) -> None:
        result = self._factor(jitter=True)
        if result is None:
            raise self._not_definite()
        self.jitter = result.jitter
        self.value = self.likelihood = result.value
        self.lower, self.dual = np.tril(result.upper.T), result.alpha

    def _explained(self, K: np.ndarray) -> np.ndarray:
        # K is in C order and Lᵀ in Fortran order: the solution from the right needs no copy.
        V = linalg.blas.dtrsm(1.0, self.lower.T, K.T, trans_a=1, overwrite_b=1)
        return np.einsum("ij,ij->j", V, V)

    def covariance(self, X: RawSamples) -> np.ndarray:
        K = self.parameters.cross(X, self.X)
        V = linalg.solve_triangular(self.lower, K.T, lower=True, check_finite=False)
        return self.parameters.gram(X) - product(V.T, V)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """How far each target lies from its mean given all others, and the variance there."""
        inverse, _ = linalg.lapack.dpotri(self.lower.T, lower=0)
        variance = 1.0 / inverse.diagonal()[:, None]
        return self.dual * variance, variance
