"""One statistic from those of several kernels, so that no width has to be chosen.

All values are studentised over the samples as given and all permutations together, which are
exchangeable where the hypothesis is true: the level stays exact.
"""

from __future__ import annotations

import numpy as np

_RIDGE = 0.001  # added to the variances of studentised values, which are 1
_LEAST = 1e-6  # weight of a narrow kernel, so that one of a list counts
_DIGITS = 9  # of studentised values: what differs beyond them are rounding errors


def aggregated(squared: np.ndarray, likeness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The statistics of all permutations, and how much each kernel counts as given.

    Two statistics are combined. The first is a soft maximum of the kernels' values, in which wide
    kernels, which are the best ones where means differ, count more than narrow ones. The second is
    the Mahalanobis distance of all values from 0 in units of their covariance under permutations,
    which sees that kernels disagree by more than they should; it counts where a kernel sees any
    difference, not where samples are all too alike. Each is replaced by its p-value among the
    permutations, and minus the logarithm of the harmonic mean of the two is the statistic.

    Parameters
    ----------
    squared : ndarray of shape (n_kernels, 1 + n_permutations)
        MMD² of every kernel; the first column is that of the samples as given.
    likeness : ndarray of shape (n_kernels,)
        How alike two samples are for each kernel, which is largest for the widest one.

    Returns
    -------
    tuple of two ndarrays
        One statistic for each column, and shares of the kernels, which sum to 1.
    """
    z = _studentised(squared)
    soft = np.exp(z - z.max(axis=0))
    largest = z.max(axis=0) + np.log(_weights(z, likeness) @ soft)
    apart = np.where(z.max(axis=0) > 0, _mahalanobis(z), 0.0)
    ranks = np.array([_pvalues(largest), _pvalues(apart)])
    return np.log(np.mean(1.0 / ranks, axis=0)), soft[:, 0] / soft[:, 0].sum()


def _weights(z: np.ndarray, likeness: np.ndarray) -> np.ndarray:
    """Weights of the kernels in the soft maximum: none for those that separate no samples."""
    weights = np.where(z.any(axis=1), np.maximum(likeness, _LEAST), 0.0)
    if not weights.any():
        return np.full(len(z), 1.0 / len(z))
    return weights / weights.sum()


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
