"""Multinomial logistic regression with a Gram matrix, to the few digits that a choice needs.

With K = L Lᵀ and F = L B, the problem min Σ w·log-loss(F) + ½ λ ‖B‖² has a gradient that costs two
products with L, and is well conditioned. `mercer.solvers.newton` solves it to rounding error.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg, optimize
from scipy.special import logsumexp

from mercer.linalg.solution import Solution

_JITTER = 1e-8  # in units of the mean diagonal
_PAIRS = 10  # of steps that the search remembers


@dataclasses.dataclass
class SoftmaxSolution(Solution):
    """The coefficients in the whitened basis, and those of the samples."""

    whitened: np.ndarray
    dual: np.ndarray  # F = K @ dual, up to the jitter


def whiten(K: np.ndarray) -> np.ndarray:
    """The lower Cholesky factor of K, with the jitter that makes it positive definite."""
    jitter = _JITTER * (float(K.diagonal().mean()) or 1.0)
    for _ in range(6):
        system = K + jitter * np.eye(len(K))
        try:
            return np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            jitter *= 100.0
    remedy = "kernel.refute(X) looks for a reason in the kernel"
    raise np.linalg.LinAlgError(f"the Gram matrix is not positive semi-definite; {remedy}")


def softmax_regression(
    lower: np.ndarray,
    indicators: np.ndarray,
    weight: np.ndarray,
    penalty: float,
    start: np.ndarray | None = None,
    max_iter: int = 150,
) -> SoftmaxSolution:
    """Minimize the penalized log-loss from a start by L-BFGS.

    ``lower`` is the factor of the Gram matrix, and ``indicators`` has a column for each class.
    """
    shape = indicators.shape
    total = float(weight.sum())
    column = weight[:, None]

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        B = flat.reshape(shape)
        F = lower @ B
        level = logsumexp(F, axis=1)
        loss = float(weight @ (level - (F * indicators).sum(axis=1)))
        residual = column * (np.exp(F - level[:, None]) - indicators)
        gradient = lower.T @ residual + penalty * B
        return (loss + 0.5 * penalty * float(flat @ flat)) / total, gradient.ravel() / total

    first = np.zeros(shape).ravel() if start is None else start.ravel()
    options = {"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": 1e-8, "maxcor": _PAIRS}
    result = optimize.minimize(objective, first, jac=True, method="L-BFGS-B", options=options)
    B = result.x.reshape(shape)
    dual = linalg.solve_triangular(lower, B, lower=True, trans=1, check_finite=False)
    return SoftmaxSolution(B, dual, iterations=int(result.nit), converged=bool(result.success))
