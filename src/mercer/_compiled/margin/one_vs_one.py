"""Many small margin problems cut from one Gram matrix, one after the other, without going back to Python: those of every two classes.

Each is solved by the loop of `smo` to the tolerance, and then to rounding by Newton steps on its free variables, as long as these meet
no bound. What that does not finish is left to the general solver.
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
    """B's rows become A⁻¹ of themselves, A its Cholesky factor; whether A is positive definite. As quick as LAPACK while A is small."""
    n = len(A)
    for i in range(n):
        row = A[i]
        j = 0
        while j + 4 <= i:
            s0, s1, s2, s3 = _four_dots(row, A, j)
            x0 = (row[j] - s0) / A[j, j]
            x1 = (row[j + 1] - s1 - x0 * A[j + 1, j]) / A[j + 1, j + 1]
            x2 = (row[j + 2] - s2 - x0 * A[j + 2, j] - x1 * A[j + 2, j + 1]) / A[j + 2, j + 2]
            x3 = (
                row[j + 3] - s3 - x0 * A[j + 3, j] - x1 * A[j + 3, j + 1] - x2 * A[j + 3, j + 2]
            ) / A[j + 3, j + 3]
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
    """The free variables to where their slopes are equal: 1 if they went, 0 if there is nothing to do, −1 if a bound is in the way."""
    n = beta.shape[1]
    slope_up, slope_low, slack = up.reshape(-1), low.reshape(-1), h.reshape(-1)
    at = np.empty(n, np.intp)
    count = 0
    for i in range(n):
        if slope_up[i] == slope_low[i]:
            at[count] = i
            count += 1
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
    made = target.copy()
    subtract_rows(made, K, used, beta[0][used], 0, beta.shape[1])
    h.reshape(-1)[: beta.shape[1]] = made[0]


@compiled
def solve_pairs(
    source, place, starts, target, lower, upper, tol, polish, most, beta, slack, made, done, figures
):
    """Problem p has the rows place[starts[p]:starts[p + 1]] of ``source``; target, bounds, β and slack lie alike.

    Newton steps are taken for up to ``polish`` free variables. ``made`` are the steps of each problem, ``done`` tells whether it is
    solved, and ``figures`` are those of `certificate`.
    """
    longest = 0
    for p in range(starts.size - 1):
        longest = max(longest, starts[p + 1] - starts[p])
    pair = 2 * WIDTH
    table = np.empty(longest * (-(-longest // pair) * pair))
    none, panels = np.empty((0, 0), np.float32), np.empty((0, 0, 0), np.float32)
    for p in range(starts.size - 1):
        first, last = starts[p], starts[p + 1]
        n = last - first
        width = -(-n // pair) * pair
        rows = table[: n * width].reshape((n, width))
        rows[:, n:] = 0.0
        K = rows.reshape((n, width // WIDTH, WIDTH))
        at = place[first:last]
        t, x = target[first:last].reshape((1, n)), beta[first:last].reshape((1, n))
        lo, hi = lower[first:last].reshape((1, n)), upper[first:last].reshape((1, n))
        diagonal, h = np.ones((width // WIDTH, WIDTH)), np.zeros((1, width // WIDTH, WIDTH))
        for i in range(n):
            diagonal[i // WIDTH, i % WIDTH] = source[at[i], at[i]]
            h[0, i // WIDTH, i % WIDTH] = t[0, i]
        up, low = np.full(h.shape, -HUGE), np.full(h.shape, HUGE)
        fill_slopes(x, lo, hi, 0.0, HUGE, up, low)
        have = np.zeros(n, np.bool_)
        made[p], done[p] = steps(
            K, diagonal, h, x, lo, hi, up, low, 0.0, tol, most, have, at, source, none, panels
        )
        _fresh_slack(rows, t, x, h)
        for _ in range(_ROUNDS):
            if not done[p] or np.sum(up == low) > polish:
                break
            moved = _newton_step(rows, diagonal, h, up, low, x, lo, hi)
            if moved <= 0:
                done[p] = moved == 0
                break
            _fresh_slack(rows, t, x, h)
            fine = 1e-11 * max(1.0, np.abs(t).max(), np.abs(h).max())
            more, settled = steps(
                K, diagonal, h, x, lo, hi, up, low, 0.0, fine, 2 * n, have, at, source, none, panels
            )
            if settled and more == 0:
                break
        slack[first:last] = h.reshape(-1)[:n]
        top, bottom, mean, edge, free, value = certificate(
            slack[first:last], x[0], lo[0], hi[0], t[0], 0.0
        )
        figures[p] = np.array([top, bottom, mean, edge, np.float64(free), value])
        if (
            top - bottom > tol and top > -0.5 * HUGE and bottom < 0.5 * HUGE
        ):  # the polish stopped half-way
            done[p] = False
