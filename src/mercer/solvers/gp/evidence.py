"""The log marginal likelihood of a Gaussian process from its Gram matrix, and the weights of its
gradient.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer import _compiled

_POWERS = 3  # steps to the extreme eigenvalues, of which one digit is enough
_JITTERS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)


@dataclasses.dataclass
class Evidence:
    """The Cholesky factor of K + noise, and what follows from it."""

    upper: np.ndarray  # UᵀU = K + noise, Fortran order; only the upper triangle counts
    alpha: np.ndarray  # (K + noise)⁻¹ Y
    values: np.ndarray  # the log marginal likelihood of every column of Y
    jitter: float  # what had to be added to the diagonal, beyond the noise

    @property
    def value(self) -> float:
        """The log marginal likelihood of all columns of Y together."""
        return float(self.values.sum())

    def condition(self) -> float:
        """The condition number of K + noise, about: its largest eigenvalue times ‖(K + noise)⁻¹‖.

        Values and gradients have a relative rounding error of about 1e-16 times this.
        """
        v = w = np.random.default_rng(0).uniform(0.5, 1.5, len(self.upper))
        for _ in range(_POWERS):  # of the matrix and of its inverse; dpocon takes twice as long
            v = linalg.blas.dtrmv(self.upper, v / linalg.blas.dnrm2(v))
            v = linalg.blas.dtrmv(self.upper, v, trans=1)
            w = linalg.blas.dtrsv(self.upper, w / linalg.blas.dnrm2(w), trans=1)
            w = linalg.blas.dtrsv(self.upper, w)
        return float(linalg.blas.dnrm2(v) * linalg.blas.dnrm2(w))

    def weights(self) -> np.ndarray:
        """W with Σ W∘dK = ½ Σ a·dK·a − ½ m tr((K + noise)⁻¹dK), for m columns and a symmetric dK.

        W is left triangular, its part below the diagonal counted twice: a symmetric one would take
        twice as long.
        """
        inverse, _ = linalg.lapack.dpotri(self.upper, lower=0)
        _compiled.storage.gradient_weights(inverse.T, np.asfortranarray(self.alpha))
        return inverse.T


def evidence(
    K: np.ndarray, noise: np.ndarray | float, Y: np.ndarray, jitter: bool = False
) -> Evidence | None:
    """Factor K + noise, which overwrites K; None where it is not positive definite.

    With ``jitter``, the least multiple of the identity that makes it positive definite is added.
    """
    diagonal = K.diagonal() + noise
    size = float(np.abs(diagonal).mean()) or 1.0
    shares = _JITTERS if jitter else _JITTERS[:1]
    for share in shares:
        K[np.diag_indices(len(K))] = diagonal + share * size
        upper = _factor(K, overwrite=not jitter)
        if upper is not None:
            return _evidence(upper, Y, share * size)
    return None


def _factor(K: np.ndarray, overwrite: bool) -> np.ndarray | None:
    # The transpose of a symmetric matrix in C order is in Fortran order: LAPACK copies nothing.
    upper, info = linalg.lapack.dpotrf(K.T, lower=0, overwrite_a=int(overwrite), clean=0)
    if info != 0 or not np.isfinite(upper.diagonal()).all():
        return None
    return upper


def _evidence(upper: np.ndarray, Y: np.ndarray, jitter: float) -> Evidence:
    solved, _ = linalg.lapack.dpotrs(upper, np.asfortranarray(Y), lower=0)
    alpha = np.ascontiguousarray(solved)
    half = float(np.log(upper.diagonal()).sum()) + 0.5 * len(upper) * np.log(2 * np.pi)
    values = -0.5 * np.einsum("ij,ij->j", Y, alpha) - half
    return Evidence(upper, alpha, values, jitter)
