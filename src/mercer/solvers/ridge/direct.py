"""Regularized linear systems with a dense Gram matrix."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mercer.errors import warn


class RidgeFactor:
    """K + λI, factored where it is positive definite; else kept whole, for least squares."""

    def __init__(self, factor: np.ndarray | None, whole: np.ndarray | None) -> None:
        self.factor, self.whole = factor, whole
        self.name = "Cholesky"
        if factor is None:
            self._fall_back()

    @property
    def exact(self) -> bool:
        """Whether the system is solved by Cholesky."""
        return self.factor is not None

    def _fall_back(self) -> None:
        self.name = "least squares, because the matrix is singular"
        warn("Singular matrix in solving dual problem. Using least-squares solution instead.")

    def solve(self, Y: np.ndarray) -> np.ndarray:
        """(K + λI)⁻¹ Y, or the least-squares solution."""
        if self.factor is not None:
            solution, info = linalg.lapack.dpotrs(self.factor, np.asfortranarray(Y), lower=0)
            if info == 0 and np.isfinite(solution).all():
                return np.ascontiguousarray(solution)
            upper = np.triu(self.factor)
            self.whole, self.factor = upper.T @ upper, None
            self._fall_back()
        return np.asarray(linalg.lstsq(self.whole, Y, lapack_driver="gelsd")[0])

    def inverse_diagonal(self) -> np.ndarray:
        """The diagonal of (K + λI)⁻¹."""
        if self.factor is None:
            return np.diagonal(linalg.pinvh(self.whole)).copy()
        inverse, _ = linalg.lapack.dpotri(self.factor, lower=0)
        return np.diagonal(inverse).copy()


def factor_ridge(K: np.ndarray, penalty: float) -> RidgeFactor:
    """K + penalty·I by Cholesky, K overwritten."""
    diagonal = K.diagonal().copy()
    K[np.diag_indices_from(K)] = diagonal + penalty
    # LAPACK reads columns: the transpose of a symmetric C-ordered matrix is itself, without a copy
    factor, info = linalg.lapack.dpotrf(K.T, lower=0, overwrite_a=1, clean=0)
    if info == 0:
        return RidgeFactor(factor, None)
    # dpotrf has overwritten the upper triangle of K.T, which is the lower one of K
    whole = np.triu(K)
    whole = whole + np.triu(K, 1).T
    whole[np.diag_indices_from(whole)] = diagonal + penalty
    return RidgeFactor(None, whole)
