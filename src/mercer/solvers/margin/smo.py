"""The driver of the compiled loop: batches, stagnation, certificate of convergence."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.solvers.margin.chunks import chunked
from mercer.solvers.margin.dual import PRECISION, DualSolution, finish, gap_of, objective, slopes
from mercer.solvers.margin.polish import LOOSE, polished
from mercer.solvers.margin.state import LazyRows, State, slack_of

_PATIENCE = 3  # batches without progress before the solver gives up


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
    lazy: LazyRows | None = None,
) -> DualSolution:
    """Minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds, the sum of every group kept as it is in the given β.

    All arrays but K have one row per group. K is symmetric, float32 or float64, and may be `chunked` already; β is changed in place.
    ``progress(steps, objective)`` is called now and then, and stops the solver by returning True.
    """
    start = time.perf_counter()
    K = K if K.ndim == 3 else chunked(K, 0.0, K.dtype)
    rows = K.reshape(len(K), -1)
    diagonal = np.ascontiguousarray(
        rows.diagonal() if lazy is None else lazy.diagonal, dtype=np.float64
    )
    state = State(K, diagonal, slack_of(rows, target, beta), beta, lower, upper, eps, lazy)
    done, reason = _move_pairs(state, target, tol, max_iter, progress)
    if reason == "converged" and K.dtype == np.float64 and tol < LOOSE:
        fresh, more, fine = polished(state, target, tol, max_iter - done if max_iter >= 0 else -1)
        done, reason = done + more, reason if fine else PRECISION
    else:
        fresh = state.slack(target)
    return finish(fresh, target, beta, lower, upper, eps, tol, done, reason, start)


def _move_pairs(
    state: State,
    target: np.ndarray,
    tol: float,
    max_iter: int,
    progress: Callable[[int, float], Any] | None,
) -> tuple[int, str]:
    """How many steps were made, and why no more."""
    single = state.K.dtype == np.float32
    # Back to Python now and then: for Ctrl-C, for progress, and to see whether anything still happens.
    batch = max(64, int(2e7 / max(state.n, 1)))
    done, stalled, last, fresh_gap = 0, 0, np.inf, np.inf
    while True:
        check_stop()
        most = batch if max_iter < 0 else min(batch, max_iter - done)
        if most <= 0:
            return done, "max_iter reached"
        made, finished = state.steps(0.9 * tol if single else tol, most)
        done += made
        if finished and not single:
            return done, "converged"
        if finished:  # slopes in single precision have drifted: what do fresh ones say?
            state.h[...] = h = state.slack(target)
            gap = gap_of(
                h, *slopes(state.beta, state.lower, state.upper, state.eps, _compiled.smo.HUGE)
            )
            if gap <= tol or gap > 0.5 * fresh_gap:
                return done, "converged" if gap <= tol else PRECISION
            fresh_gap = gap
            continue
        value = objective(target, state.h, state.beta, state.eps)
        if progress is not None and progress(done, value):
            return done, "stopped by a callback"
        if not np.isfinite(value):
            return done, "the numbers overflowed"
        if last - value > (1e-9 if single else 1e-13) * max(abs(value), 1e-300):
            stalled = 0
        else:  # rounding in h may stand in the way: compute it afresh, and give up when that does not help
            stalled += 1
            state.h[...] = state.slack(target)
            if stalled >= (5 * _PATIENCE if single else _PATIENCE):
                return done, PRECISION
        last = value
