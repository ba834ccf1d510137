"""Large margin problems: a few hundred variables at a time, half of them renewed each round.

The rows of the chosen variables are all that is needed of the Gram matrix in a round, so it is never stored whole; inside
a round the pairs move on a small matrix that stays in the cache.
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
from mercer.solvers.margin.dual import PRECISION, DualSolution, finish, objective, slopes
from mercer.solvers.margin.state import State

SIZE = 1024
_INNER = 0.05  # the gap a round leaves inside, as a share of the whole
_MANY = 25  # rounds after which the working set is doubled
_PATIENCE = 10  # rounds without progress before the solver gives up


def solve_blocked(
    cache: RowCache,
    diagonal: np.ndarray,
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
    """The problem of `solve_dual`, on rows that are computed when a variable is chosen."""
    start = time.perf_counter()
    smo = _compiled.smo
    n = beta.shape[1]
    size = min(SIZE, n, cache.slots)
    rounds = 0
    h = _slack(cache, target, beta)
    up, low = slopes(beta, lower, upper, eps, smo.HUGE)
    chosen = np.empty(0, dtype=np.int64)
    K = np.zeros((size, padded_width(size)), dtype=np.float32)
    done, stalled, last = 0, 0, np.inf
    reason = "converged"
    while True:
        check_stop()
        top, bottom = h + up, h + low
        gap = float(max(np.max(top.max(axis=1) - bottom.min(axis=1)), 0.0))
        if gap <= tol:
            break
        if 0 <= max_iter <= done:
            reason = "max_iter reached"
            break
        value = objective(target, h, beta, eps)
        stalled = 0 if last - value > 1e-12 * abs(value) else stalled + 1
        last = min(last, value)
        if stalled > _PATIENCE or not np.isfinite(value):
            reason = PRECISION
            break
        if progress is not None and progress(done, value):
            reason = "stopped by a callback"
            break
        rounds += 1
        if rounds == _MANY and 2 * size <= min(
            n, cache.slots
        ):  # a hard problem: fewer, larger rounds
            size, smaller = 2 * size, K
            K = np.zeros((size, padded_width(size)), dtype=np.float32)
            K[-len(smaller) :, size - len(smaller) : size] = smaller[:, : len(smaller)]
        kept = min(len(chosen), size // 2)
        chosen = _choose(top, bottom, chosen, size)
        slots = cache.want(chosen)
        _renew(K, cache, slots, chosen, kept)
        h_part, beta_part, low_part, up_part = (
            np.ascontiguousarray(a[:, chosen]) for a in (h, beta, lower, upper)
        )
        part = State(
            K.reshape(size, -1, smo.WIDTH),
            diagonal[chosen],
            h_part,
            beta_part,
            low_part,
            up_part,
            eps,
        )
        before = part.beta.copy()
        most = 20 * size if max_iter < 0 else min(20 * size, max_iter - done)
        made, _ = part.steps(max(_INNER * gap, 0.5 * tol), most)
        done += max(made, 1)
        beta[:, chosen] = part.beta
        up[:, chosen], low[:, chosen] = slopes(part.beta, part.lower, part.upper, eps, smo.HUGE)
        move = (part.beta - before).sum(axis=0)
        moved = np.flatnonzero(move)
        some, weight = slots[moved], move[moved]
        _share(n, 2048, partial(smo.subtract_rows, h, cache.table, some, weight))
    return finish(
        _slack(cache, target, beta), target, beta, lower, upper, eps, tol, done, reason, start
    )


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
    if cache.block is not None:
        if kept:
            K[:kept, kept:size] = cache.block(chosen[:kept], chosen[kept:])
        cache.block(chosen[kept:], chosen, K[kept:size])
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
