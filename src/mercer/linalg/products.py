"""Products by SciPy's BLAS, beside SciPy's factorisations.

NumPy and SciPy come with a BLAS each. Threads of the one that worked last wait in a loop, for some thirty milliseconds, and take a core
from the other: a small product by NumPy between two factorisations by SciPy can double the time of both.
"""

from __future__ import annotations

import numpy as np
import scipy


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A @ B for float64 matrices, or a matrix and a vector; nothing is copied where rows or columns are contiguous."""
    if B.ndim == 1:
        return product(A, B[:, None])[:, 0]
    if 0 in A.shape or 0 in B.shape:
        return A @ B
    # (A B)ᵀ = Bᵀ Aᵀ: BLAS counts by columns, so its result is ours by rows
    a, turn_a = (A.T, 0) if A.flags.c_contiguous else (A, 1)
    b, turn_b = (B.T, 0) if B.flags.c_contiguous else (B, 1)
    return scipy.linalg.blas.dgemm(1.0, b, a, trans_a=turn_b, trans_b=turn_a).T
