"""Log densities of targets given others, in closed form from one Cholesky factor: each given all
others, each block given all other blocks, and each given those before it.

UᵀU = K + noise, and the dual coefficients are (K + noise)⁻¹Y. Densities of several columns of Y are
multiplied.

References
----------
Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.2.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

_LOG_2PI = float(np.log(2 * np.pi))


def given_all_others(upper: np.ndarray, dual: np.ndarray) -> np.ndarray:
    """log p(y_i | all others): variance 1/A_ii and gap a_i/A_ii, of A = (K + noise)⁻¹."""
    precision = _inverse(upper).diagonal()
    squares = np.einsum("ij,ij->i", dual, dual) / precision
    return 0.5 * (dual.shape[1] * (np.log(precision) - _LOG_2PI) - squares)


def given_other_blocks(upper: np.ndarray, dual: np.ndarray, blocks: list[np.ndarray]) -> np.ndarray:
    """log p(y_B | all other blocks): the covariance is (A_BB)⁻¹, and the gap (A_BB)⁻¹a_B."""
    inverse = _inverse(upper)
    return np.array([_block(inverse[np.ix_(rows, rows)], dual[rows]) for rows in blocks])


def given_those_before(upper: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """log p(y_i | y_1, ..., y_(i−1)), whose sum is the log marginal likelihood."""
    steps = linalg.solve_triangular(upper, Y, trans=1, check_finite=False)
    squares = np.einsum("ij,ij->i", steps, steps)
    return -0.5 * squares - Y.shape[1] * (np.log(upper.diagonal()) + 0.5 * _LOG_2PI)


def _inverse(upper: np.ndarray) -> np.ndarray:
    """The inverse of UᵀU; only its upper triangle is set."""
    return linalg.lapack.dpotri(upper, lower=0)[0]


def _block(precision: np.ndarray, dual: np.ndarray) -> float:
    factor = linalg.cholesky(precision, lower=False, check_finite=False)
    gaps = linalg.solve_triangular(factor, dual, trans=1, check_finite=False)
    n, n_targets = dual.shape
    log_root = float(np.log(factor.diagonal()).sum()) - 0.5 * n * _LOG_2PI
    return n_targets * log_root - 0.5 * float(np.sum(gaps * gaps))
