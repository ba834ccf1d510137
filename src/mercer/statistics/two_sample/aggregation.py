"""One statistic from those of several kernels, so that no width has to be chosen.

All values are studentised over the samples as given and all permutations together, which are
exchangeable where the hypothesis is true: the level stays exact.
"""

from __future__ import annotations

import numpy as np

_SHARES = (0.5, 0.3, 0.2)  # of the level: the largest value, and two distances from 0
_RIDGE = 0.001  # added to the variances of studentised values, which are 1
_DIGITS = 9  # of studentised values: what differs beyond them are rounding errors


def aggregated(squared: np.ndarray, n_plain: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The statistics of all permutations, and how much each kernel counts as given.

    Three statistics share the level. The first is the largest of the studentised values of the
    plain kernels, which sees what one of them sees. The second is the Mahalanobis distance of
    these values from 0 in units of their covariance under permutations, which sees that kernels
    disagree by more than they should; it counts where a kernel sees any difference, not where
    samples are all too alike. The third is this distance for kernels of ranks. Each is replaced by
    its p-value among the permutations, and the logarithm of the weighted mean of 1/p is the
    statistic.

    Parameters
    ----------
    squared : ndarray of shape (n_kernels, 1 + n_permutations)
        MMD² of every kernel; the first column is that of the samples as given.
    n_plain : int, optional
        How many of them, the first ones, are not kernels of ranks; all by default.

    Returns
    -------
    tuple of two ndarrays
        One statistic for each column, and shares of the kernels, which sum to 1.
    """
    z = _studentised(squared)
    plain, ranked = z[:n_plain], z[len(z) if n_plain is None else n_plain :]
    parts = [plain.max(axis=0), _apart(plain)]
    if len(ranked):
        parts.append(_apart(ranked))
    inverse = [share / _pvalues(part) for share, part in zip(_SHARES, parts)]
    soft = np.exp(z[:, 0] - z[:, 0].max())
    return np.log(np.sum(inverse, axis=0)), soft / soft.sum()


def _apart(z: np.ndarray) -> np.ndarray:
    """The Mahalanobis distance of every column from 0; 0 where no value is above average."""
    return np.where(z.max(axis=0) > 0, _mahalanobis(z), 0.0)


def _studentised(squared: np.ndarray) -> np.ndarray:
    """Values less their mean over all columns, in units of their standard deviation."""
    centered = squared - squared.mean(axis=1, keepdims=True)
    deviation = centered.std(axis=1, keepdims=True)
    return np.divide(centered, deviation, out=np.zeros_like(centered), where=deviation > 0)


def _mahalanobis(z: np.ndarray) -> np.ndarray:
    """zᵀ(C + εI)⁻¹z of every column, with C the covariance of the rows."""
    C = z @ z.T / z.shape[1] + _RIDGE * np.eye(len(z))
    return np.einsum("ij,ij->j", z, np.linalg.solve(C, z))


def _pvalues(statistics: np.ndarray) -> np.ndarray:
    """The share of columns whose statistic is at least that of each column."""
    rounded = np.round(statistics, _DIGITS)
    below = np.searchsorted(np.sort(rounded), rounded, side="left")
    return 1.0 - below / len(rounded)
