"""Newton steps of small margin problems: the slopes of all free variables become equal at once."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled, compiled_sums
from mercer._compiled.margin.smo import HUGE

MOVED, NOTHING, SINGULAR, TOO_MANY = 1, 0, -1, 2  # what became of a Newton step


@compiled
def set_slopes(beta, lower, upper, i, up, low):
    """What must be added to h for the slopes of a variable: ∓HUGE where a bound forbids a move."""
    upwards = downwards = 0.0
    if beta[i] >= upper[i]:
        upwards = -HUGE
    if beta[i] <= lower[i]:
        downwards = HUGE
    up[i], low[i] = upwards, downwards


@compiled
def _factor(A, n):
    """U with UᵀU = A takes the place of its upper triangle; columns from n on become U⁻ᵀ of them.

    n is a multiple of 4. Returns whether A is positive definite.
    """
    width = A.shape[1]
    for k in range(0, n, 4):
        p0 = A[k, k]
        s0 = 1.0 / np.sqrt(p0)
        u01, u02, u03 = A[k, k + 1] * s0, A[k, k + 2] * s0, A[k, k + 3] * s0
        p1 = A[k + 1, k + 1] - u01 * u01
        s1 = 1.0 / np.sqrt(p1)
        u12, u13 = (A[k + 1, k + 2] - u01 * u02) * s1, (A[k + 1, k + 3] - u01 * u03) * s1
        p2 = A[k + 2, k + 2] - u02 * u02 - u12 * u12
        s2 = 1.0 / np.sqrt(p2)
        u23 = (A[k + 2, k + 3] - u02 * u03 - u12 * u13) * s2
        p3 = A[k + 3, k + 3] - u03 * u03 - u13 * u13 - u23 * u23
        s3 = 1.0 / np.sqrt(p3)
        if not (p0 > 0.0 and p1 > 0.0 and p2 > 0.0 and p3 > 0.0):
            return False
        for j in range(k, width):
            x0 = A[k, j] * s0
            x1 = (A[k + 1, j] - u01 * x0) * s1
            x2 = (A[k + 2, j] - u02 * x0 - u12 * x1) * s2
            A[k, j], A[k + 1, j], A[k + 2, j] = x0, x1, x2
            A[k + 3, j] = (A[k + 3, j] - u03 * x0 - u13 * x1 - u23 * x2) * s3
        for i in range(k + 4, n, 2):
            a0, a1, a2, a3 = A[k, i], A[k + 1, i], A[k + 2, i], A[k + 3, i]
            b0, b1, b2, b3 = A[k, i + 1], A[k + 1, i + 1], A[k + 2, i + 1], A[k + 3, i + 1]
            for j in range(i, width):
                v0, v1, v2, v3 = A[k, j], A[k + 1, j], A[k + 2, j], A[k + 3, j]
                A[i, j] -= (a0 * v0 + a1 * v1) + (a2 * v2 + a3 * v3)
                A[i + 1, j] -= (b0 * v0 + b1 * v1) + (b2 * v2 + b3 * v3)
    return True


@compiled_sums
def _solve_upper(U, n, x, y):
    """x and y become U⁻¹ of columns n and n + 1."""
    for i in range(n - 1, -1, -1):
        s = r = 0.0
        for j in range(i + 1, n):
            s += U[i, j] * x[j]
            r += U[i, j] * y[j]
        x[i] = (U[i, n] - s) / U[i, i]
        y[i] = (U[i, n + 1] - r) / U[i, i]


@compiled
def padded(count, lanes):
    """The least multiple of ``lanes`` that is not below ``count``."""
    return -(-count // lanes) * lanes


@compiled
def newton_step(K, diagonal, h, up, low, beta, lower, upper, limit, room, at, x, y):
    """Move the free variables, if they are at most ``limit``, to where their slopes are equal.

    The move ends at the first bound. Returns `MOVED`, `NOTHING` to do, a `SINGULAR` matrix or
    `TOO_MANY` variables. The last four arrays are memory to work with.
    """
    n, count = beta.size, np.int64(0)
    for i in range(n):
        if up[i] == low[i]:
            at[count] = i
            count += 1
    if count > limit:
        return TOO_MANY
    if count < 2:
        return NOTHING
    # Σ move = 0, so that a constant added to K changes nothing but its definiteness
    large = diagonal[0]
    for i in range(n):
        large = max(large, diagonal[i])
    rows = padded(count, 4)
    A = room[: rows * padded(rows + 2, 8)].reshape((rows, padded(rows + 2, 8)))
    for i in range(rows):
        for j in range(i, A.shape[1]):
            A[i, j] = 0.0
        A[i, i] = 1.0
    for i in range(count):
        k = at[i]
        for j in range(i, count):
            A[i, j] = K[k, at[j]] + large
        A[i, i] += 1e-13 * (large + 1e-300)
        A[i, rows], A[i, rows + 1] = h[k], 1.0
    if not _factor(A, rows):
        return SINGULAR
    _solve_upper(A, rows, x, y)
    slopes = ones = 0.0
    for i in range(count):
        slopes += x[i]
        ones += y[i]
    level = slopes / ones
    share = 1.0  # of the step, as far as the first bound
    for i in range(count):
        k = at[i]
        x[i] -= level * y[i]
        if x[i] > 0.0:
            share = min(share, (upper[k] - beta[k]) / x[i])
        elif x[i] < 0.0:
            share = min(share, (lower[k] - beta[k]) / x[i])
        elif x[i] != 0.0:
            return SINGULAR
    for i in range(count):
        k = at[i]
        end = lower[k]
        if x[i] > 0.0:
            end = upper[k]
        if x[i] != 0.0 and (end - beta[k]) / x[i] <= share:
            beta[k] = end
            set_slopes(beta, lower, upper, k, up, low)
        else:
            beta[k] += share * x[i]
    return MOVED
