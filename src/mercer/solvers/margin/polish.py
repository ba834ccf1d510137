"""Refinement of a solution to rounding error, where it is cheap.

Newton steps solve for the few free variables, steps of two variables move the rest.
"""

from __future__ import annotations

import contextlib

import numpy as np
from scipy import linalg

from mercer.execution.blas import serial_blas
from mercer.solvers.margin.dual import Bounds, slopes
from mercer.solvers.margin.state import State

CHEAP = 200  # free variables that a Newton step may solve for
LOOSE = 5e-3  # a looser tolerance is taken at its word: a polish costs as much as the solution
_NEARLY = 1.0 + 1e-6  # times the tolerance: steps look at slopes with rounding errors
_ROUNDS = 20
_ONE_THREAD = 100  # free variables up to which LAPACK uses one thread anyway
_RIDGE = 1e-13  # equal rows make a block singular: a ridge that the next round undoes


def polish(state: State, iterations: int) -> tuple[np.ndarray, int, bool]:
    """Polish a solution, and go back to the tolerance where that stopped half-way.

    Returns the slack, the number of steps, and whether the tolerance holds. ``iterations`` is the
    number of steps so far.
    """
    problem = state.problem
    # more variables may become free on the way: all of them count, else bits depend on threads
    with serial_blas() if state.beta.size > _ONE_THREAD else contextlib.nullcontext():
        if iterations != problem.max_iter and _to_rounding_error(state):
            slack = np.ascontiguousarray(state.h)
            if problem.gap(slack) <= problem.tol:
                return slack, 0, True
    slack = state.slack()
    if problem.gap(slack) <= problem.tol:
        return slack, 0, True
    state.h[...] = slack
    steps, finished = state.steps(problem.tol, max(64, int(2e7 / state.n)))
    slack = state.slack()
    return slack, steps, finished and problem.gap(slack) <= _NEARLY * problem.tol


def _to_rounding_error(state: State) -> bool:
    """Newton steps on the free variables, until steps of two variables change nothing."""
    for _ in range(_ROUNDS):
        if not _whole_step(state) and not step_to_a_bound(state):
            return False
        state.h[...] = state.slack()
        largest = max(float(np.abs(state.problem.target).max()), float(np.abs(state.h).max()))
        steps, finished = state.steps(1e-11 * max(1.0, largest), 2 * state.n)
        if finished and steps == 0:
            return True
    return False


def _whole_step(state: State) -> bool:
    """The Newton step of a single group, taken where it meets no bound: the common case."""
    at = np.flatnonzero(state.up[0] == state.low[0])
    count = len(at)
    single_group = len(state.beta) == 1 and state.problem.eps == 0.0
    if not single_group or not 1 < count <= CHEAP:
        return False
    system = state.rows.take(at, axis=0).take(at, axis=1)
    largest = state.diagonal.max()
    # Σ move = 0, so that a constant added to K changes nothing but its definiteness
    system += largest
    system.reshape(-1)[:: count + 1] += _RIDGE * (largest + 1e-300)
    right = np.ones((2, count))
    right[0] = state.h[0].take(at) + state.up[0].take(at)
    _, solved, info = linalg.lapack.dposv(system.T, right.T, lower=1, overwrite_a=1, overwrite_b=1)
    if info != 0:
        return False
    move = solved[:, 0] - solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum())
    after = state.beta[0].take(at) + move
    bounds = state.problem.bounds
    lower, upper = bounds.lower[0].take(at), bounds.upper[0].take(at)
    if not ((after > lower) & (after < upper)).all():  # false for NaN, too
        return False
    state.beta[0, at] = after
    return True


def step_to_a_bound(state: State) -> bool:
    """The Newton step of all groups, as far as the first bound, or the kink at 0."""
    beta, eps, bounds = state.beta, state.problem.eps, state.problem.bounds
    group, at = np.nonzero(state.up == state.low)  # at neither bound, nor at the kink
    count = len(at)
    if not len(beta) < count <= CHEAP:
        return False
    used = np.unique(group)
    system = np.zeros((count + len(used), count + len(used)))
    # two takes are quicker than picking entries
    system[:count, :count] = state.rows.take(at, axis=0).take(at, axis=1)
    places = np.arange(count)
    system[places, places] += _RIDGE * (state.diagonal[at].max() + 1e-300)
    border = count + np.searchsorted(used, group)
    system[places, border] = system[border, places] = 1.0
    slope = state.h[group, at] + state.up[group, at]
    try:
        move = np.linalg.solve(system, np.concatenate([slope, np.zeros(len(used))]))[:count]
    except np.linalg.LinAlgError:
        return False
    lower, upper = bounds.lower[group, at], bounds.upper[group, at]
    after = _as_far_as_allowed(beta[group, at], move, lower, upper, eps)
    if after is None:
        return False
    beta[group, at] = after
    up, low = slopes(after, Bounds(lower, upper), eps, state.huge)
    state.up[group, at], state.low[group, at] = up, low
    return True


def _as_far_as_allowed(
    now: np.ndarray, move: np.ndarray, lower: np.ndarray, upper: np.ndarray, eps: float
) -> np.ndarray | None:
    """A move up to the first bound, or the kink at 0; None if it is not finite."""
    ceiling = np.where((eps > 0) & (now < 0), 0.0, upper)
    floor = np.where((eps > 0) & (now > 0), 0.0, lower)
    limit = np.where(move > 0, ceiling, floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(move == 0, np.inf, (limit - now) / move)
    share = min(1.0, float(room.min()))
    if not np.isfinite(share) or not np.isfinite(move).all():
        return None
    return np.where(room <= share, limit, np.clip(now + share * move, floor, ceiling))
