"""A margin problem on some training samples: which solver, on which form of the Gram matrix, and why."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.config import format_bytes, get_config
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.estimators.base import training_gram
from mercer.gram.engine import dense
from mercer.kernels.base import Kernel
from mercer.matrices import repair as repair_matrix
from mercer.solvers.rows import RowCache
from mercer.solvers.smo import DualSolution, solve_dual
from mercer.solvers.working_set import SIZE, solve_blocked

_SMALL = 3000  # up to here a dense matrix and plain pairs are quickest
_FINE = 1e-4  # a smaller tolerance asks for double precision


class MarginProblem:
    """Rows of the training samples under a kernel, ready for the dual problem."""

    def __init__(self, kernel: Kernel | None, X: Any, rows: np.ndarray, tol: float, repair: str | None) -> None:
        n = len(rows)
        self.kernel, self.tol = kernel, tol
        self.operator: np.ndarray | None = None  # what the coefficients need after a repair
        budget = get_config().memory_budget // 2
        roomy = 8 * n * n <= budget
        if kernel is None or repair is not None or n <= _SMALL or (tol < _FINE and roomy):
            whole = np.array_equal(rows, np.arange(raw_length(X)))
            self.matrix: np.ndarray | None = training_gram(kernel, X, None if whole else rows, np.float64)
            self.plan = f"dense Gram matrix, float64, {format_bytes(8 * n * n)}"
            if repair is not None:
                made = repair_matrix(self.matrix, repair)
                self.matrix, self.operator = np.ascontiguousarray(made.matrix), made.operator
                self.plan += f", repaired by {repair}"
            self.diagonal = np.ascontiguousarray(self.matrix.diagonal())
            return
        self.matrix = None
        self.side = kernel.prepare(Batch(pick_rows(X, rows)))
        self.diagonal = np.asarray(kernel.diagonal(self.side), dtype=np.float64)
        self.plan = f"rows on demand, float32, at most {format_bytes(min(budget, 4 * n * n))}"

    def solve(self, target: np.ndarray, lower: np.ndarray, upper: np.ndarray, beta: np.ndarray, eps: float, max_iter: int) -> DualSolution:
        """Minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds; see `solve_dual`."""
        if self.matrix is not None:
            return solve_dual(self.matrix, target, lower, upper, beta, eps=eps, tol=self.tol, max_iter=max_iter)
        kernel, side = self.kernel, self.side
        assert kernel is not None
        cache = RowCache(len(side), lambda rows, out: dense(kernel, side.take(rows), side, out=out), SIZE)
        solution = solve_blocked(cache, self.diagonal, target, lower, upper, beta, eps=eps, tol=self.tol, max_iter=max_iter)
        self.plan += f", {cache.computed} rows computed"
        return solution

    def coefficients(self, beta: np.ndarray) -> np.ndarray:
        """β for new samples: after a repair their rows would have to be changed, or, as here, β."""
        return beta if self.operator is None else self.operator @ beta
