"""Ridge regression of many samples: conjugate gradients on a matrix in single precision.

The triangle of a matrix of n samples takes 2 n² bytes, and reading it once costs one step. The
preconditioner is a Nyström approximation from samples drawn at random, whose mean error along the
diagonal is added to the penalty: it holds what the few directions miss.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mercer.linalg.cg import LinearSolution, LowRankInverse, Ridge, conjugate_gradients
from mercer.solvers.ridge.triangle import Triangle

_RANK = 500  # of the preconditioner
_JITTER = 1e-6  # for each sample of the preconditioner, which rounding of its matrix asks for
_STEPS = 200


class SinglePrecision:
    """D K D for the triangle of a matrix K in single precision, and a diagonal D."""

    def __init__(self, K: Triangle, root: np.ndarray) -> None:
        self.K, self.root = K, root[:, None]

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return self.root * (self.K @ (self.root * V).astype(np.float32))

    def nystrom(self, rank: int) -> np.ndarray:
        """A factor L with L Lᵀ near the matrix, from samples drawn at random."""
        centers = np.random.default_rng(0).choice(len(self.K), rank, replace=False)
        columns = self.K.rows(centers).astype(np.float64) * self.root.T * self.root[centers]
        inner = columns[:, centers]
        inner[np.diag_indices(rank)] += _JITTER * rank
        upper = linalg.cholesky(inner, check_finite=False)
        return linalg.solve_triangular(upper, columns, trans="T", check_finite=False).T

    def trace(self) -> float:
        """The sum along the diagonal."""
        return float((self.K.diagonal() * self.root[:, 0] ** 2).sum())


def single_precision_ridge(
    K: Triangle, Y: np.ndarray, penalty: float, weight: np.ndarray | None = None, tol: float = 1e-3
) -> LinearSolution:
    """Solve (K + λ/w) A = Y up to a residual that no prediction shows.

    Parameters
    ----------
    K : Triangle of n rows
        The Gram matrix.
    Y : ndarray of shape (n, k)
        Targets.
    penalty : float
        λ.
    weight : ndarray of shape (n,), default=None
        Positive weights w.
    tol : float, default=1e-3
        The relative residual.
    """
    root = np.ones(len(K)) if weight is None else np.sqrt(weight)
    matrix = SinglePrecision(K, root)
    L = matrix.nystrom(min(_RANK, len(K)))
    missed = max(matrix.trace() - float((L * L).sum()), 0.0) / len(K)
    solution = conjugate_gradients(
        Ridge(matrix, penalty),
        root[:, None] * Y,
        LowRankInverse(L, penalty + missed),
        tol=tol,
        limit=_STEPS,
    )
    solution.x = root[:, None] * solution.x
    return solution
