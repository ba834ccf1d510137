"""The squared loss on centres: conjugate gradients, all targets and penalties in one pass."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.gram.fused import CenterMatrix, Curvature
from mercer.linalg.cg import conjugate_gradients
from mercer.linalg.matrices import Multipliable
from mercer.linalg.solution import Solution
from mercer.solvers.nystrom.losses import Squared

_PATIENCE = 8  # steps that may not help: K_mm is singular to rounding error where centres are near


@dataclasses.dataclass
class CenterSolution(Solution):
    """Coefficients of the centres and biases, a column for each output, and the objective."""

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
) -> CenterSolution:
    """Minimise ½ Σ w (f(x) − y)² + ½ λ uᵀ K_mm u.

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
        Whether there is a bias, which is not penalised.
    tol : float
        The relative residual, in the energy of the preconditioner, at which it has converged.
    limit : int
        Steps at most.
    start : ndarray of shape (m, n_outputs), optional
        Coefficients, and biases in a last row, to begin with.
    """
    m = len(matrix)
    V = np.zeros((m + intercept, n_outputs)) if start is None else start.copy()
    bias = V[m] if intercept else np.zeros(n_outputs)
    loss, slopes, sums = matrix.gather(Squared(), V[:m], bias)
    gradient = slopes + penalty * (matrix.inner @ np.ascontiguousarray(V[:m]))
    loss += 0.5 * float(np.sum(V[:m] * (gradient - slopes)))
    if intercept:
        gradient = np.vstack([gradient, sums])
    system = _Normal(matrix, penalty, intercept)
    found = conjugate_gradients(
        system, -gradient, inverse, tol=tol, limit=limit, measure="energy", patience=_PATIENCE
    )
    V += found.x
    return CenterSolution(
        V[:m],
        V[m] if intercept else np.zeros(n_outputs),
        loss + 0.5 * float(np.sum(gradient * found.x)),
        iterations=found.iterations,
        residual=found.residual,
        converged=found.converged,
        reason=found.reason,
    )
