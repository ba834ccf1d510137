"""The exact posterior of a Gaussian process: one Cholesky factor of the dense matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import explain, warn
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.gp.hyperparameters import Learned, Theirs
from mercer.gram.plan import require_room
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import Evidence, evidence

BLOCK = 2048  # new samples whose variance is computed at a time


class Exact:
    """K + noise factored; the evidence, its gradient, means and covariances from it."""

    bound: float | None = None

    def __init__(
        self, model: Learned | Theirs, X: RawSamples, Y: np.ndarray, noise: np.ndarray
    ) -> None:
        self.model, self.X, self.Y, self.noise = model, X, Y, noise
        n = raw_length(X)
        require_room(n, n, np.float64)
        self.plan = f"exact, dense Gram matrix, float64, {format_bytes(8 * n * n)}, Cholesky"

    def objective(self, theta: np.ndarray, slope: bool) -> tuple[float, np.ndarray]:
        """The log marginal likelihood at θ, and its gradient."""
        self.model.theta = theta
        found = self._evidence() or self._evidence(
            patient=True
        )  # jitter only where there is no other way; the end tells of it
        if found is None or not np.isfinite(found.value):
            return -np.inf, np.zeros(len(theta))
        return found.value, self.model.slope(self.X, found.weights()) if slope else np.zeros(0)

    def _evidence(self, patient: bool = False) -> Evidence | None:
        return evidence(self.model.gram(self.X), self.noise, self.Y, patient)

    def settle(self) -> None:
        found = self._evidence(patient=True)
        if found is None:
            rule = "gives a matrix that is not positive definite, even with jitter"
            raise np.linalg.LinAlgError(
                explain(
                    "kernel",
                    self.model.kernel,
                    rule,
                    "raise alpha, or look at kernel.certificate()",
                )
            )
        self.jitter, self.value = found.jitter, found.value
        self.likelihood = found.value
        self.lower, self.dual = np.tril(found.upper.T), found.alpha

    def mean(self, X: RawSamples) -> np.ndarray:
        return expand(self.model, X, self.X, self.dual)

    def mean_and_variance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Σ c k(x, x_i) and k(x, x) − ‖L⁻¹k(x)‖² from the same values, a block of samples at a time."""
        variance = self.model.diag(X)
        mean = np.empty((len(variance), self.dual.shape[1]))
        for rows, K in blocks(self.model, X, self.X):
            mean[rows] = product(K, self.dual)
            # K is in C order, Lᵀ in Fortran order as it lies: solve from the right, in place
            V = linalg.blas.dtrsm(1.0, self.lower.T, K.T, trans_a=1, overwrite_b=1)
            variance[rows] -= np.einsum("ij,ij->j", V, V)
        return mean, positive(variance)

    def covariance(self, X: RawSamples) -> np.ndarray:
        K = self.model.cross(X, self.X)
        V = linalg.solve_triangular(self.lower, K.T, lower=True, check_finite=False)
        return self.model.own(X) - product(V.T, V)


def blocks(
    model: Learned | Theirs, X: RawSamples, samples: Any, width: int = BLOCK
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Positions of some of X, and k of them with the samples."""
    for start in range(0, raw_length(X), width):
        rows = np.arange(start, min(raw_length(X), start + width))
        yield rows, model.cross(pick_rows(X, rows), samples)


def expand(model: Learned | Theirs, X: RawSamples, samples: Any, weights: np.ndarray) -> np.ndarray:
    """k(X, samples) @ weights."""
    if model.ours is not None:
        n = raw_length(samples)
        return Expansion(model.ours, samples, np.arange(n), n).apply(
            X, np.ascontiguousarray(weights)
        )
    return model.cross(X, samples) @ weights


def positive(variance: np.ndarray) -> np.ndarray:
    """Rounding below 0 is 0; more than rounding is told."""
    if (variance < 0).any():
        if variance.min() < -1e-6 * max(float(np.abs(variance).max()), 1e-300):
            warn("Predicted variances smaller than 0. Setting those variances to 0.")
        np.maximum(variance, 0.0, out=variance)
    return variance
