"""Pivoted, incomplete Cholesky factors of a matrix that is given by its diagonal and its rows."""

from __future__ import annotations

import numpy as np

from mercer.linalg.matrices import HasRows


def landmarks(
    matrix: HasRows, rank: int, tol: float = 1e-10, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Pivots of a Cholesky factorization, and the factor L with L Lᵀ near the matrix.

    The largest remaining diagonal entry is the next pivot. The factorization ends at the given
    rank, or where the remaining trace is less than ``tol`` of the whole; ``weight`` counts samples
    several times in it.
    """
    total = np.sum if weight is None else weight.__matmul__
    remaining = matrix.diagonal().astype(float).copy()
    trace = float(total(remaining))
    pivots: list[int] = []
    # a row for each pivot: products with all of them read memory in order
    L = np.zeros((rank, len(remaining)))
    for k in range(rank):
        pivot = int(np.argmax(remaining))
        exhausted = k > 0 and total(remaining) <= tol * trace
        if remaining[pivot] <= 0 or exhausted:
            break
        pivots.append(pivot)
        L[k] = (matrix.row(pivot) - L[:k, pivot] @ L[:k]) / np.sqrt(remaining[pivot])
        remaining = np.maximum(remaining - L[k] ** 2, 0.0)
        remaining[pivot] = 0.0
    return np.array(pivots, dtype=int), L[: len(pivots)].T


def pivoted_cholesky(matrix: HasRows, rank: int, tol: float = 1e-10) -> np.ndarray:
    """The factor L of `landmarks`."""
    return landmarks(matrix, rank, tol)[1]
