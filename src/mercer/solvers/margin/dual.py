"""The dual problem of support vector machines: minimize ½βᵀKβ − tᵀβ + ε|β|₁ between bounds.

The sum of every group of variables is given. What all its solvers share: slopes, objective, and the
certificate of a solution. Arrays have one row per group.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from mercer import _compiled
from mercer.linalg.solution import Solution

_LEAST_LIMIT, _LIMIT_PER_SAMPLE = 10_000_000, 100  # steps without a max_iter, as LIBSVM has it
PRECISION = "no further progress in floating point"
UNBOUNDED = "the coefficients grow without bound"
Callback = Callable[[int, float], bool]  # of (steps, objective); True asks to stop


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Limits of the variables, a row per group."""

    lower: np.ndarray
    upper: np.ndarray


@dataclasses.dataclass
class DualSolution(Solution):
    """β and why it is one: the dual objective and the KKT gap, recomputed at the end."""

    beta: np.ndarray  # one row per group
    slack: np.ndarray  # t − Kβ
    levels: np.ndarray  # the multiplier of each group's sum
    objective: float
    gap: float
    seconds: float
    # the largest slope of each group's free variables: a level with all of them on one side
    edges: np.ndarray


@dataclasses.dataclass
class DualProblem:
    """Everything of the dual problem but the matrix, and when to stop.

    Parameters
    ----------
    target : ndarray of shape (groups, n)
        t.
    bounds : Bounds
        Limits of β.
    beta : ndarray of shape (groups, n)
        A feasible start with the sums of the groups; solvers change it in place.
    eps : float, default=0.0
        ε.
    tol : float, default=1e-3
        The KKT gap at which the problem is solved.
    max_iter : int, default=-1
        Steps at most; -1 for as many as LIBSVM allows.
    callback : callable, default=None
        Called now and then with the number of steps and the objective; True asks to stop.
    """

    target: np.ndarray
    bounds: Bounds
    beta: np.ndarray
    eps: float = 0.0
    tol: float = 1e-3
    max_iter: int = -1
    callback: Callback | None = None

    def steps_left(self, done: int) -> int:
        """How many steps may be made after so many."""
        most = self.max_iter
        if most < 0:
            most = max(_LEAST_LIMIT, _LIMIT_PER_SAMPLE * self.beta.shape[1])
        return most - done

    def out_of_steps(self) -> str:
        """Why the solver stops where no steps are left."""
        if self.max_iter >= 0:
            return f"Solver terminated early (max_iter={self.max_iter})"
        return "the limit of steps was reached"

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """What must be added to t − Kβ for the slopes upwards and downwards."""
        return slopes(self.beta, self.bounds, self.eps, _compiled.smo.HUGE)

    def gap(self, slack: np.ndarray) -> float:
        """How far the KKT conditions are violated, from t − Kβ."""
        up, low = self.slopes()
        return float(max(np.max((slack + up).max(axis=1) - (slack + low).min(axis=1)), 0.0))

    def objective(self, slack: np.ndarray) -> float:
        """½βᵀKβ − tᵀβ + ε|β|₁ with Kβ = t − slack."""
        beta = self.beta
        return float(-0.5 * np.sum(beta * (self.target + slack)) + self.eps * np.abs(beta).sum())

    def certify(
        self, slack: np.ndarray, iterations: int, reason: str, start: float
    ) -> DualSolution:
        """The solution with its certificate, from a slack that was computed afresh."""
        figures = np.empty((len(self.beta), 4))
        for g, beta in enumerate(self.beta):
            lower, upper = self.bounds.lower[g], self.bounds.upper[g]
            figures[g] = _compiled.smo.certificate(
                slack[g], beta, lower, upper, self.target[g], self.eps
            )
        seconds = time.perf_counter() - start
        return certified(figures, slack, self.beta, iterations, reason, seconds)


def slopes(
    beta: np.ndarray, bounds: Bounds, eps: float, huge: float
) -> tuple[np.ndarray, np.ndarray]:
    """What must be added to t − Kβ for the slopes upwards and downwards, of all variables."""
    up = np.where(beta >= bounds.upper, -huge, np.where(beta >= 0, -eps, eps))
    low = np.where(beta <= bounds.lower, huge, np.where(beta > 0, -eps, eps))
    return up, low


def certified(
    figures: np.ndarray,
    slack: np.ndarray,
    beta: np.ndarray,
    iterations: int,
    reason: str,
    seconds: float,
) -> DualSolution:
    """The solution whose groups have these figures, as the compiled certificate gives them."""
    levels, edges, gaps, objectives = figures.T
    return DualSolution(
        beta,
        slack,
        levels,
        float(objectives.sum()),
        float(gaps.max()),
        seconds,
        edges,
        iterations=iterations,
        converged=reason == "converged",
        reason=reason,
    )


def feasible(beta: np.ndarray, bounds: Bounds, totals: np.ndarray) -> np.ndarray:
    """Coefficients of another problem, moved between these bounds until every group has its sum."""
    moved = np.clip(beta, bounds.lower, bounds.upper)
    for g, total in enumerate(totals):
        lower, upper = bounds.lower[g], bounds.upper[g]
        # first those that are at no bound: the others may be right where they are
        free = (moved[g] > lower) & (moved[g] < upper)
        for some in (free, np.ones(beta.shape[1], dtype=bool)):
            moved[g] = _toward(moved[g], lower, upper, total, some)
    return moved


def _toward(
    beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float, some: np.ndarray
) -> np.ndarray:
    """Some variables moved toward their limits in proportion to their room."""
    lack = total - beta.sum()
    room = upper - beta if lack > 0 else beta - lower
    room = np.where(some, room, 0.0)
    if abs(lack) <= 1e-13 * np.abs(beta).sum() or room.sum() <= 0:
        return beta
    share = np.clip(lack / room.sum(), -1.0, 1.0)
    return np.clip(beta + share * room, lower, upper)
