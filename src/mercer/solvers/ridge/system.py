"""The linear system of every squared loss: (K + λ/w) A = B, with K as it is or centred."""

from __future__ import annotations

import functools

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.errors import warn
from mercer.gram.matrix import Centered, Matrix, Weighted
from mercer.gram.plan import rows_at_a_time
from mercer.linalg.cg import LowRankInverse, Ridge, conjugate_gradients
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.solvers.ridge.direct import RidgeFactor, factor_ridge

_RANK = 300  # of the preconditioner
_SHARE = 0.25  # of the memory budget, which its factor may take


class RidgeSystem:
    """(K + λ/w) A = B: by Cholesky where K is stored, else by preconditioned conjugate gradients.

    Parameters
    ----------
    matrix : Matrix
        K; a stored one is overwritten by its factor.
    penalty : float
        λ.
    weight : ndarray of shape (n,)
        The weights w > 0 of the samples.
    centered : bool, default=False
        Whether K is centred about the weighted mean, which makes it positive semi-definite for
        conditionally positive definite kernels too.
    """

    def __init__(
        self, matrix: Matrix, penalty: float, weight: np.ndarray, centered: bool = False
    ) -> None:
        self.plan = matrix.plan
        self.penalty = penalty
        self.weight = weight
        self.mean_weights = weight / weight.sum()
        if centered:
            matrix = Centered(matrix, self.mean_weights)
        # with D = √w the system is (D K D + λ) D⁻¹A = D B
        self.root = None if (weight == 1).all() else np.sqrt(weight)
        self.matrix = matrix if self.root is None else Weighted(matrix, self.root)
        self.iterations, self.residual = 0, 0.0

    @property
    def stored(self) -> bool:
        """Whether the system is factored."""
        return self.plan.stored

    @property
    def exact(self) -> bool:
        """Whether the solution is that of a Cholesky factor."""
        return self.stored and self.factor.exact

    @property
    def solver(self) -> str:
        """How the system was solved, in words."""
        if self.stored:
            return self.factor.name
        return (
            f"conjugate gradients, {self.iterations} steps, preconditioner of rank "
            f"{self.preconditioner.L.shape[1]}, relative residual {self.residual:.1e}"
        )

    @functools.cached_property
    def factor(self) -> RidgeFactor:
        """The factor of the stored matrix, which it overwrites."""
        return factor_ridge(self.matrix.dense(), self.penalty)

    @functools.cached_property
    def preconditioner(self) -> LowRankInverse:
        """The inverse of a low-rank approximation."""
        n = len(self.matrix)
        rank = min(n, rows_at_a_time(n, _SHARE, _RANK))
        return LowRankInverse(pivoted_cholesky(self.matrix, rank), self.penalty)

    def solve(self, B: np.ndarray) -> np.ndarray:
        """(K + λ/w)⁻¹ B for a matrix B."""
        if self.root is None:
            return self._solve(B)
        root = self.root[:, None]
        return root * self._solve(root * B)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        if self.stored:
            return self.factor.solve(B)
        system = Ridge(self.matrix, self.penalty)
        solution = conjugate_gradients(system, np.ascontiguousarray(B), self.preconditioner)
        self.iterations = max(self.iterations, solution.iterations)
        self.residual = max(self.residual, solution.residual)
        if not solution.converged:
            advice = "raise alpha, or the memory budget"
            message = f"no convergence: relative residual {solution.residual:.2g}; {advice}"
            warn(message, ConvergenceWarning)
        return solution.x

    def inverse_diagonal(self) -> np.ndarray:
        """The diagonal of (K + λ/w)⁻¹, which only a stored matrix gives."""
        diagonal = self.factor.inverse_diagonal()
        return diagonal if self.root is None else diagonal * self.weight
