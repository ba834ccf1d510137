"""Many small margin problems cut from one Gram matrix in one call: those of every two classes.

Each is solved by the loop of `smo` to a loose tolerance, and then to rounding by Newton steps on
its free variables, in turn with steps of two variables. What that does not finish is left to the
general solver. Loops are written out, because Numba takes seconds to compile the NumPy functions
that would stand for them.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled, compiled_sums
from mercer._compiled.margin.smo import (
    HUGE,
    WIDTH,
    certificate,
    fill_slopes,
    gaps,
    set_slopes,
    steps,
    subtract_rows,
)

_ROUNDS = 20
_EARLY = 0.02  # the gap at which Newton steps begin: they take over where pairs become slow
_FEW = 64  # free variables that begin early: for more of them, a Newton step takes longer
_SHARE = 0.1  # of the gap after a Newton step, which steps of two variables close before the next
_MOVED, _NOTHING, _SINGULAR, _TOO_MANY = 1, 0, -1, 2  # what became of a Newton step


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
def _solve_definite(A, B, n):
    """B's two rows become A⁻¹ of themselves, and A, of n rows, its Cholesky factor.

    Returns whether A is positive definite. It is as quick as LAPACK while A is small.
    """
    for i in range(n):
        row = A[i]
        for j in range(0, i - 3, 4):
            s0, s1, s2, s3 = _four_dots(row, A, j)
            x0 = (row[j] - s0) / A[j, j]
            x1 = (row[j + 1] - s1 - x0 * A[j + 1, j]) / A[j + 1, j + 1]
            x2 = (row[j + 2] - s2 - x0 * A[j + 2, j] - x1 * A[j + 2, j + 1]) / A[j + 2, j + 2]
            rest = row[j + 3] - s3 - x0 * A[j + 3, j] - x1 * A[j + 3, j + 1]
            x3 = (rest - x2 * A[j + 3, j + 2]) / A[j + 3, j + 3]
            row[j], row[j + 1], row[j + 2], row[j + 3] = x0, x1, x2, x3
        for j in range(i - i % 4, i):
            row[j] = (row[j] - _dot(row, A[j], j)) / A[j, j]
        pivot = row[i] - _dot(row, row, i)
        if not pivot > 0.0:
            return False
        row[i] = np.sqrt(pivot)
    for side in range(2):
        b = B[side]
        for i in range(n):
            b[i] = (b[i] - _dot(A[i], b, i)) / A[i, i]
        for i in range(n - 1, -1, -1):
            b[i] /= A[i, i]
            for j in range(i):
                b[j] -= b[i] * A[i, j]
    return True


@compiled
def _newton_step(K, diagonal, h, up, low, beta, lower, upper, limit):
    """Move the free variables, if they are at most ``limit``, to where their slopes are equal.

    The move ends at the first bound. Returns `_MOVED`, `_NOTHING` to do, a `_SINGULAR` matrix or
    `_TOO_MANY` variables.
    """
    n, count = beta.shape[1], np.int64(0)
    at = np.empty(n, np.int64)
    for i in range(n):
        if up[0, i // WIDTH, i % WIDTH] == low[0, i // WIDTH, i % WIDTH]:
            at[count] = i
            count += 1
    if count > limit:
        return _TOO_MANY
    if count < 2:
        return _NOTHING
    # Σ move = 0, so that a constant added to K changes nothing but its definiteness
    large = diagonal[0, 0]
    for c in range(diagonal.shape[0]):
        for t in range(WIDTH):
            large = max(large, diagonal[c, t])
    A, B = np.empty((count, count)), np.empty((2, count))
    for i in range(count):
        k = at[i]
        for j in range(i + 1):
            A[i, j] = K[k, at[j]] + large
        A[i, i] += 1e-13 * (large + 1e-300)
        B[0, i] = h[0, k // WIDTH, k % WIDTH] + up[0, k // WIDTH, k % WIDTH]
        B[1, i] = 1.0
    if not _solve_definite(A, B, count):
        return _SINGULAR
    slopes = ones = 0.0
    for i in range(count):
        slopes += B[0, i]
        ones += B[1, i]
    level = slopes / ones
    share = 1.0  # of the step, as far as the first bound
    for i in range(count):
        k = at[i]
        B[0, i] -= level * B[1, i]
        if B[0, i] > 0.0:
            share = min(share, (upper[0, k] - beta[0, k]) / B[0, i])
        elif B[0, i] < 0.0:
            share = min(share, (lower[0, k] - beta[0, k]) / B[0, i])
        elif B[0, i] != 0.0:
            return _SINGULAR
    for i in range(count):
        k = at[i]
        end = lower[0, k]
        if B[0, i] > 0.0:
            end = upper[0, k]
        if B[0, i] != 0.0 and (end - beta[0, k]) / B[0, i] <= share:
            beta[0, k] = end
            set_slopes(beta, lower, upper, np.int64(0), k, 0.0, up, low, HUGE)
        else:
            beta[0, k] += share * B[0, i]
    return _MOVED


@compiled
def _fresh_slack(K, target, beta, h):
    """h = t − Kβ from the rows where β is not 0; returns the largest |t| and |h|."""
    n, count = beta.shape[1], 0
    used, weight, fresh = np.empty(n, np.int64), np.empty(n), np.empty((1, n))
    large = 0.0
    for i in range(n):
        fresh[0, i] = target[0, i]
        large = max(large, abs(target[0, i]))
        if beta[0, i] != 0.0:
            used[count], weight[count] = i, beta[0, i]
            count += 1
    subtract_rows(fresh, K, used[:count], weight, np.int64(0), n)
    for i in range(n):
        h[0, i // WIDTH, i % WIDTH] = fresh[0, i]
        large = max(large, abs(fresh[0, i]))
    return large


@compiled
def _solve(source, at, z, target, lower, upper, tol, polish, most, beta, K, state, diagonal, have):
    """One problem, whose slack is left in ``state``: the number of steps, and whether it is solved.

    There is one call of `steps` for the tolerance and for the polish, because what is called twice
    is compiled twice.
    """
    n, chunks = K.shape[0], K.shape[1]
    rows = K.reshape((n, chunks * WIDTH))
    h, up, low = state[0], state[1], state[2]
    for c in range(chunks):
        for t in range(WIDTH):
            diagonal[c, t], h[0, c, t], up[0, c, t], low[0, c, t] = 1.0, 0.0, -HUGE, HUGE
    for i in range(n):
        have[i] = False
        if z is None:  # else these are Gaussians
            diagonal[i // WIDTH, i % WIDTH] = source[at[i], at[i]]
        h[0, i // WIDTH, i % WIDTH] = target[0, i]
        for j in range(n, chunks * WIDTH):
            rows[i, j] = 0.0
    fill_slopes(beta, lower, upper, 0.0, HUGE, up, low)
    n_steps, polished, gap, limit = np.int64(0), False, tol, most
    if polish > 0:
        gap = max(tol, _EARLY)
    for _ in range(_ROUNDS):
        count, settled = steps(
            K, diagonal, h, beta, lower, upper, up, low, 0.0, gap, limit, have, at, source, z, None
        )
        n_steps += count
        if polished and settled and count == 0:
            return n_steps, True
        _fresh_slack(rows, target, beta, h)
        if not polished and not settled:
            return n_steps, False
        few = polish
        if gap > tol:
            few = min(polish, _FEW)
        moved = _newton_step(rows, diagonal, h, up, low, beta, lower, upper, few)
        if moved == _MOVED:
            polished, limit = True, 2 * n
            largest = _fresh_slack(rows, target, beta, h)
            top, bottom = gaps(h, up, low, np.int64(0))
            gap = max(1e-11 * max(1.0, largest), _SHARE * (top - bottom))
        elif gap <= tol and not polished:
            return n_steps, moved != _SINGULAR
        else:
            polished, gap, limit = False, min(tol, _SHARE * gap), most
    return n_steps, True


@compiled
def _columns(z, at):
    """The samples at some places, a row for each feature; None where there are none."""
    if z is None:
        return None
    panel = np.empty((z.shape[1], at.size))
    for f in range(z.shape[1]):
        for j in range(at.size):
            panel[f, j] = z[at[j], f]
    return panel


@compiled
def solve_pairs(
    source,
    z,
    place,
    starts,
    target,
    lower,
    upper,
    tol,
    polish,
    most,
    beta,
    slack,
    n_steps,
    done,
    figures,
):
    """Problem p has the rows place[starts[p]:starts[p + 1]] of ``source``.

    Where ``z`` is not None, the matrix is exp(−‖z − z′‖²) of the rows of z, computed when needed.
    Targets, bounds, β and slack lie alike. Newton steps are taken for up to ``polish`` free
    variables. ``n_steps`` are those of each problem, ``done`` is whether it is solved, and
    ``figures`` are those of `certificate`.
    """
    longest = starts[1] - starts[0]
    for p in range(1, starts.size - 1):
        longest = max(longest, starts[p + 1] - starts[p])
    even = 2 * WIDTH
    room = np.empty(longest * (-(-longest // even) * even))
    have = np.empty(longest, np.bool_)
    for p in range(starts.size - 1):
        first, last = starts[p], starts[p + 1]
        n = last - first
        chunks = 2 * -(-n // even)
        K = room[: n * chunks * WIDTH].reshape((n, chunks, WIDTH))
        state, diagonal = np.empty((3, 1, chunks, WIDTH)), np.empty((chunks, WIDTH))
        at = place[first:last]
        t, x = target[first:last].reshape((1, n)), beta[first:last].reshape((1, n))
        lo, hi = lower[first:last].reshape((1, n)), upper[first:last].reshape((1, n))
        n_steps[p], done[p] = _solve(
            source, at, _columns(z, at), t, lo, hi, tol, polish, most, x, K, state, diagonal, have
        )
        h = slack[first:last]
        for i in range(n):
            h[i] = state[0, 0, i // WIDTH, i % WIDTH]
        top, bottom, mean, edge, free, value = certificate(h, x[0], lo[0], hi[0], t[0], 0.0)
        figures[p, 0], figures[p, 1], figures[p, 2] = top, bottom, mean
        figures[p, 3], figures[p, 4], figures[p, 5] = edge, free, value
        both_ways = top > -0.5 * HUGE and bottom < 0.5 * HUGE
        if both_ways and top - bottom > tol:  # the polish stopped half-way
            done[p] = False
