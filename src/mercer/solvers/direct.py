"""Regularised linear systems with a dense Gram matrix."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import linalg


def solve_ridge(K: np.ndarray, penalty: float, Y: np.ndarray) -> tuple[np.ndarray, str]:
    """(K + penalty·I)⁻¹ Y by Cholesky, K overwritten; least squares where the matrix is singular. Says which it was."""
    diagonal = K.diagonal().copy()
    K[np.diag_indices_from(K)] = diagonal + penalty
    # LAPACK reads columns: the transpose of a symmetric C-ordered matrix is itself, and costs no copy
    factor, info = linalg.lapack.dpotrf(K.T, lower=0, overwrite_a=1, clean=0)
    if info == 0:
        solution, info = linalg.lapack.dpotrs(factor, np.asfortranarray(Y), lower=0)
    if info == 0 and np.isfinite(solution).all():
        return np.ascontiguousarray(solution), "Cholesky"
    # dpotrf wrote over the upper triangle of K.T, the lower one of K
    whole = np.triu(K)
    whole = whole + np.triu(K, 1).T
    whole[np.diag_indices_from(whole)] = diagonal + penalty
    warnings.warn("Singular matrix in solving dual problem. Using least-squares solution instead.", stacklevel=3)
    return linalg.lstsq(whole, Y, lapack_driver="gelsd")[0], "least squares, because the matrix is singular"
