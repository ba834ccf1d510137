"""The squared loss on centers: conjugate gradients, all targets and penalties in one pass."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.gram.fused import CenterMatrix, Curvature
from mercer.linalg.cg import conjugate_gradients
from mercer.linalg.matrices import Multipliable
from mercer.linalg.solution import Solution
from mercer.solvers.nystrom.losses import Squared

Watch = Callable[[np.ndarray, float], None]  # of coefficients, and how far they are
_PATIENCE = 8  # steps that may not help: K_mm is singular to rounding error where centers are near


@dataclasses.dataclass
class CenterSolution(Solution):
    """Coefficients of the centers and biases, a column for each output, and the objective."""

    weights: np.ndarray
    bias: np.ndarray
    objective: float


class _Normal:
    """K_mn W K_nm + λ K_mm with a column's own penalty, and a last row for the bias."""

    def __init__(self, matrix: CenterMatrix, penalty: np.ndarray, intercept: bool) -> None:
        self.matrix, self.penalty, self.intercept = matrix, penalty, intercept

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        m = len(self.matrix)
        bias = V[m] if self.intercept else np.zeros(V.shape[1])
        _, slopes, sums = self.matrix.gather(Curvature(), V[:m], bias)
        product = slopes + self.penalty * (self.matrix.inner @ np.ascontiguousarray(V[:m]))
        return np.vstack([product, sums]) if self.intercept else product


def solve_squared(
    matrix: CenterMatrix,
    penalty: np.ndarray,
    inverse: Multipliable,
    *,
    n_outputs: int,
    intercept: bool,
    tol: float,
    limit: int,
    start: np.ndarray | None = None,
    watch: Watch | None = None,
) -> CenterSolution:
    """Minimize ½ Σ w (f(x) − y)² + ½ λ uᵀ K_mm u.

    Parameters
    ----------
    matrix : CenterMatrix
        K_nm, with targets and weights.
    penalty : ndarray of shape (n_outputs,) or (1,)
        λ of every output.
    inverse : matrix
        The preconditioner.
    n_outputs : int
        The number of outputs: of targets, or of targets times penalties.
    intercept : bool
        Whether there is a bias, which is not penalized.
    tol : float
        The relative residual, in the energy of the preconditioner, at which it has converged.
    limit : int
        Steps at most.
    start : ndarray of shape (m, n_outputs), optional
        Coefficients, and biases in a last row, to begin with.
    watch : callable, optional
        Called after every step with the coefficients so far and the relative residual.
    """
    m = len(matrix)
    V = np.zeros((m + intercept, n_outputs))
    loss, gradient = _gradient(matrix, penalty, V, intercept)
    floor, size = 0.0, np.maximum(np.linalg.norm(gradient, axis=0), 1e-300)
    if start is not None:  # the residual is measured beside that of f = 0
        floor = tol * tol * np.add.reduce(gradient * (inverse @ gradient), axis=0)
        V = start.copy()
        loss, gradient = _gradient(matrix, penalty, V, intercept)
    system = _Normal(matrix, penalty, intercept)
    first = V.copy()

    def see(step: np.ndarray, residual: float) -> None:
        if watch is not None:
            watch(first + step, residual)

    solution = conjugate_gradients(
        system,
        -gradient,
        inverse,
        tol=tol,
        limit=limit,
        measure="energy",
        patience=_PATIENCE,
        floor=floor,
        watch=see,
    )
    V += solution.x
    return CenterSolution(
        V[:m],
        V[m] if intercept else np.zeros(n_outputs),
        loss + 0.5 * float(np.sum(gradient * solution.x)),
        iterations=solution.iterations,
        residual=float(np.max(np.linalg.norm(solution.rest, axis=0) / size)),
        converged=solution.converged,
        reason=solution.reason,
    )


def _gradient(
    matrix: CenterMatrix, penalty: np.ndarray, V: np.ndarray, intercept: bool
) -> tuple[float, np.ndarray]:
    """The objective at some coefficients, and its gradient, by one pass."""
    m = len(matrix)
    bias = V[m] if intercept else np.zeros(V.shape[1])
    loss, slopes, sums = matrix.gather(Squared(), V[:m], bias)
    gradient = slopes + penalty * (matrix.inner @ np.ascontiguousarray(V[:m]))
    loss += 0.5 * float(np.sum(V[:m] * (gradient - slopes)))
    if intercept:
        gradient = np.vstack([gradient, sums])
    return loss, gradient
