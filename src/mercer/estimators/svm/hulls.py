"""The nearest points of two convex hulls: hard margins, and margins with a share of errors."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.estimators.svm.base import filled
from mercer.solvers.margin.dual import Bounds, DualSolution
from mercer.solvers.margin.problem import MarginProblem

_ZERO = 1e-10  # a smaller margin, as a share of the sizes that are summed, is none
_ROUNDS, _STEPS = 2, 50  # of a finer solution, and its steps per sample


@dataclasses.dataclass(frozen=True)
class NearestPoints:
    """Coefficients for the margin 1, and the margin in units of the solution; 0 if hulls meet."""

    solution: DualSolution
    margin: float

    @property
    def beta(self) -> np.ndarray:
        """The coefficients of both classes, scaled to the margin 1."""
        return self.solution.beta.sum(axis=0) / self.margin

    @property
    def intercept(self) -> float:
        """The middle between the classes, at the margin 1."""
        return float(self.solution.levels.sum() / (2 * self.margin))


def nearest_points(
    problem: MarginProblem,
    sign: np.ndarray,
    room: np.ndarray,
    share: float,
    accuracy: float,
    max_iter: int,
) -> NearestPoints:
    """Minimize ‖Σβφ(x)‖² where the coefficients of either class sum to ``share``.

    Each is at most ``room``. The KKT gap is at most ``accuracy`` times the margin, if need be by a
    finer tolerance than the problem's own.
    """
    zeros = np.zeros((2, len(sign)))
    bounds = Bounds(zeros.copy(), zeros.copy())
    bounds.upper[0] = np.where(sign > 0, room, 0.0)
    bounds.lower[1] = np.where(sign < 0, -room, 0.0)
    beta = np.vstack([filled(bounds.upper[0], share), -filled(-bounds.lower[1], share)])
    solution = problem.solve(zeros, bounds, beta, 0.0, max_iter)
    tol = problem.tol
    scale = 2 * share * float(np.abs(problem.diagonal).max())
    for _ in range(_ROUNDS):
        if not _is_vague(solution, accuracy):
            break
        problem.tol = max(_ZERO * scale, 0.01 * solution.gap, 0.5 * accuracy * _margin(solution))
        solution = problem.solve(zeros, bounds, solution.beta, 0.0, _STEPS * len(sign))
    if solution.gap <= tol:  # whether the finer solution was finished or not
        solution = dataclasses.replace(solution, converged=True)
    # half the squared norm of the normal, over the share, is an estimate that cannot be negative
    margin = max(_margin(solution), solution.objective / share)
    if margin <= solution.gap and margin <= _ZERO * scale:
        margin = 0.0
    return NearestPoints(solution, margin)


def _is_vague(solution: DualSolution, accuracy: float) -> bool:
    """Whether the margin is so small that the tolerance, though it was reached, says little."""
    return solution.converged and solution.gap > accuracy * _margin(solution)


def _margin(solution: DualSolution) -> float:
    """f is −level on free variables: as far above the middle for one class as below for the other.

    Rounding can make it negative where the hulls meet.
    """
    return max(float(solution.levels[1] - solution.levels[0]) / 2, 0.0)
