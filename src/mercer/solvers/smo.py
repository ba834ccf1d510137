"""The driver of the compiled loop: batches, stagnation, certificate of convergence."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from mercer import _compiled
from mercer.gram.run import check_stop, serial_blas

CHEAP = 200  # free variables that a Newton step may solve for
_ROUNDS = 20
LOOSE = 5e-3  # who asks for no more than this is not given more: a polish costs as much as the solution
_ONE_THREAD = 100  # up to here LAPACK does not think of using more
_PATIENCE = 3  # batches without progress before the solver gives up
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
    edges: np.ndarray  # the largest slope of each group's free variables: a level with all of them on one side


def chunked(values: np.ndarray, fill: float, dtype: Any = np.float64) -> np.ndarray:
    """The last axis cut into an even number of chunks, as the compiled loop wants it; padded with ``fill``."""
    width = _compiled.smo.WIDTH
    n = values.shape[-1]
    padded = padded_width(n)
    out = np.empty((*values.shape[:-1], padded), dtype=dtype)
    out[..., :n] = values
    out[..., n:] = fill
    return out.reshape(*values.shape[:-1], padded // width, width)


def padded_width(n: int) -> int:
    """The least even number of chunks that hold n variables, as a number of variables."""
    pair = 2 * _compiled.smo.WIDTH
    return -(-n // pair) * pair


def flat(chunks: np.ndarray, n: int) -> np.ndarray:
    """The variables again, as a view."""
    return chunks.reshape(*chunks.shape[:-2], -1)[..., :n]


_NO_PLACES, _NO_MATRIX = np.empty(0, dtype=np.intp), np.empty((0, 0))
_NO_SAMPLES, _NO_PANELS = np.empty((0, 0), dtype=np.float32), np.empty((0, 0, 0), dtype=np.float32)


class State:
    """What the compiled loop reads and writes: slopes in K's precision, coefficients and bounds in double."""

    def __init__(self, h: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, eps: float, dtype: Any) -> None:
        smo = _compiled.smo
        self.n, self.eps = beta.shape[1], eps
        self.beta, self.lower, self.upper = beta, lower, upper
        self.huge = smo.HUGE if dtype == np.float64 else smo.HUGE_SINGLE
        self.h = chunked(h, 0.0, dtype)
        self.up, self.low = np.full(self.h.shape, -self.huge, dtype), np.full(self.h.shape, self.huge, dtype)
        smo.fill_slopes(beta, lower, upper, eps, self.h.dtype.type(self.huge), self.up, self.low)

    def steps(self, K: np.ndarray, diagonal: np.ndarray, tol: float, most: int, lazy: LazyRows | None = None) -> tuple[int, bool]:
        arrays = (self.h, self.beta, self.lower, self.upper, self.up, self.low)
        lazy = LazyRows(np.ones(len(K), dtype=bool), _NO_PLACES) if lazy is None else lazy
        return _compiled.smo.steps(K, diagonal, *arrays, self.eps, tol, most, *lazy.origin())  # type: ignore[no-any-return]


