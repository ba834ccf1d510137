"""Leave-one-out errors of ridge regression in closed form, and how they change with the matrix.

With C = K + noise and G = C⁻¹, the prediction of target i from all others misses it by
e_i = (G y)_i / G_ii. From dG = −G dC G follows the slope of Σ w e².
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer.solvers.gp.evidence import evidence


@dataclasses.dataclass
class LeaveOneOut:
    """The inverse G of K + noise, the coefficients G Y, and the errors of all targets."""

    inverse: np.ndarray
    dual: np.ndarray
    errors: np.ndarray

    def loss(self, weight: np.ndarray | float) -> float:
        """Σ w e² over all samples and targets."""
        return float((np.reshape(weight, (-1, 1)) * self.errors**2).sum())

    def weights(self, weight: np.ndarray | float) -> np.ndarray:
        """W, a symmetric matrix with Σ W∘dC = d Σ w e²."""
        diagonal = self.inverse.diagonal()[:, None]
        weighted = np.reshape(weight, (-1, 1)) * self.errors / diagonal
        half = (self.inverse @ weighted) @ self.dual.T
        root = self.inverse * np.sqrt((weighted * self.errors).sum(axis=1))
        return 2.0 * (root @ root.T) - half - half.T


def leave_one_out(K: np.ndarray, noise: np.ndarray | float, Y: np.ndarray) -> LeaveOneOut | None:
    """Errors with K, which is overwritten, and noise on its diagonal; None where it is singular."""
    factored = evidence(K, noise, Y)
    if factored is None:
        return None
    inverse = whole_inverse(factored.upper)
    errors = factored.alpha / inverse.diagonal()[:, None]
    return LeaveOneOut(inverse, factored.alpha, errors)


def whole_inverse(upper: np.ndarray) -> np.ndarray:
    """The inverse of UᵀU, both triangles of it."""
    inverse, _ = linalg.lapack.dpotri(upper, lower=0)
    inverse = np.triu(inverse)
    inverse += np.triu(inverse, 1).T
    return inverse
