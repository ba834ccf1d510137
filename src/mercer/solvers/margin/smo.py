"""The driver of the compiled loop: batches, stagnation, certificate of convergence."""

from __future__ import annotations

import time

import numpy as np

from mercer.execution.cancel import check_stop
from mercer.solvers.margin.active_set import descend
from mercer.solvers.margin.chunks import chunked
from mercer.solvers.margin.dual import PRECISION, UNBOUNDED, DualProblem, DualSolution
from mercer.solvers.margin.polish import LOOSE, polish
from mercer.solvers.margin.state import LazyRows, State, slack_of

_BEYOND = 1e15  # kernel values times coefficients, in units of the targets
_PATIENCE = 3  # batches without progress before the solver gives up


def solve_dual(K: np.ndarray, problem: DualProblem, lazy: LazyRows | None = None) -> DualSolution:
    """Minimize ½βᵀKβ − tᵀβ + ε|β|₁ between bounds, the sums of the groups as in the given β.

    Parameters
    ----------
    K : ndarray of shape (n, n), or in chunks
        A symmetric matrix in single or double precision; `chunked` already, or not.
    problem : DualProblem
        Everything else.
    lazy : LazyRows, default=None
        Where rows that are not in K yet come from.
    """
    start = time.perf_counter()
    if K.ndim == 2:
        K = chunked(K, 0.0, K.dtype)
    rows = K.reshape(len(K), -1)
    diagonal = rows.diagonal() if lazy is None else lazy.diagonal
    diagonal = np.ascontiguousarray(diagonal, dtype=np.float64)
    state = State(K, diagonal, slack_of(rows, problem), problem, lazy)
    iterations, reason = _Driver(state).run()
    if reason == "converged" and K.dtype == np.float64 and problem.tol < LOOSE:
        slack, more, accurate = polish(state, iterations)
        iterations += more
        if not accurate:
            reason = PRECISION
    else:
        slack = state.slack()
    return problem.certify(slack, iterations, reason, start)


class _Driver:
    """Batches of steps of the compiled loop, until convergence or stagnation.

    It returns to Python now and then: for Ctrl-C, for callbacks, and to see whether the objective
    still falls.
    """

    def __init__(self, state: State) -> None:
        self.state, self.problem = state, state.problem
        self.single_precision = state.K.dtype == np.float32
        # steps of two variables until the tolerance, the least progress, batches without progress
        self.tol, self.least, self.patience = self.problem.tol, 1e-13, _PATIENCE
        if self.single_precision:
            self.tol, self.least, self.patience = 0.9 * self.problem.tol, 1e-9, 5 * _PATIENCE
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
        """Take one batch of steps; the reason to stop, or an empty text."""
        most = min(self.batch, self.problem.steps_left(self.iterations))
        if most <= 0:
            return self.problem.out_of_steps()
        steps, finished = self.state.steps(self.tol, most)
        self.iterations += steps
        if not finished:
            return self._check_objective()
        if self.single_precision:
            return self._check_slopes()
        return "converged"

    def _check_slopes(self) -> str:
        """Slopes in single precision have drifted: compute them afresh."""
        slack = self.state.slack()
        self.state.h[...] = slack
        gap = self.problem.gap(slack)
        if gap <= self.problem.tol:
            return "converged"
        if gap > 0.5 * self.last_gap:
            return PRECISION
        self.last_gap = gap
        return ""

    def _grows_without_bound(self) -> bool:
        """Whether coefficients that have no bound are beyond what a solution could have."""
        problem, state = self.problem, self.state
        if np.isfinite(problem.bounds.upper).all():
            return False
        values = float(np.abs(state.beta).max()) * float(np.abs(state.diagonal).max())
        return values > _BEYOND * max(1.0, float(np.abs(problem.target).max()))

    def _accuracy(self) -> str:
        """The reason to stop at a solution that cannot be improved."""
        if self.problem.gap(self.state.slack()) <= self.problem.tol:
            return "converged"
        return PRECISION

    def _check_objective(self) -> str:
        """Ask the callback, and see whether the objective still falls."""
        state, callback = self.state, self.problem.callback
        value = self.problem.objective(state.h)
        if callback is not None and callback(self.iterations, value):
            return "stopped by a callback"
        if not np.isfinite(value):
            return "the numbers overflowed"
        if self._grows_without_bound():
            return UNBOUNDED
        falls = self.last_objective - value > self.least * max(abs(value), 1e-300)
        self.last_objective = value
        may_go_on = self.problem.steps_left(self.iterations) > 0
        if may_go_on and not self.single_precision and descend(state):
            return self._accuracy()
        if falls:
            self.stalled = 0
            return ""
        # rounding error in the slack may stand in the way: compute it afresh
        self.stalled += 1
        state.h[...] = state.slack()
        if self.stalled >= self.patience:
            return PRECISION
        return ""
