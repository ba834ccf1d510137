"""The linear system of every squared loss: (K + λ/w) A = B, with K as it is or centered."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.errors import DefinitenessError, warn
from mercer.execution.progress import Progress
from mercer.gram.matrix import Centered, Matrix, Weighted
from mercer.gram.plan import Plan, preconditioner_rank, rows_at_a_time, single_products
from mercer.gram.streamed import SingleStreamed, in_single_precision
from mercer.linalg.cg import LinearSolution, LowRankInverse, Ridge, conjugate_gradients
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.linalg.matrices import Multipliable
from mercer.solvers.ridge.direct import RidgeFactor, factor_ridge
from mercer.solvers.ridge.preconditioner import NystromInverse

_RANK = 300  # of the preconditioner in double precision
_SHARE = 0.25  # of the memory budget, which its factor may take
_ROUGH = 1e-3  # the residual, and the rounding error, that single precision may leave
_EXACT = 1e-10
_STEPS = 100  # of single precision, after which double precision goes on


class RidgeSystem:
    """(K + λ/w) A = B: by Cholesky where K is stored, else by preconditioned conjugate gradients.

    A large matrix that is not stored is multiplied in single precision, until the residual is a
    thousandth of the spread of B. Where the rounding error of the result is estimated to be larger,
    double precision goes on from there.

    Parameters
    ----------
    matrix : Matrix
        K; a stored one is overwritten by its factor.
    penalty : float
        λ.
    weight : ndarray of shape (n,)
        The weights w > 0 of the samples.
    centered : bool, default=False
        Whether K is centered about the weighted mean, which makes it positive semi-definite for
        conditionally positive definite kernels too.
    """

    def __init__(
        self, matrix: Matrix, penalty: float, weight: np.ndarray, centered: bool = False
    ) -> None:
        self.penalty = penalty
        self.weight = weight
        self.mean_weights = weight / weight.sum()
        self.centered = centered
        self.matrix = matrix
        self.single: SingleStreamed | None = None
        if penalty > 0 and single_products(len(matrix)):
            self.single = in_single_precision(matrix)
        # with D = √w the system is (D K D + λ) D⁻¹A = D B
        self.root = None if (weight == 1).all() else np.sqrt(weight)
        self.iterations, self.residual, self.rounding = 0, 0.0, 0.0
        self.rest: np.ndarray | float = 0.0  # of the last system, DB − (DKD + λ) D⁻¹A

    @property
    def used(self) -> Matrix:
        """K as it is multiplied; a stored one may be overwritten by its factor."""
        return self.matrix if self.single is None else self.single

    @property
    def plan(self) -> Plan:
        """The form of K."""
        return self.used.plan

    def _viewed(self, matrix: Matrix) -> Matrix:
        """The matrix, centered and weighted."""
        if self.centered:
            matrix = Centered(matrix, self.mean_weights)
        return matrix if self.root is None else Weighted(matrix, self.root)

    def products(self, otherwise: Callable[[], Matrix]) -> Matrix:
        """K for further products: as it was multiplied, or else, if it was stored, another one."""
        return otherwise() if self.stored else self.used

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
        words = f"conjugate gradients, {self.iterations} steps, preconditioner of rank {self.rank}"
        words += f", relative residual {self.residual:.1e}"
        if self.single is not None:
            words += f", rounding {self.rounding:.1e}"
        return words

    @functools.cached_property
    def factor(self) -> RidgeFactor:
        """The factor of the stored matrix, which it overwrites."""
        return factor_ridge(self._viewed(self.matrix).dense(), self.penalty)

    @functools.cached_property
    def preconditioner(self) -> LowRankInverse:
        """The inverse of a low-rank approximation."""
        n = len(self.matrix)
        rank = min(n, rows_at_a_time(n, _SHARE, _RANK))
        return LowRankInverse(pivoted_cholesky(self._viewed(self.matrix), rank), self.penalty)

    @functools.cached_property
    def single_preconditioner(self) -> NystromInverse | None:
        """The inverse of a Nyström approximation; None where K is only conditionally definite."""
        assert self.single is not None
        rank = preconditioner_rank(len(self.matrix))
        try:
            return NystromInverse(self.single, rank, self.penalty, self.weight, self.centered)
        except DefinitenessError:
            return None

    @property
    def rank(self) -> int:
        """The rank of the preconditioner in use."""
        if self.single is None or self.single_preconditioner is None:
            return self.preconditioner.L.shape[1]
        return self.single_preconditioner.rank

    def solve(self, B: np.ndarray) -> np.ndarray:
        """(K + λ/w)⁻¹ B for a matrix B."""
        spread = _spreads(B)
        if self.root is None:
            return self._solve(B, spread)
        root = self.root[:, None]
        return root * self._solve(root * B, spread)

    def _solve(self, B: np.ndarray, spread: np.ndarray) -> np.ndarray:
        if self.stored:
            return self.factor.solve(B)
        B = np.ascontiguousarray(B)
        start = self._solve_roughly(B, spread)
        if self.single is not None:
            return start
        rest = B
        if start.any():
            rest = B - Ridge(self._viewed(self.matrix), self.penalty) @ start
        solution = self._iterate(self.matrix, rest, self.preconditioner, _EXACT)
        if not solution.converged:
            advice = "raise alpha, or the memory budget"
            message = f"no convergence: relative residual {solution.residual:.2g}; {advice}"
            warn(message, ConvergenceWarning)
        return start + solution.x

    def _solve_roughly(self, B: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """The solution in single precision, which is given up where it is not accurate enough.

        What is accurate is measured by the spread of the targets, which may be far from 0.
        """
        if self.single is None or self.single_preconditioner is None:
            self.single = None
            return np.zeros_like(B)
        size = np.maximum(np.linalg.norm(B, axis=0), 1e-300)
        tol = _ROUGH * float((spread * np.sqrt(self.weight.sum()) / size).min())
        solution = self._iterate(self.single, B, self.single_preconditioner, tol, _STEPS)
        largest = float(np.abs(self.single.diagonal()).max())
        lengths = np.linalg.norm(solution.x, axis=0)
        error = self.single.rounding * largest * float((lengths / spread).max())
        self.rounding = max(self.rounding, error)
        if error > _ROUGH or not solution.converged:
            self.single, self.residual = None, 0.0
        return solution.x

    def _iterate(
        self, matrix: Matrix, B: np.ndarray, inverse: Multipliable, tol: float, limit: int = 1000
    ) -> LinearSolution:
        """Conjugate gradients with a matrix, and what they say of themselves."""
        progress = Progress(None, "fit", "pass")
        steps = itertools.count(1)
        solution = conjugate_gradients(
            Ridge(self._viewed(matrix), self.penalty),
            B,
            inverse,
            tol=tol,
            limit=limit,
            watch=lambda X, residual: progress.update(next(steps)),
        )
        progress.close()
        self.rest = solution.rest
        self.iterations = max(self.iterations, solution.iterations)
        self.residual = max(self.residual, solution.residual)
        return solution

    def image(self, A: np.ndarray, B: np.ndarray, otherwise: Callable[[], Matrix]) -> np.ndarray:
        """K A of the last solution A, which follows from the system without another product.

        Only where K is neither definite nor streamed, it is computed by another matrix.
        """
        if self.penalty == 0 or (self.stored and not self.exact):
            return otherwise() @ A
        rest = self.rest if self.root is None else self.rest / self.root[:, None]
        return np.asarray(B - self.penalty * A / self.weight[:, None] - rest)

    def inverse_diagonal(self) -> np.ndarray:
        """The diagonal of (K + λ/w)⁻¹, which only a stored matrix gives."""
        diagonal = self.factor.inverse_diagonal()
        return diagonal if self.root is None else diagonal * self.weight


def _spreads(B: np.ndarray) -> np.ndarray:
    """The standard deviation of each column, or the size of those that are constant."""
    spread = B.std(axis=0)
    size = np.maximum(np.abs(B).max(axis=0), 1e-300)
    return np.where(spread > 1e-12 * size, spread, size)
