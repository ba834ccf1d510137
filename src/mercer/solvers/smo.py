"""The driver of the compiled loop: batches, stagnation, certificate of convergence."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import _compiled

_CHEAP = 200  # free variables that a Newton step may solve for
_ROUNDS = 20
_PATIENCE = 3  # batches without progress before the solver gives up


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
    edges: np.ndarray  # the largest slope of each group's free variables: a level with all of them on one side


def solve_dual(
    K: np.ndarray,
    target: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    beta: np.ndarray,
    *,
    eps: float = 0.0,
    tol: float = 1e-3,
    max_iter: int = -1,
    progress: Callable[[int, float], Any] | None = None,
) -> DualSolution:
    """Minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds, the sum of every group kept as it is in the given β.

    All arrays but K have one row per group. K is symmetric, float32 or float64; β is changed in place.
    """
    start = time.perf_counter()
    smo = _compiled.smo
    n = beta.shape[1]
    diagonal = np.ascontiguousarray(K.diagonal(), dtype=np.float64)
    up, low = slopes(beta, lower, upper, eps)
    h = _slack(K, target, beta)
    # Back to Python now and then: for Ctrl-C, for progress, and to see whether anything still happens.
    batch = max(64, int(2e7 / max(n, 1)))
    done, stalled, last = 0, 0, np.inf
    reason = "converged"
    while True:
        most = batch if max_iter < 0 else min(batch, max_iter - done)
        if most <= 0:
            reason = "max_iter reached"
            break
        made, finished = smo.steps(K, diagonal, h, beta, lower, upper, up, low, eps, tol, most)
        done += made
        if finished:
            break
        value = objective(target, h, beta, eps)
        if progress is not None:
            progress(done, value)
        if not np.isfinite(value):
            reason = "the numbers overflowed"
            break
        if last - value > 1e-13 * max(abs(value), 1e-300):
            stalled = 0
        else:  # rounding in h may stand in the way: compute it afresh, and give up when that does not help
            stalled += 1
            h = _slack(K, target, beta)
            if stalled >= _PATIENCE:
                reason = "no further progress in floating point"
                break
        last = value
    if reason == "converged" and K.dtype == np.float64:
        h = _polish(K, diagonal, target, h, beta, lower, upper, up, low, eps, max_iter - done if max_iter >= 0 else -1)
    return finish(_slack(K, target, beta), target, beta, up, low, eps, tol, done, reason, start)


def slopes(beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """What must be added to t − Kβ to get the slopes upwards and downwards, for all variables."""
    huge = _compiled.smo.HUGE
    up = np.where(beta >= upper, -huge, np.where(beta >= 0, -eps, eps))
    low = np.where(beta <= lower, huge, np.where(beta > 0, -eps, eps))
    return up, low


def finish(
    h: np.ndarray,
    target: np.ndarray,
    beta: np.ndarray,
    up: np.ndarray,
    low: np.ndarray,
    eps: float,
    tol: float,
    done: int,
    reason: str,
    start: float,
) -> DualSolution:
    """The certificate: gap and objective from a slack that was computed afresh, and the multipliers."""
    smo = _compiled.smo
    gap = 0.0
    groups = len(beta)
    levels, edges = np.empty(groups), np.empty(groups)
    for g in range(groups):
        top, bottom = smo.gaps(h[g], up[g], low[g])
        gap = max(gap, top - bottom) if top > -0.5 * smo.HUGE and bottom < 0.5 * smo.HUGE else gap
        levels[g], edges[g] = _level(h[g], up[g], low[g], top, bottom)
    value = objective(target, h, beta, eps)
    return DualSolution(beta, h, levels, value, gap, tol, done, reason == "converged", reason, time.perf_counter() - start, edges)


def _polish(
    K: np.ndarray,
    diagonal: np.ndarray,
    target: np.ndarray,
    h: np.ndarray,
    beta: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    up: np.ndarray,
    low: np.ndarray,
    eps: float,
    left: int,
) -> np.ndarray:
    """From the tolerance to rounding, where it is cheap: Newton steps on the few free variables, pairs for the rest.

    A Newton step solves the free variables exactly; pair steps then free or bind what the step shows to be wrong.
    """
    smo = _compiled.smo
    groups = len(beta)
    for _ in range(_ROUNDS):
        free = (up > -0.5 * smo.HUGE) & (low < 0.5 * smo.HUGE) & (up == low)
        group, at = np.nonzero(free)
        count = len(at)
        if not groups < count <= _CHEAP or left == 0:
            break
        system = np.zeros((count + groups, count + groups))
        system[:count, :count] = K[np.ix_(at, at)]
        # equal rows make the block singular: a whisper of ridge, undone by the next round
        system[np.arange(count), np.arange(count)] += 1e-13 * (diagonal[at].max() + 1e-300)
        system[np.arange(count), count + group] = system[count + group, np.arange(count)] = 1.0
        slope = h[group, at] + up[group, at]
        used = np.unique(group)
        keep = np.concatenate([np.arange(count), count + used])
        try:
            move = np.linalg.solve(system[np.ix_(keep, keep)], np.concatenate([slope, np.zeros(len(used))]))[:count]
        except np.linalg.LinAlgError:
            break
        now = beta[group, at]
        # as far as the first bound, or the kink at 0
        ceiling = np.where((eps > 0) & (now < 0), 0.0, upper[group, at])
        floor = np.where((eps > 0) & (now > 0), 0.0, lower[group, at])
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(move > 0, (ceiling - now) / move, np.where(move < 0, (floor - now) / move, np.inf))
        share = min(1.0, float(room.min()))
        if not np.isfinite(share) or not np.isfinite(move).all():
            break
        after = now + share * move
        hit = room <= share
        beta[group, at] = np.where(hit, np.where(move > 0, ceiling, floor), np.clip(after, floor, ceiling))
        up[group, at], low[group, at] = slopes(beta[group, at], lower[group, at], upper[group, at], eps)
        h = _slack(K, target, beta)
        fine = 1e-11 * max(1.0, float(np.abs(target).max()), float(np.abs(h).max()))
        made, finished = smo.steps(K, diagonal, h, beta, lower, upper, up, low, eps, fine, 2 * len(diagonal))
        if finished and made == 0:
            break
    return h


def _slack(K: np.ndarray, target: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """t − Kβ in double precision, from the rows where β is not 0."""
    total = beta.sum(axis=0)
    used = np.flatnonzero(total)
    image = np.zeros(K.shape[0])
    for start in range(0, len(used), 512):
        rows = used[start : start + 512]
        image += total[rows] @ K[rows].astype(np.float64, copy=False)
    return target - image


def objective(target: np.ndarray, h: np.ndarray, beta: np.ndarray, eps: float) -> float:
    """½βᵀKβ − tᵀβ + ε|β|₁ with Kβ = t − h."""
    return float(-0.5 * np.sum(beta * (target + h)) + eps * np.abs(beta).sum())


def _level(h: np.ndarray, up: np.ndarray, low: np.ndarray, top: float, bottom: float) -> tuple[float, float]:
    """The multiplier: the mean over variables free to move both ways, else the middle of the feasible interval."""
    huge = _compiled.smo.HUGE
    free = (up > -0.5 * huge) & (low < 0.5 * huge) & (up == low)
    if free.any():
        slopes = h[free] + up[free]
        return float(slopes.mean()), float(slopes.max())
    if top <= -0.5 * huge:
        level = float(bottom)
    elif bottom >= 0.5 * huge:
        level = float(top)
    else:
        level = float(0.5 * (top + bottom))
    return level, level
