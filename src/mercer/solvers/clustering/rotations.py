"""From a spectral embedding to labels: a rotation toward the axes, each of which is a cluster."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def cluster_qr(V: np.ndarray) -> np.ndarray:
    """The rotation of Damle, Minden and Ying.

    It turns toward the rows that a pivoted QR decomposition finds most different from each other.
    """
    k = V.shape[1]
    _, _, pivots = linalg.qr(V.T, pivoting=True, mode="economic")
    left, _, right = linalg.svd(V[pivots[:k]].T)
    return left @ right


def discretize(
    V: np.ndarray,
    rng: np.random.RandomState,
    weight: np.ndarray | None = None,
    rounds: int = 30,
    starts: int = 10,
) -> np.ndarray:
    """The rotation of Yu and Shi, the best of several starts.

    In turn, rows of unit length are assigned to their largest coordinate and rotated to fit that; a
    weight counts a row several times.
    """
    size = np.linalg.norm(V, axis=1)
    U = V / np.where(size > 0, size, 1.0)[:, None]
    best, rotation = -np.inf, np.eye(U.shape[1])
    for _ in range(starts):
        start = _spread_rows(U, int(rng.randint(len(U)))).T
        fit, R = _alternate(U, weight, start, rounds)
        if fit > best:
            best, rotation = fit, R
    return rotation


def _alternate(
    U: np.ndarray, weight: np.ndarray | None, R: np.ndarray, rounds: int
) -> tuple[float, np.ndarray]:
    """Labels and rotations in turn, until the fit no longer grows; the fit and the rotation."""
    k = U.shape[1]
    weighted, total = U, float(len(U))
    if weight is not None:
        weighted, total = U * weight[:, None], float(weight.sum())
    fit = -np.inf
    for _ in range(rounds):
        labels = np.argmax(U @ R, axis=1)
        sums = np.zeros((k, k))
        np.add.at(sums, labels, weighted)  # EᵀU with the indicator matrix E of the labels
        left, values, right = linalg.svd(sums)
        value = float(values.sum())
        if value <= fit + 1e-12 * total:
            break
        fit, R = value, (left @ right).T
    return fit, R


def _spread_rows(U: np.ndarray, first: int) -> np.ndarray:
    """Rows as far from parallel as a greedy choice makes them."""
    chosen = [first]
    used = np.zeros(len(U))
    for _ in range(1, U.shape[1]):
        used += np.abs(U @ U[chosen[-1]])
        chosen.append(int(np.argmin(used)))
    left, _, right = linalg.svd(U[chosen])
    return left @ right
