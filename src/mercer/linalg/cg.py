"""Linear systems with a positive definite matrix that is only multiplied: conjugate gradients."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy

from mercer.execution.cancel import check_stop
from mercer.linalg.matrices import Identity, Multipliable
from mercer.linalg.solution import Solution

# the root of the energy, beside the first, and the residual that may be rounding error
_STAGNANT, _ROUNDED = 1e-5, 1e-8


@dataclasses.dataclass
class LinearSolution(Solution):
    """The solution of a linear system; the residual is the largest ‖b − Ax‖/‖b‖ of a column.

    ``rest`` is b − Ax itself.
    """

    x: np.ndarray
    rest: np.ndarray


class Ridge:
    """A + λI for a matrix A that is only multiplied."""

    def __init__(self, matrix: Multipliable, penalty: float) -> None:
        self.matrix, self.penalty = matrix, penalty

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return self.matrix @ V + self.penalty * V


class LowRankInverse:
    """(LLᵀ + λI)⁻¹, by the Woodbury identity: the preconditioner of a matrix near LLᵀ."""

    def __init__(self, L: np.ndarray, penalty: float) -> None:
        self.L, self.penalty = L, penalty
        rank = L.shape[1]
        self.inner = scipy.linalg.cho_factor(L.T @ L + penalty * np.eye(rank)) if rank else None

    def __matmul__(self, R: np.ndarray) -> np.ndarray:
        if self.inner is None:
            return R / self.penalty
        return (R - self.L @ scipy.linalg.cho_solve(self.inner, self.L.T @ R)) / self.penalty


def conjugate_gradients(
    A: Multipliable,
    B: np.ndarray,
    inverse: Multipliable | None = None,
    *,
    tol: float = 1e-10,
    limit: int = 1000,
    measure: Literal["residual", "energy"] = "residual",
    floor: np.ndarray | float = 0.0,
    patience: int | None = None,
    watch: Callable[[np.ndarray, float], None] | None = None,
) -> LinearSolution:
    """Solve A X = B, all columns at once.

    Parameters
    ----------
    A : matrix
        Positive definite; it is only multiplied.
    B : ndarray of shape (n, k)
        The right-hand sides.
    inverse : matrix, default=None
        The preconditioner M⁻¹, near A⁻¹. It may remove from its argument, in place, what lies
        outside the space in which the system is solved.
    tol : float, default=1e-10
        Where to stop: ‖R‖/‖B‖ of every column ("residual"), or √(RᵀM⁻¹R) over its first value
        ("energy").
    limit : int, default=1000
        Iterations at most.
    measure : {"residual", "energy"}, default="residual"
        What is compared with ``tol``. By "energy", a column that is done is left alone, so that it
        does not depend on the columns beside it.
    floor : float or ndarray of shape (k,), default=0.0
        Energies RᵀM⁻¹R that are rounding error.
    patience : int, optional
        Steps without a smaller energy after which what is left is taken for rounding error, if it
        is small beside the first.
    watch : callable, optional
        Called after every step with X and the largest √(RᵀM⁻¹R) over its first value.
    """
    inverse = Identity() if inverse is None else inverse
    X, R = np.zeros_like(B), B.copy()
    size = np.maximum(np.linalg.norm(B, axis=0), 1e-300)
    Z = inverse @ R
    P = Z.copy()
    energy = _dots(R, Z)
    goal = np.maximum(floor, tol * tol * energy)
    residual = _residual(R, size)
    first, best, best_step = np.maximum(energy, 1e-300), np.inf, 0
    for step in range(limit):
        left = float(np.max(energy / first))
        if left < 0.5 * best:
            best, best_step = left, step
        small = best <= _STAGNANT**2 or residual <= _ROUNDED
        if patience is not None and small and step - best_step >= patience:
            return LinearSolution(X, R, iterations=step, residual=residual, reason="rounding error")
        active = np.ones(len(size), dtype=bool) if measure == "residual" else energy > goal
        if not active.any():
            return LinearSolution(X, R, iterations=step, residual=residual)
        check_stop()
        Q = A @ P
        length = _quotient(energy, _dots(P, Q), active)
        if not length.any():  # no direction of positive curvature is left
            limit = step
            break
        X += length * P
        R -= length * Q
        residual = _residual(R, size)
        if measure == "residual" and residual <= tol:
            return LinearSolution(X, R, iterations=step + 1, residual=residual)
        Z = inverse @ R
        fresh = _dots(R, Z)
        P = Z + _quotient(fresh, energy, active) * P
        energy = np.where(active, fresh, energy)
        if watch is not None:
            watch(X, float(np.sqrt(max(np.max(energy / first), 0.0))))
    reached = patience is not None and residual <= _ROUNDED
    reason = "rounding error" if reached else "no convergence"
    return LinearSolution(
        X, R, iterations=limit, residual=residual, converged=reached, reason=reason
    )


def _dots(R: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Inner products column by column."""
    return np.add.reduce(R * Z, axis=0)


def _residual(R: np.ndarray, size: np.ndarray) -> float:
    return float(np.max(np.linalg.norm(R, axis=0) / size))


def _quotient(above: np.ndarray, below: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Quotients of positive numbers; 0 for columns that are done or out of direction."""
    usable = active & (below > 0)
    return np.where(usable, above / np.where(usable, below, 1.0), 0.0)
