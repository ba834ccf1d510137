"""Many small margin problems cut from one Gram matrix in one call: those of every two classes.

Each is solved by the loop of `smo` to the tolerance, and then to rounding by Newton steps on its
free variables, as long as these meet no bound. What that does not finish is left to the general
solver.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled, compiled_sums
from mercer._compiled.margin.smo import HUGE, WIDTH, certificate, fill_slopes, steps, subtract_rows

_ROUNDS = 20


@compiled_sums
def _dot(a, b, count):
    total = 0.0
    for k in range(count):
        total += a[k] * b[k]
    return total


@compiled_sums
def _four_dots(a, A, j):
    """The products of a with rows j … j + 3, up to column j."""
    b0, b1, b2, b3 = A[j], A[j + 1], A[j + 2], A[j + 3]
    s0 = s1 = s2 = s3 = 0.0
    for k in range(j):
        v = a[k]
        s0 += v * b0[k]
        s1 += v * b1[k]
        s2 += v * b2[k]
        s3 += v * b3[k]
    return s0, s1, s2, s3


@compiled
def _solve_definite(A, B):
    """B's rows become A⁻¹ of themselves, and A its Cholesky factor.

    Returns whether A is positive definite. It is as quick as LAPACK while A is small.
    """
    n = len(A)
    for i in range(n):
        row = A[i]
        j = 0
        while j + 4 <= i:
            s0, s1, s2, s3 = _four_dots(row, A, j)
            x0 = (row[j] - s0) / A[j, j]
            x1 = (row[j + 1] - s1 - x0 * A[j + 1, j]) / A[j + 1, j + 1]
            x2 = (row[j + 2] - s2 - x0 * A[j + 2, j] - x1 * A[j + 2, j + 1]) / A[j + 2, j + 2]
            rest = row[j + 3] - s3 - x0 * A[j + 3, j] - x1 * A[j + 3, j + 1]
            x3 = (rest - x2 * A[j + 3, j + 2]) / A[j + 3, j + 3]
            row[j], row[j + 1], row[j + 2], row[j + 3] = x0, x1, x2, x3
            j += 4
        while j < i:
            row[j] = (row[j] - _dot(row, A[j], j)) / A[j, j]
            j += 1
        pivot = row[i] - _dot(row, row, i)
        if not pivot > 0.0:
            return False
        row[i] = np.sqrt(pivot)
    for b in B:
        for i in range(n):
            b[i] = (b[i] - _dot(A[i], b, i)) / A[i, i]
        for i in range(n - 1, -1, -1):
            b[i] /= A[i, i]
            for j in range(i):
                b[j] -= b[i] * A[i, j]
    return True


@compiled
def _newton_step(K, diagonal, h, up, low, beta, lower, upper):
    """Move the free variables to where their slopes are equal.

    Returns 1 if they went there, 0 if there is nothing to do, −1 if a bound is in the way.
    """
    n = beta.shape[1]
    slope_up, slope_low, slack = up.reshape(-1), low.reshape(-1), h.reshape(-1)
    at = np.flatnonzero(slope_up[:n] == slope_low[:n])
    count = at.size
    if count < 2:
        return 0
    # Σ move = 0, so that a constant added to K changes nothing but its definiteness
    large = diagonal.max()
    A, B = np.empty((count, count)), np.ones((2, count))
    for i in range(count):
        for j in range(i + 1):
            A[i, j] = K[at[i], at[j]] + large
        A[i, i] += 1e-13 * (large + 1e-300)
        B[0, i] = slack[at[i]] + slope_up[at[i]]
    if not _solve_definite(A, B):
        return -1
    share = B[0].sum() / B[1].sum()
    for i in range(count):
        B[0, i] = beta[0, at[i]] + (B[0, i] - share * B[1, i])
        if not (lower[0, at[i]] < B[0, i] < upper[0, at[i]]):
            return -1
    for i in range(count):
        beta[0, at[i]] = B[0, i]
    return 1


@compiled
def _fresh_slack(K, target, beta, h):
    """h = t − Kβ from the rows where β is not 0."""
    used = np.flatnonzero(beta[0])
    fresh = target.copy()
    subtract_rows(fresh, K, used, beta[0][used], 0, beta.shape[1])
    h.reshape(-1)[: beta.shape[1]] = fresh[0]


@compiled
def _polish(source, at, K, diagonal, h, beta, lower, upper, up, low, target, have, limit):
    """Newton steps on at most ``limit`` free variables; returns whether the problem is solved."""
    n = beta.shape[1]
    rows = K.reshape((n, K.shape[1] * WIDTH))
    none, panels = np.empty((0, 0), np.float32), np.empty((0, 0, 0), np.float32)
    for _ in range(_ROUNDS):
        if np.sum(up == low) > limit:
            break
        moved = _newton_step(rows, diagonal, h, up, low, beta, lower, upper)
        if moved <= 0:
            return moved == 0
        _fresh_slack(rows, target, beta, h)
        fine = 1e-11 * max(1.0, np.abs(target).max(), np.abs(h).max())
        problem = (K, diagonal, h, beta, lower, upper, up, low)
        more, settled = steps(*problem, 0.0, fine, 2 * n, have, at, source, none, panels)
        if settled and more == 0:
            break
    return True


@compiled
def _solve(source, at, target, lower, upper, tol, polish, most, beta, K):
    """One problem: returns its slack, the number of steps and whether it is solved."""
    n, chunks = K.shape[0], K.shape[1]
    rows = K.reshape((n, chunks * WIDTH))
    rows[:, n:] = 0.0
    diagonal, h = np.ones((chunks, WIDTH)), np.zeros((1, chunks, WIDTH))
    for i in range(n):
        diagonal[i // WIDTH, i % WIDTH] = source[at[i], at[i]]
        h[0, i // WIDTH, i % WIDTH] = target[0, i]
    up, low = np.full(h.shape, -HUGE), np.full(h.shape, HUGE)
    fill_slopes(beta, lower, upper, 0.0, HUGE, up, low)
    have = np.zeros(n, np.bool_)
    none, panels = np.empty((0, 0), np.float32), np.empty((0, 0, 0), np.float32)
    problem = (K, diagonal, h, beta, lower, upper, up, low)
    count, done = steps(*problem, 0.0, tol, most, have, at, source, none, panels)
    _fresh_slack(rows, target, beta, h)
    if done:
        done = _polish(source, at, *problem, target, have, polish)
    return h.reshape(-1)[:n], count, done


@compiled
def solve_pairs(
    source, place, starts, target, lower, upper, tol, polish, most, beta, slack, made, done, figures
):
    """Problem p has the rows place[starts[p]:starts[p + 1]] of ``source``.

    Targets, bounds, β and slack lie alike. Newton steps are taken for up to ``polish`` free
    variables. ``made`` are the steps of each problem, ``done`` tells whether it is solved, and
    ``figures`` are those of `certificate`.
    """
    longest = np.max(starts[1:] - starts[:-1])
    even = 2 * WIDTH
    room = np.empty(longest * (-(-longest // even) * even))
    for p in range(starts.size - 1):
        first, last = starts[p], starts[p + 1]
        n = last - first
        chunks = 2 * -(-n // even)
        K = room[: n * chunks * WIDTH].reshape((n, chunks, WIDTH))
        at = place[first:last]
        t, x = target[first:last].reshape((1, n)), beta[first:last].reshape((1, n))
        lo, hi = lower[first:last].reshape((1, n)), upper[first:last].reshape((1, n))
        h, made[p], done[p] = _solve(source, at, t, lo, hi, tol, polish, most, x, K)
        slack[first:last] = h
        top, bottom, mean, edge, free, value = certificate(h, x[0], lo[0], hi[0], t[0], 0.0)
        figures[p] = np.array([top, bottom, mean, edge, np.float64(free), value])
        both_ways = top > -0.5 * HUGE and bottom < 0.5 * HUGE
        if both_ways and top - bottom > tol:  # the polish stopped half-way
            done[p] = False
