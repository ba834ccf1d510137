"""The driver of the compiled loop: batches, stagnation, certificate of convergence."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.solvers.margin.chunks import chunked
from mercer.solvers.margin.dual import (
    PRECISION,
    Bounds,
    DualSolution,
    finish,
    gap_of,
    objective,
    slopes,
)
from mercer.solvers.margin.polish import LOOSE, polished
from mercer.solvers.margin.state import LazyRows, State, slack_of

_PATIENCE = 3  # batches without progress before the solver gives up
Callback = Callable[[int, float], bool]


def solve_dual(
    K: np.ndarray,
    target: np.ndarray,
    bounds: Bounds,
    beta: np.ndarray,
    *,
    eps: float = 0.0,
    tol: float = 1e-3,
    max_iter: int = -1,
    callback: Callback | None = None,
    lazy: LazyRows | None = None,
) -> DualSolution:
    """Minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds, the sums of the groups as in the given β.

    Parameters
    ----------
    K : ndarray of shape (n, n), or in chunks
        A symmetric matrix in single or double precision; `chunked` already, or not.
    target : ndarray of shape (groups, n)
        t.
    bounds : Bounds
        Limits of β.
    beta : ndarray of shape (groups, n)
        A feasible start, changed in place.
    eps : float, default=0.0
        ε.
    tol : float, default=1e-3
        The KKT gap at which the problem is solved.
    max_iter : int, default=-1
        Steps at most; -1 for no limit.
    callback : callable, default=None
        Called now and then with the number of steps and the objective; True asks to stop.
    lazy : LazyRows, default=None
        Where rows that are not in K yet come from.
    """
    start = time.perf_counter()
    K = K if K.ndim == 3 else chunked(K, 0.0, K.dtype)
    rows = K.reshape(len(K), -1)
    diagonal = rows.diagonal() if lazy is None else lazy.diagonal
    diagonal = np.ascontiguousarray(diagonal, dtype=np.float64)
    state = State(K, diagonal, slack_of(rows, target, beta), beta, bounds, eps, lazy)
    iterations, reason = _Driver(state, target, tol, max_iter, callback).run()
    if reason == "converged" and K.dtype == np.float64 and tol < LOOSE:
        left = max_iter - iterations if max_iter >= 0 else -1
        slack, more, fine = polished(state, target, tol, left)
        iterations += more
        if not fine:
            reason = PRECISION
    else:
        slack = state.slack(target)
    return finish(slack, target, beta, bounds, eps, iterations, reason, start)


class _Driver:
    """Batches of steps of the compiled loop, until convergence or stagnation.

    It returns to Python now and then: for Ctrl-C, for callbacks, and to see whether the objective
    still falls.
    """

    def __init__(
        self, state: State, target: np.ndarray, tol: float, max_iter: int, callback: Callback | None
    ) -> None:
        self.state, self.target, self.tol = state, target, tol
        self.max_iter, self.callback = max_iter, callback
        self.single = state.K.dtype == np.float32
        self.batch = max(64, int(2e7 / max(state.n, 1)))
        self.iterations, self.stalled = 0, 0
        self.last_objective, self.last_gap = np.inf, np.inf

    def run(self) -> tuple[int, str]:
        """Number of steps, and why there were no more."""
        reason = ""
        while not reason:
            check_stop()
            reason = self._step()
        return self.iterations, reason

    def _step(self) -> str:
        """One batch; a reason to stop, or nothing."""
        most = self.batch
        if self.max_iter >= 0:
            most = min(most, self.max_iter - self.iterations)
        if most <= 0:
            return "max_iter reached"
        steps, finished = self.state.steps(0.9 * self.tol if self.single else self.tol, most)
        self.iterations += steps
        if finished:
            return self._check_slopes() if self.single else "converged"
        return self._check_objective()

    def _check_slopes(self) -> str:
        """Slopes in single precision have drifted: compute them afresh."""
        state = self.state
        state.h[...] = slack = state.slack(self.target)
        gap = gap_of(slack, *slopes(state.beta, state.bounds, state.eps, _compiled.smo.HUGE))
        if gap <= self.tol:
            return "converged"
        if gap > 0.5 * self.last_gap:
            return PRECISION
        self.last_gap = gap
        return ""

    def _check_objective(self) -> str:
        state = self.state
        value = objective(self.target, state.h, state.beta, state.eps)
        if self.callback is not None and self.callback(self.iterations, value):
            return "stopped by a callback"
        if not np.isfinite(value):
            return "the numbers overflowed"
        least = (1e-9 if self.single else 1e-13) * max(abs(value), 1e-300)
        falls = self.last_objective - value > least
        self.last_objective = value
        if falls:
            self.stalled = 0
            return ""
        # rounding error in the slack may stand in the way: compute it afresh
        self.stalled += 1
        state.h[...] = state.slack(self.target)
        patience = 5 * _PATIENCE if self.single else _PATIENCE
        return PRECISION if self.stalled >= patience else ""
