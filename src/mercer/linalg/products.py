"""Products by SciPy's BLAS, beside SciPy's factorizations.

NumPy and SciPy come with a BLAS each. Threads of the one that worked last wait in a loop, for some
thirty milliseconds, and take a core from the other: a small product by NumPy between two
factorizations by SciPy can double the time of both.
"""

from __future__ import annotations

import numpy as np
import scipy


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A @ B for float64 matrices, or a matrix and a vector.

    Nothing is copied where rows or columns are contiguous.
    """
    if B.ndim == 1:
        return product(A, B[:, None])[:, 0]
    if 0 in A.shape or 0 in B.shape:
        return A @ B
    # (A B)ᵀ = Bᵀ Aᵀ: BLAS counts by columns, so its result is ours by rows
    a, transpose_a = _by_columns(A)
    b, transpose_b = _by_columns(B)
    return scipy.linalg.blas.dgemm(1.0, b, a, trans_a=transpose_b, trans_b=transpose_a).T


def _by_columns(A: np.ndarray) -> tuple[np.ndarray, bool]:
    """A matrix as BLAS reads it without a copy, and whether that has to be transposed for Aᵀ."""
    if A.flags.c_contiguous:
        return A.T, False
    return A, True
