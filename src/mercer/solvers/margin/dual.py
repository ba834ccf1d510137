"""The dual problem of margin machines: minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds, the sum of every group given.

What all its solvers share: slopes, objective, and the certificate of a solution. Arrays have one row per group.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from mercer import _compiled

PRECISION = "no further progress in floating point"


@dataclasses.dataclass(frozen=True)
class DualSolution:
    """β and why it is one: the dual objective, the KKT gap recomputed at the end, and what it cost."""

    beta: np.ndarray  # one row per group
    slack: np.ndarray  # t − Kβ
    levels: np.ndarray  # the multiplier of each group's sum
    objective: float
    gap: float
    tol: float
    iterations: int
    converged: bool
    reason: str
    seconds: float
    edges: (
        np.ndarray
    )  # the largest slope of each group's free variables: a level with all of them on one side


def slopes(
    beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, eps: float, huge: float
) -> tuple[np.ndarray, np.ndarray]:
    """What must be added to t − Kβ to get the slopes upwards and downwards, for all variables."""
    up = np.where(beta >= upper, -huge, np.where(beta >= 0, -eps, eps))
    low = np.where(beta <= lower, huge, np.where(beta > 0, -eps, eps))
    return up, low


def gap_of(h: np.ndarray, up: np.ndarray, low: np.ndarray) -> float:
    """How far the KKT conditions are violated, from t − Kβ and what `slopes` says of the variables."""
    return float(max(np.max((h + up).max(axis=1) - (h + low).min(axis=1)), 0.0))


def objective(target: np.ndarray, h: np.ndarray, beta: np.ndarray, eps: float) -> float:
    """½βᵀKβ − tᵀβ + ε|β|₁ with Kβ = t − h."""
    return float(-0.5 * np.sum(beta * (target + h)) + eps * np.abs(beta).sum())


def finish(
    h: np.ndarray,
    target: np.ndarray,
    beta: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    eps: float,
    tol: float,
    done: int,
    reason: str,
    start: float,
) -> DualSolution:
    """The certificate of a slack that was computed afresh."""
    figures = np.array(
        [
            _compiled.smo.certificate(h[g], beta[g], lower[g], upper[g], target[g], eps)
            for g in range(len(beta))
        ]
    )
    return certified(figures, h, beta, tol, done, reason, time.perf_counter() - start)


def certified(
    figures: np.ndarray,
    h: np.ndarray,
    beta: np.ndarray,
    tol: float,
    done: int,
    reason: str,
    seconds: float,
) -> DualSolution:
    """Gap, objective and multipliers from the figures of every group."""
    huge = _compiled.smo.HUGE
    gap = value = 0.0
    levels, edges = np.empty(len(beta)), np.empty(len(beta))
    for g, (top, bottom, mean, edge, free, part) in enumerate(figures.tolist()):
        value += part
        can_rise, can_fall = top > -0.5 * huge, bottom < 0.5 * huge
        gap = max(gap, top - bottom) if can_rise and can_fall else gap
        # the multiplier: the mean over free variables, else the middle of the feasible interval
        level = 0.5 * (top + bottom) if can_rise and can_fall else top if can_rise else bottom
        levels[g], edges[g] = (mean, edge) if free else (level, level)
    return DualSolution(
        beta, h, levels, value, gap, tol, done, reason == "converged", reason, seconds, edges
    )


def feasible(
    beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, totals: np.ndarray
) -> np.ndarray:
    """The coefficients of another problem between these bounds, moved towards them until every group has its sum."""
    near = np.clip(beta, lower, upper)
    for g, total in enumerate(totals):
        # first those that are at no bound: the others may be right where they are
        for some in (
            (near[g] > lower[g]) & (near[g] < upper[g]),
            np.ones(beta.shape[1], dtype=bool),
        ):
            lack = total - near[g].sum()
            room = np.where(some, upper[g] - near[g] if lack > 0 else near[g] - lower[g], 0.0)
            if abs(lack) > 1e-13 * np.abs(near[g]).sum() and room.sum() > 0:
                near[g] = np.clip(
                    near[g] + np.clip(lack / room.sum(), -1.0, 1.0) * room, lower[g], upper[g]
                )
    return near
