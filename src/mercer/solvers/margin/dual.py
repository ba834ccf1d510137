"""The dual problem of support vector machines: minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds.

The sum of every group of variables is given. What all its solvers share: slopes, objective, and the
certificate of a solution. Arrays have one row per group.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from mercer import _compiled
from mercer.linalg.solution import Solution

PRECISION = "no further progress in floating point"


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Limits of the variables, a row per group."""

    lower: np.ndarray
    upper: np.ndarray

    @property
    def room(self) -> float:
        """The sum of all distances between the limits."""
        return float((self.upper - self.lower).sum())


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


def slopes(
    beta: np.ndarray, bounds: Bounds, eps: float, huge: float
) -> tuple[np.ndarray, np.ndarray]:
    """What must be added to t − Kβ for the slopes upwards and downwards, of all variables."""
    up = np.where(beta >= bounds.upper, -huge, np.where(beta >= 0, -eps, eps))
    low = np.where(beta <= bounds.lower, huge, np.where(beta > 0, -eps, eps))
    return up, low


def gap_of(h: np.ndarray, up: np.ndarray, low: np.ndarray) -> float:
    """How far the KKT conditions are violated, from t − Kβ and what `slopes` says of the variables."""
    return float(max(np.max((h + up).max(axis=1) - (h + low).min(axis=1)), 0.0))


def objective(target: np.ndarray, h: np.ndarray, beta: np.ndarray, eps: float) -> float:
    """½βᵀKβ − tᵀβ + ε|β|₁ with Kβ = t − h."""
    return float(-0.5 * np.sum(beta * (target + h)) + eps * np.abs(beta).sum())


def finish(
    slack: np.ndarray,
    target: np.ndarray,
    beta: np.ndarray,
    bounds: Bounds,
    eps: float,
    iterations: int,
    reason: str,
    start: float,
) -> DualSolution:
    """The certificate of a slack that was computed afresh."""
    figures = np.array(
        [
            _compiled.smo.certificate(
                slack[g], beta[g], bounds.lower[g], bounds.upper[g], target[g], eps
            )
            for g in range(len(beta))
        ]
    )
    seconds = time.perf_counter() - start
    return certified(figures, slack, beta, iterations, reason, seconds)


def certified(
    figures: np.ndarray,
    slack: np.ndarray,
    beta: np.ndarray,
    iterations: int,
    reason: str,
    seconds: float,
) -> DualSolution:
    """Gap, objective and multipliers from the figures of every group."""
    groups = [_Group(*figure) for figure in figures.tolist()]
    return DualSolution(
        beta,
        slack,
        np.array([group.level for group in groups]),
        sum(group.objective for group in groups),
        max([0.0, *(group.gap for group in groups)]),
        seconds,
        np.array([group.edge for group in groups]),
        iterations=iterations,
        converged=reason == "converged",
        reason=reason,
    )


class _Group:
    """What the compiled certificate says of one group."""

    def __init__(
        self, top: float, bottom: float, mean: float, edge: float, free: float, objective: float
    ) -> None:
        huge = _compiled.smo.HUGE
        can_rise, can_fall = top > -0.5 * huge, bottom < 0.5 * huge
        self.objective = objective
        self.gap = top - bottom if can_rise and can_fall else 0.0
        # the multiplier: the mean over free variables, else the middle of the feasible interval
        if free:
            self.level, self.edge = mean, edge
            return
        if can_rise and can_fall:
            self.level = 0.5 * (top + bottom)
        else:
            self.level = top if can_rise else bottom
        self.edge = self.level


def feasible(beta: np.ndarray, bounds: Bounds, totals: np.ndarray) -> np.ndarray:
    """Coefficients of another problem, moved between these bounds until every group has its sum."""
    moved = np.clip(beta, bounds.lower, bounds.upper)
    for g, total in enumerate(totals):
        lower, upper = bounds.lower[g], bounds.upper[g]
        # first those that are at no bound: the others may be right where they are
        free = (moved[g] > lower) & (moved[g] < upper)
        for some in (free, np.ones(beta.shape[1], dtype=bool)):
            moved[g] = _towards(moved[g], lower, upper, total, some)
    return moved


def _towards(
    beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float, some: np.ndarray
) -> np.ndarray:
    """Some variables moved towards their limits in proportion to their room."""
    lack = total - beta.sum()
    room = np.where(some, upper - beta if lack > 0 else beta - lower, 0.0)
    if abs(lack) <= 1e-13 * np.abs(beta).sum() or room.sum() <= 0:
        return beta
    share = np.clip(lack / room.sum(), -1.0, 1.0)
    return np.clip(beta + share * room, lower, upper)
