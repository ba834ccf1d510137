"""Large dual problems: a few hundred variables at a time, half of them renewed each round.

The variables of a round move on a small matrix that stays in the cache; then the slack of all
variables needs the rows of those that have moved. The Gram matrix is never stored whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.row_cache import RowCache
from mercer.solvers.margin.chunks import padded_length
from mercer.solvers.margin.dual import PRECISION, Bounds, DualProblem, DualSolution
from mercer.solvers.margin.state import State

SIZE = 1024
_INNER = 0.05  # the gap a round leaves inside, as a share of the whole
_MANY = 25  # rounds after which the working set is doubled
_PATIENCE = 10  # rounds without progress before the solver gives up


def solve_blocked(cache: RowCache, diagonal: np.ndarray, problem: DualProblem) -> DualSolution:
    """The problem of `solve_dual`, on rows that are computed when a variable is chosen."""
    start = time.perf_counter()
    solver = _WorkingSet(cache, diagonal, problem)
    reason = ""
    while not reason:
        check_stop()
        gap = solver.compute_gap()
        reason = solver.reason_to_stop(gap)
        if not reason:
            solver.round(gap)
    return problem.certify(solver.slack, solver.iterations, reason, start)


class _WorkingSet:
    """The slack of all variables, and the small matrix of those that move in a round.

    The slack is a sum of rows in double precision, so that it stays as accurate as if it were
    computed afresh.
    """

    def __init__(self, cache: RowCache, diagonal: np.ndarray, problem: DualProblem) -> None:
        self.cache, self.diagonal, self.problem = cache, diagonal, problem
        self.n = problem.beta.shape[1]
        # rows that are not computed quickly are gathered from the cache, all at once
        self.most = self.n if cache.source.quick else min(self.n, cache.slots)
        self.size = min(SIZE, self.most)
        self.slack = _slack(cache, problem)
        self.up, self.low = problem.slopes()
        self.chosen = np.empty(0, dtype=np.int64)
        self.K = np.zeros((self.size, padded_length(self.size)), dtype=np.float32)
        self.rounds, self.iterations, self.stalled = 0, 0, 0
        self.best = np.inf

    def compute_gap(self) -> float:
        """The slopes of all variables, and the KKT gap."""
        self.top, self.bottom = self.slack + self.up, self.slack + self.low
        return float(max(np.max(self.top.max(axis=1) - self.bottom.min(axis=1)), 0.0))

    def reason_to_stop(self, gap: float) -> str:
        """Why no further round is made, or nothing."""
        problem = self.problem
        if gap <= problem.tol:
            return "converged"
        if problem.steps_left(self.iterations) <= 0:
            return problem.out_of_steps()
        value = problem.objective(self.slack)
        falls = self.best - value > 1e-12 * abs(value)
        self.stalled = 0 if falls else self.stalled + 1
        self.best = min(self.best, value)
        if self.stalled > _PATIENCE or not np.isfinite(value):
            return PRECISION
        if problem.callback is not None and problem.callback(self.iterations, value):
            return "stopped by a callback"
        return ""

    def round(self, gap: float) -> None:
        """Move the chosen variables on their own matrix, then update the slack of all."""
        self.rounds += 1
        if self.rounds == _MANY and 2 * self.size <= self.most:
            self._grow()
        kept = min(len(self.chosen), self.size // 2)
        self.chosen = _choose(self.top, self.bottom, self.chosen, self.size)
        _renew(self.K, self.cache, self.chosen, kept)
        part = self._part()
        before = part.beta.copy()
        most = min(20 * self.size, self.problem.steps_left(self.iterations))
        steps, _ = part.steps(max(_INNER * gap, 0.5 * self.problem.tol), most)
        self.iterations += max(steps, 1)
        self._take_back(part, before)

    def _grow(self) -> None:
        """A hard problem is solved in fewer, larger rounds."""
        smaller = self.K
        self.size *= 2
        self.K = np.zeros((self.size, padded_length(self.size)), dtype=np.float32)
        first = self.size - len(smaller)
        self.K[first:, first : self.size] = smaller[:, : len(smaller)]

    def _part(self) -> State:
        """The state of the chosen variables."""
        problem, chosen = self.problem, self.chosen
        bounds = Bounds(
            np.ascontiguousarray(problem.bounds.lower[:, chosen]),
            np.ascontiguousarray(problem.bounds.upper[:, chosen]),
        )
        beta = np.ascontiguousarray(problem.beta[:, chosen])
        part = DualProblem(problem.target[:, chosen], bounds, beta, problem.eps)
        chunks = self.K.reshape(self.size, -1, _compiled.smo.WIDTH)
        return State(chunks, self.diagonal[chosen], self.slack[:, chosen], part)

    def _take_back(self, part: State, before: np.ndarray) -> None:
        """Update coefficients, slopes and slack by what the chosen variables have moved.

        About half of them have: rows of the others are not computed.
        """
        chosen = self.chosen
        self.problem.beta[:, chosen] = part.beta
        self.up[:, chosen], self.low[:, chosen] = part.problem.slopes()
        move = (part.beta - before).sum(axis=0)
        moved = np.flatnonzero(move)
        _subtract_rows(self.slack, self.cache, chosen[moved], move[moved])


def _share(count: int, size: int, work: Callable[[int, int], None]) -> None:
    """Ranges of a loop on the threads; each range has its own part of the result."""

    def work_on(number: int, _: Workspace) -> None:
        work(number * size, min(count, (number + 1) * size))

    run(-(-count // size), work_on, "working set")


def _subtract_rows(
    slack: np.ndarray, cache: RowCache, rows: np.ndarray, weight: np.ndarray
) -> None:
    """Subtract weighted rows of K from the slack, as many at a time as the cache holds."""
    step = max(1, cache.slots // 2)
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        arrays = cache.table, cache.want(rows[some]), weight[some]
        _share(slack.shape[1], 2048, partial(_compiled.smo.subtract_rows, slack, *arrays))


def _renew(K: np.ndarray, cache: RowCache, chosen: np.ndarray, kept: int) -> None:
    """Renew the matrix of the chosen variables.

    The part of variables that are kept moves to its front; only rows of new ones are computed, or
    gathered where that is quicker.
    """
    if kept:
        K[:kept, :kept] = K[-kept:, len(K) - kept : len(K)].copy()
    size = len(chosen)
    if cache.source.quick:
        if kept:
            K[:kept, kept:size] = cache.source.block(chosen[:kept], chosen[kept:])
        cache.source.block(chosen[kept:], chosen, K[kept:size])
        return
    new = cache.want(chosen)[kept:]
    _share(len(new), 64, partial(_compiled.smo.gather, cache.table, new, chosen, kept, K))
    K[:kept, kept:size] = K[kept:size, :kept].T


def _slack(cache: RowCache, problem: DualProblem) -> np.ndarray:
    """t − Kβ in double precision, from the rows where β is not 0."""
    slack = problem.target.astype(np.float64, copy=True)
    rows, weight = np.flatnonzero(problem.beta.any(axis=0)), problem.beta.sum(axis=0)
    _subtract_rows(slack, cache, rows, weight[rows])
    return slack


def _choose(top: np.ndarray, bottom: np.ndarray, last: np.ndarray, size: int) -> np.ndarray:
    """Half the variables of the last round, and the worst violators of the others.

    Of every group there are as many whose coefficients should rise as should fall.
    """
    keep = last[-(size // 2) :] if len(last) else last
    free = np.ones(top.shape[1], dtype=bool)
    free[keep] = False
    missing = size - len(keep)
    scores = [score for g in range(len(top)) for score in (top[g], -bottom[g])]
    chosen: list[np.ndarray] = []
    for number, score in enumerate(scores):
        count = missing // (len(scores) - number)
        score = np.where(free, score, -np.inf)
        if count < len(score):
            best = np.argpartition(-score, count)[:count]
        else:
            best = np.argsort(-score)[: int(free.sum())]
        free[best] = False
        missing -= len(best)
        chosen.append(best)
    return np.concatenate([keep, np.sort(np.concatenate(chosen))])
