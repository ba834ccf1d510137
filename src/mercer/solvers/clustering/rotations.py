"""From an embedding to labels by a rotation towards the axes: a cluster is an axis."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def cluster_qr(V: np.ndarray) -> np.ndarray:
    """The rotation of Damle, Minden and Ying: towards the rows that a pivoted QR finds most different from each other."""
    k = V.shape[1]
    _, _, pivots = linalg.qr(V.T, pivoting=True, mode="economic")
    left, _, right = linalg.svd(V[pivots[:k]].T)
    return left @ right


def discretize(
    V: np.ndarray, rng: np.random.RandomState, rounds: int = 30, starts: int = 10
) -> np.ndarray:
    """The rotation of Yu and Shi: rows of unit length, in turn given to their largest coordinate and rotated to fit that."""
    size = np.linalg.norm(V, axis=1)
    U = V / np.where(size > 0, size, 1.0)[:, None]
    n, k = U.shape
    best, chosen = -np.inf, np.eye(k)
    for _ in range(starts):
        R = _spread_rows(U, int(rng.randint(n))).T
        last = -np.inf
        for _ in range(rounds):
            label = np.argmax(U @ R, axis=1)
            sums = np.zeros((k, k))
            np.add.at(sums, label, U)  # Eᵀ U, E the indicator of the labels
            left, fit, right = linalg.svd(sums)
            value = float(fit.sum())
            if value <= last + 1e-12 * n:
                break
            last, R = value, (left @ right).T
        if last > best:
            best, chosen = last, R
    return chosen


def _spread_rows(U: np.ndarray, first: int) -> np.ndarray:
    """Rows as far from parallel as a greedy choice makes them."""
    chosen = [first]
    used = np.zeros(len(U))
    for _ in range(1, U.shape[1]):
        used += np.abs(U @ U[chosen[-1]])
        chosen.append(int(np.argmin(used)))
    left, _, right = linalg.svd(U[chosen])
    return left @ right
