"""Large margin problems: a few hundred variables at a time, half of them renewed each round.

The rows of the chosen variables are all that is needed of the Gram matrix in a round, so it is
never stored whole; inside a round the pairs move on a small matrix that stays in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.gram.row_cache import RowCache
from mercer.solvers.margin.chunks import padded_width
from mercer.solvers.margin.dual import PRECISION, Bounds, DualSolution, finish, objective, slopes
from mercer.solvers.margin.state import State

SIZE = 1024
_INNER = 0.05  # the gap a round leaves inside, as a share of the whole
_MANY = 25  # rounds after which the working set is doubled
_PATIENCE = 10  # rounds without progress before the solver gives up
Callback = Callable[[int, float], bool]


def solve_blocked(
    cache: RowCache,
    diagonal: np.ndarray,
    target: np.ndarray,
    bounds: Bounds,
    beta: np.ndarray,
    *,
    eps: float = 0.0,
    tol: float = 1e-3,
    max_iter: int = -1,
    callback: Callback | None = None,
) -> DualSolution:
    """The problem of `solve_dual`, on rows that are computed when a variable is chosen."""
    start = time.perf_counter()
    solver = _WorkingSet(cache, diagonal, target, bounds, beta, eps)
    reason = ""
    while not reason:
        check_stop()
        gap = solver.look()
        reason = solver.reason_to_stop(gap, tol, max_iter, callback)
        if not reason:
            solver.round(gap, tol, max_iter)
    slack = _slack(cache, target, beta)
    return finish(slack, target, beta, bounds, eps, solver.iterations, reason, start)


class _WorkingSet:
    """The slack of all variables, and the small matrix of those that move in a round."""

    def __init__(
        self,
        cache: RowCache,
        diagonal: np.ndarray,
        target: np.ndarray,
        bounds: Bounds,
        beta: np.ndarray,
        eps: float,
    ) -> None:
        self.cache, self.diagonal, self.target = cache, diagonal, target
        self.bounds, self.beta, self.eps = bounds, beta, eps
        self.n = beta.shape[1]
        self.size = min(SIZE, self.n, cache.slots)
        self.slack = _slack(cache, target, beta)
        self.up, self.low = slopes(beta, bounds, eps, _compiled.smo.HUGE)
        self.chosen = np.empty(0, dtype=np.int64)
        self.K = np.zeros((self.size, padded_width(self.size)), dtype=np.float32)
        self.rounds, self.iterations, self.stalled = 0, 0, 0
        self.last = np.inf

    def look(self) -> float:
        """The slopes of all variables, and the KKT gap."""
        self.top, self.bottom = self.slack + self.up, self.slack + self.low
        return float(max(np.max(self.top.max(axis=1) - self.bottom.min(axis=1)), 0.0))

    def reason_to_stop(
        self, gap: float, tol: float, max_iter: int, callback: Callback | None
    ) -> str:
        """Why no further round is made, or nothing."""
        if gap <= tol:
            return "converged"
        if 0 <= max_iter <= self.iterations:
            return "max_iter reached"
        value = objective(self.target, self.slack, self.beta, self.eps)
        falls = self.last - value > 1e-12 * abs(value)
        self.stalled = 0 if falls else self.stalled + 1
        self.last = min(self.last, value)
        if self.stalled > _PATIENCE or not np.isfinite(value):
            return PRECISION
        if callback is not None and callback(self.iterations, value):
            return "stopped by a callback"
        return ""

    def round(self, gap: float, tol: float, max_iter: int) -> None:
        """Move the chosen variables on their own matrix, then update the slack of all."""
        self.rounds += 1
        if self.rounds == _MANY and 2 * self.size <= min(self.n, self.cache.slots):
            self._grow()
        kept = min(len(self.chosen), self.size // 2)
        self.chosen = _choose(self.top, self.bottom, self.chosen, self.size)
        slots = self.cache.want(self.chosen)
        _renew(self.K, self.cache, slots, self.chosen, kept)
        part = self._part()
        before = part.beta.copy()
        most = 20 * self.size
        if max_iter >= 0:
            most = min(most, max_iter - self.iterations)
        steps, _ = part.steps(max(_INNER * gap, 0.5 * tol), most)
        self.iterations += max(steps, 1)
        self._take_back(part, before, slots)

    def _grow(self) -> None:
        """A hard problem is solved in fewer, larger rounds."""
        smaller = self.K
        self.size *= 2
        self.K = np.zeros((self.size, padded_width(self.size)), dtype=np.float32)
        first = self.size - len(smaller)
        self.K[first:, first : self.size] = smaller[:, : len(smaller)]

    def _part(self) -> State:
        """The state of the chosen variables."""
        slack, beta, lower, upper = (
            np.ascontiguousarray(values[:, self.chosen])
            for values in (self.slack, self.beta, self.bounds.lower, self.bounds.upper)
        )
        chunks = self.K.reshape(self.size, -1, _compiled.smo.WIDTH)
        diagonal = self.diagonal[self.chosen]
        return State(chunks, diagonal, slack, beta, Bounds(lower, upper), self.eps)

    def _take_back(self, part: State, before: np.ndarray, slots: np.ndarray) -> None:
        chosen = self.chosen
        self.beta[:, chosen] = part.beta
        up, low = slopes(part.beta, part.bounds, self.eps, _compiled.smo.HUGE)
        self.up[:, chosen], self.low[:, chosen] = up, low
        move = (part.beta - before).sum(axis=0)
        moved = np.flatnonzero(move)
        subtract = partial(
            _compiled.smo.subtract_rows, self.slack, self.cache.table, slots[moved], move[moved]
        )
        _share(self.n, 2048, subtract)


def _share(count: int, width: int, work: Callable[[int, int], Any]) -> None:
    """Ranges of a loop on the threads; each range has its own part of the result."""
    run(
        -(-count // width),
        lambda number, _: work(number * width, min(count, (number + 1) * width)),
        "working set",
    )


def _renew(
    K: np.ndarray, cache: RowCache, slots: np.ndarray, chosen: np.ndarray, kept: int
) -> None:
    """The matrix of the chosen variables: what is kept moves to its front, only rows of new ones are gathered."""
    if kept:
        K[:kept, :kept] = K[-kept:, len(K) - kept : len(K)].copy()
    new, size = slots[kept:], len(chosen)
    if cache.source.quick:
        if kept:
            K[:kept, kept:size] = cache.source.block(chosen[:kept], chosen[kept:])
        cache.source.block(chosen[kept:], chosen, K[kept:size])
        return
    _share(len(new), 64, partial(_compiled.smo.gather, cache.table, new, chosen, kept, K))
    K[:kept, kept:size] = K[kept:size, :kept].T


def _slack(cache: RowCache, target: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """t − Kβ in double precision, from the rows where β is not 0."""
    h = target.astype(np.float64, copy=True)
    rows, weight = np.flatnonzero(beta.any(axis=0)), beta.sum(axis=0)
    step = max(1, cache.slots // 2)
    for at in range(0, len(rows), step):
        some = rows[at : at + step]
        slots = cache.want(some)
        _share(
            h.shape[1],
            2048,
            partial(_compiled.smo.subtract_rows, h, cache.table, slots, weight[some]),
        )
    return h


def _choose(top: np.ndarray, bottom: np.ndarray, last: np.ndarray, size: int) -> np.ndarray:
    """Half from the last round, half the worst violators: of every group as many that want up as want down."""
    keep = last[-(size // 2) :] if len(last) else last
    free = np.ones(top.shape[1], dtype=bool)
    free[keep] = False
    want = size - len(keep)
    scores = [score for g in range(len(top)) for score in (top[g], -bottom[g])]
    found: list[np.ndarray] = []
    for number, score in enumerate(scores):
        count = (want - sum(map(len, found))) // (len(scores) - number)
        score = np.where(free, score, -np.inf)
        best = (
            np.argpartition(-score, count)[:count]
            if count < len(score)
            else np.argsort(-score)[: int(free.sum())]
        )
        free[best] = False
        found.append(best)
    return np.concatenate([keep, np.sort(np.concatenate(found))])