@dataclasses.dataclass
class LazyRows:
    """Where the compiled loop finds rows of the Gram matrix when it first needs them: in a larger one, or as Gaussians of samples."""

    have: np.ndarray  # which rows are there
    diagonal: np.ndarray
    place: np.ndarray = dataclasses.field(default_factory=lambda: _NO_PLACES)
    source: np.ndarray = dataclasses.field(default_factory=lambda: _NO_MATRIX)
    z: np.ndarray = dataclasses.field(default_factory=lambda: _NO_SAMPLES)
    panels: np.ndarray = dataclasses.field(default_factory=lambda: _NO_PANELS)

    def origin(self) -> tuple[np.ndarray, ...]:
        return self.have, self.place, self.source, self.z, self.panels

    def fetch(self, matrix: np.ndarray, needed: np.ndarray) -> None:
        """Make these rows, if they are not there yet."""
        rows = matrix.reshape(len(self.have), -1)
        for i in np.flatnonzero(needed & ~self.have):
            _compiled.smo.fetch_row(i, rows, *self.origin())


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
    n = beta.shape[1]
    K = K if K.ndim == 3 else chunked(K, 0.0, K.dtype)
    rows = K.reshape(n, -1)
    diagonal = np.ascontiguousarray(rows.diagonal() if lazy is None else lazy.diagonal, dtype=np.float64)
    parts = chunked(diagonal, 1.0, K.dtype)
    h = _slack(rows, target, beta)
    state = State(h, beta, lower, upper, eps, K.dtype)
    single = K.dtype == np.float32
    # Back to Python now and then: for Ctrl-C, for progress, and to see whether anything still happens.
    batch = max(64, int(2e7 / max(n, 1)))
    done, stalled, last, fresh_gap = 0, 0, np.inf, np.inf
    reason = "converged"
    while True:
        check_stop()
        most = batch if max_iter < 0 else min(batch, max_iter - done)
        if most <= 0:
            reason = "max_iter reached"
            break
        made, finished = state.steps(K, parts, 0.9 * tol if single else tol, most, lazy)
        done += made
        if finished and not single:
            break
        if finished:  # slopes in single precision have drifted: what do fresh ones say?
            h = _slack(rows, target, beta)
            gap = _gap(h, beta, lower, upper, eps)
            if gap <= tol:
                break
            if gap > 0.5 * fresh_gap:
                reason = PRECISION
                break
            fresh_gap = gap
            flat(state.h, n)[...] = h
            continue
        value = objective(target, flat(state.h, n), beta, eps)
        if progress is not None and progress(done, value):
            reason = "stopped by a callback"
            break
        if not np.isfinite(value):
            reason = "the numbers overflowed"
            break
        if last - value > (1e-9 if single else 1e-13) * max(abs(value), 1e-300):
            stalled = 0
        else:  # rounding in h may stand in the way: compute it afresh, and give up when that does not help
            stalled += 1
            flat(state.h, n)[...] = _slack(rows, target, beta)
            if stalled >= (5 * _PATIENCE if single else _PATIENCE):
                reason = PRECISION
                break
        last = value
    fresh = _slack(rows, target, beta)
    if reason == "converged" and not single and tol < LOOSE:
        fresh, more, fine = _finer(K, parts, rows, diagonal, target, state, tol, max_iter - done if max_iter >= 0 else -1, lazy)
        done, reason = done + more, reason if fine else PRECISION
    return finish(fresh, target, beta, lower, upper, eps, tol, done, reason, start)


