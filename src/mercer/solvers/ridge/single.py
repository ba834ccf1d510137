"""Ridge regression of many samples: conjugate gradients on a matrix in single precision.

A matrix of n samples takes 4 n² bytes, and reading it once costs one step. The preconditioner is a
Nyström approximation from samples drawn at random, whose mean error along the diagonal is added to
the penalty: it holds what the few directions miss.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mercer.domains.vectors.domain import TILE
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.linalg.cg import LinearSolution, LowRankInverse, Ridge, conjugate_gradients

_RANK = 500  # of the preconditioner
_JITTER = 1e-6  # for each sample of the preconditioner, which rounding of its matrix asks for
_STEPS = 200


class SinglePrecision:
    """D K D for a stored matrix K in single precision, and a diagonal D; it is only multiplied.

    Strips of rows are multiplied one by one, so that bits do not depend on the number of threads.
    BLAS should be serial around it.
    """

    def __init__(self, K: np.ndarray, root: np.ndarray) -> None:
        self.K, self.root = K, root[:, None]

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        scaled = (self.root * V).astype(np.float32)
        out = np.empty((len(self.K), V.shape[1]), dtype=np.float32)

        def multiply_strip(number: int, _: Workspace) -> None:
            rows = slice(number * TILE, (number + 1) * TILE)
            out[rows] = self.K[rows] @ scaled

        run(-(-len(self.K) // TILE), multiply_strip, "product")
        return self.root * out

    def nystrom(self, rank: int) -> np.ndarray:
        """A factor L with L Lᵀ near the matrix, from samples drawn at random."""
        centers = np.random.default_rng(0).choice(len(self.K), rank, replace=False)
        columns = self.K[centers].astype(np.float64) * self.root.T * self.root[centers]
        inner = columns[:, centers]
        inner[np.diag_indices(rank)] += _JITTER * rank
        upper = linalg.cholesky(inner, check_finite=False)
        return linalg.solve_triangular(upper, columns, trans="T", check_finite=False).T

    def trace(self) -> float:
        """The sum along the diagonal."""
        return float((self.K.diagonal() * self.root[:, 0] ** 2).sum())


def single_precision_ridge(
    K: np.ndarray,
    Y: np.ndarray,
    penalty: float,
    weight: np.ndarray | None = None,
    tol: float = 1e-3,
) -> LinearSolution:
    """Solve (K + λ/w) A = Y up to a residual that no prediction shows.

    Parameters
    ----------
    K : ndarray of shape (n, n) and type float32
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
