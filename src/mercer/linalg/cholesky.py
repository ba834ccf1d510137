"""Pivoted, incomplete Cholesky factors of a matrix that is given by its diagonal and its rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def landmarks(
    diagonal: np.ndarray, row: Callable[[int], np.ndarray], rank: int, tol: float = 1e-10
) -> tuple[np.ndarray, np.ndarray]:
    """Pivots of a Cholesky factorisation that takes the largest remaining diagonal first, and L with LLᵀ close to K."""
    left = diagonal.astype(float).copy()
    start = float(left.sum())
    pivots: list[int] = []
    L = np.zeros(
        (rank, len(left))
    )  # a row for each pivot: products with all of them read memory in order
    for k in range(rank):
        pivot = int(np.argmax(left))
        if left[pivot] <= 0 or (k and left.sum() <= tol * start):
            break
        pivots.append(pivot)
        L[k] = (row(pivot) - L[:k, pivot] @ L[:k]) / np.sqrt(left[pivot])
        left = np.maximum(left - L[k] ** 2, 0.0)
        left[pivot] = 0.0
    return np.array(pivots, dtype=int), L[: len(pivots)].T


def pivoted_cholesky(
    diagonal: np.ndarray, row: Callable[[int], np.ndarray], rank: int, tol: float = 1e-10
) -> np.ndarray:
    """L with LLᵀ close to K, one row of K per column, the largest remaining diagonal first."""
    return landmarks(diagonal, row, rank, tol)[1]