def feasible(beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """The coefficients of another problem between these bounds, moved towards them until every group has its sum."""
    near = np.clip(beta, lower, upper)
    for g, total in enumerate(totals):
        # first those that are at no bound: the others may be right where they are
        for some in ((near[g] > lower[g]) & (near[g] < upper[g]), np.ones(beta.shape[1], dtype=bool)):
            lack = total - near[g].sum()
            room = np.where(some, upper[g] - near[g] if lack > 0 else near[g] - lower[g], 0.0)
            if abs(lack) > 1e-13 * np.abs(near[g]).sum() and room.sum() > 0:
                near[g] = np.clip(near[g] + np.clip(lack / room.sum(), -1.0, 1.0) * room, lower[g], upper[g])
    return near


def slopes(beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, eps: float, huge: float) -> tuple[np.ndarray, np.ndarray]:
    """What must be added to t − Kβ to get the slopes upwards and downwards, for all variables."""
    up = np.where(beta >= upper, -huge, np.where(beta >= 0, -eps, eps))
    low = np.where(beta <= lower, huge, np.where(beta > 0, -eps, eps))
    return up, low


def _gap(h: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, eps: float) -> float:
    up, low = slopes(beta, lower, upper, eps, _compiled.smo.HUGE)
    return float(max(np.max((h + up).max(axis=1) - (h + low).min(axis=1)), 0.0))


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
    figures = np.array([_compiled.smo.certificate(h[g], beta[g], lower[g], upper[g], target[g], eps) for g in range(len(beta))])
    return certified(figures, h, beta, tol, done, reason, time.perf_counter() - start)


def certified(figures: np.ndarray, h: np.ndarray, beta: np.ndarray, tol: float, done: int, reason: str, seconds: float) -> DualSolution:
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
    return DualSolution(beta, h, levels, value, gap, tol, done, reason == "converged", reason, seconds, edges)


def _finer(
    K: np.ndarray,
    parts: np.ndarray,
    rows: np.ndarray,
    diagonal: np.ndarray,
    target: np.ndarray,
    state: State,
    tol: float,
    left: int,
    lazy: LazyRows | None,
) -> tuple[np.ndarray, int, bool]:
    """Polish what has converged, and go back to the tolerance where that stopped half-way: the slack, steps, and whether it holds."""
    free = int(np.count_nonzero(state.up == state.low))
    with serial_blas() if free > _ONE_THREAD else contextlib.nullcontext():
        fresh = _polish(K, parts, rows, diagonal, target, state, left, lazy)
    if fresh is not None:
        return fresh, 0, True
    fresh = _slack(rows, target, state.beta)
    if _gap(fresh, state.beta, state.lower, state.upper, state.eps) <= tol:
        return fresh, 0, True
    flat(state.h, state.n)[...] = fresh
    made, fine = state.steps(K, parts, tol, max(64, int(2e7 / state.n)), lazy)
    return _slack(rows, target, state.beta), made, fine


def _polish(
    K: np.ndarray,
    parts: np.ndarray,
    rows: np.ndarray,
    diagonal: np.ndarray,
    target: np.ndarray,
    state: State,
    left: int,
    lazy: LazyRows | None,
) -> np.ndarray | None:
    """From the tolerance to rounding, where it is cheap: Newton steps on the few free variables, pairs for the rest.

    A Newton step solves the free variables exactly; pair steps then free or bind what the step shows to be wrong. Returns the
    slack where it is fresh.
    """
    n, eps, huge = state.n, state.eps, state.huge
    beta, lower, upper = state.beta, state.lower, state.upper
    h, up, low = flat(state.h, n), flat(state.up, n), flat(state.low, n)
    groups = len(beta)
    for _ in range(_ROUNDS):
        free = up == low  # at neither bound, nor at the kink
        if groups == 1 and eps == 0.0 and left != 0 and _whole_step(rows, diagonal, h, beta, lower, upper, up, low):
            h[...] = _slack(rows, target, beta)
            if _settled(K, parts, target, h, state, lazy):
                return np.ascontiguousarray(h)
            continue
        group, at = np.nonzero(free)
        count = len(at)
        if not groups < count <= CHEAP or left == 0:
            break
        used = np.unique(group)
        system = np.zeros((count + len(used), count + len(used)))
        system[:count, :count] = rows.take(at, axis=0).take(at, axis=1)  # quicker than picking entries
        # equal rows make the block singular: a whisper of ridge, undone by the next round
        system[np.arange(count), np.arange(count)] += 1e-13 * (diagonal[at].max() + 1e-300)
        border = count + np.searchsorted(used, group)
        system[np.arange(count), border] = system[border, np.arange(count)] = 1.0
        slope = h[group, at] + up[group, at]
        try:
            move = np.linalg.solve(system, np.concatenate([slope, np.zeros(len(used))]))[:count]
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
        up[group, at], low[group, at] = slopes(beta[group, at], lower[group, at], upper[group, at], eps, huge)
        h[...] = _slack(rows, target, beta)
        if _settled(K, parts, target, h, state, lazy):
            return np.ascontiguousarray(h)
    return None


def _settled(K: np.ndarray, parts: np.ndarray, target: np.ndarray, h: np.ndarray, state: State, lazy: LazyRows | None) -> bool:
    """Pair steps to rounding; whether there was nothing left for them to do."""
    fine = 1e-11 * max(1.0, float(np.abs(target).max()), float(np.abs(h).max()))
    made, finished = state.steps(K, parts, fine, 2 * state.n, lazy)
    return finished and made == 0


def _whole_step(
    rows: np.ndarray,
    diagonal: np.ndarray,
    h: np.ndarray,
    beta: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    up: np.ndarray,
    low: np.ndarray,
) -> bool:
    """The Newton step of a single group, taken where it meets no bound: the common case, in few calls."""
    at = np.flatnonzero(up[0] == low[0])
    count = len(at)
    if not 1 < count <= CHEAP:
        return False
    system = rows.take(at, axis=0).take(at, axis=1)
    # Σ move = 0, so that a constant added to K changes nothing but its definiteness
    system += diagonal.max()
    system.reshape(-1)[:: count + 1] += 1e-13 * (diagonal.max() + 1e-300)
    right = np.ones((2, count))
    right[0] = h[0].take(at) + up[0].take(at)
    _, solved, info = linalg.lapack.dposv(system.T, right.T, lower=1, overwrite_a=1, overwrite_b=1)
    if info != 0:
        return False
    after = beta[0].take(at) + (solved[:, 0] - solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum()))
    if not ((after > lower[0].take(at)) & (after < upper[0].take(at))).all():  # false where it is not a number, too
        return False
    beta[0, at] = after
    return True


def _slack(K: np.ndarray, target: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """t − Kβ in double precision, from the rows where β is not 0."""
    h = target.astype(np.float64, copy=True)
    total = beta.sum(axis=0)
    used = np.flatnonzero(total)
    _compiled.smo.subtract_rows(h, K, used, total[used], 0, h.shape[1])
    return h


def objective(target: np.ndarray, h: np.ndarray, beta: np.ndarray, eps: float) -> float:
    """½βᵀKβ − tᵀβ + ε|β|₁ with Kβ = t − h."""
    return float(-0.5 * np.sum(beta * (target + h)) + eps * np.abs(beta).sum())
