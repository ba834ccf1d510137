"""The log marginal likelihood of a Gaussian process from its Gram matrix, and the weights of its gradient."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer import _compiled

_JITTERS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)


@dataclasses.dataclass
class Evidence:
    """K + noise factored, and what follows from it."""

    upper: np.ndarray  # UᵀU = K + noise, Fortran order; only the upper triangle counts
    alpha: np.ndarray  # (K + noise)⁻¹ Y
    values: np.ndarray  # the log marginal likelihood of every column of Y
    jitter: float  # what had to be added to the diagonal, beyond the noise

    @property
    def value(self) -> float:
        return float(self.values.sum())

    def weights(self) -> np.ndarray:
        """W with Σ W∘dK = ½ Σ a·dK·a − ½ m tr((K + noise)⁻¹dK), for m columns of Y and a symmetric dK.

        W is left triangular, its part below the diagonal counted twice: making it symmetric takes as long as making it.
        """
        made, _ = linalg.lapack.dpotri(self.upper, lower=0)
        _compiled.storage.gradient_weights(made.T, np.asfortranarray(self.alpha))
        return made.T


def evidence(
    K: np.ndarray, noise: np.ndarray | float, Y: np.ndarray, patient: bool = False
) -> Evidence | None:
    """K is overwritten. None where K + noise is not positive definite; a patient caller gets the least jitter that mends it."""
    n = len(K)
    diagonal = K.diagonal() + noise
    size = float(np.abs(diagonal).mean()) or 1.0
    for share in _JITTERS if patient else _JITTERS[:1]:
        K[np.diag_indices(n)] = diagonal + share * size
        # the transpose of a symmetric matrix in C order is itself in Fortran order: LAPACK then needs no copy
        upper, info = linalg.lapack.dpotrf(K.T, lower=0, overwrite_a=0 if patient else 1, clean=0)
        if info == 0 and np.isfinite(upper.diagonal()).all():
            alpha = np.ascontiguousarray(
                linalg.lapack.dpotrs(upper, np.asfortranarray(Y), lower=0)[0]
            )
            half = float(np.log(upper.diagonal()).sum()) + 0.5 * n * np.log(2 * np.pi)
            return Evidence(
                upper, alpha, -0.5 * np.einsum("ij,ij->j", Y, alpha) - half, share * size
            )
    return None
