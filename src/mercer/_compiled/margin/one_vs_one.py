"""Many small margin problems cut from one Gram matrix in one call: those of every two classes.

Each is solved by steps of two variables, as in `smo`, to a loose tolerance, and then to rounding by
Newton steps on its free variables, in turn with steps of two variables. What that does not finish
is left to the general solver.

A problem is so small that its matrix, in double precision, stays in the cache, and it has one
group, no tube and rows padded to a multiple of LANES. Loops over a row become vector code because
they look for maxima of integers in the order of the numbers: no flag of the compiler allows it for
maxima of numbers alone. Loops are written out, because Numba takes seconds to compile the NumPy
functions that would stand for them.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.margin.class_blocks import COLUMNS, SIZE, WIDTH, row_of_two
from mercer._compiled.margin.newton import MOVED, SINGULAR, newton_step, padded, set_slopes
from mercer._compiled.margin.smo import HUGE, certificate

LANES = 32
_ROUNDS = 20
_EARLY = 0.005  # the gap at which Newton steps begin: they take over where pairs become slow
_FEW = 64  # free variables that begin early: for more of them, a Newton step takes longer
_SHARE = 0.1  # of the gap after a Newton step, which steps of two variables close before the next
_FLAT = 1e-12  # the least curvature between two variables
_SIGN = np.int64(63)  # the place of the bit of the sign
_ALL_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)
_LEAST = np.int64(-0x7FFFFFFFFFFFFFFF)
LONGEST = 1024  # variables of a problem: their places take the last ten bits of a key
_PLACE = np.int64(LONGEST - 1)
_ALL_BUT_PLACE = ~_PLACE


@compiled
def _key(value):
    """An integer for each number, in the same order."""
    bits = np.float64(value).view(np.int64)
    return bits ^ ((bits >> _SIGN) & _ALL_BUT_SIGN)


@compiled
def _number(key):
    """The number of a key."""
    bits = key ^ ((key >> _SIGN) & _ALL_BUT_SIGN)
    return np.int64(bits).view(np.float64)


@compiled
def _top(h, up):
    """The key of the variable with the largest slope upwards."""
    best = _LEAST
    for t in range(h.size):
        key = (_key(h[t] + up[t]) & _ALL_BUT_PLACE) | t
        best = key if key > best else best
    return best


@compiled
def _bottom(h, low):
    """The smallest slope downwards."""
    best = _LEAST
    for t in range(h.size):
        key = _key(-(h[t] + low[t]))
        best = key if key > best else best
    return -_number(best)


@compiled
def _partner(h, low, diagonal, K, i, top):
    """The key of the partner of i with the largest (top − slope)²/curvature; 0 if no move pays."""
    curve = diagonal[i]
    best = np.int64(0)
    for t in range(h.size):
        d = top - (h[t] + low[t])
        d = d if d > 0.0 else 0.0
        a = (curve + diagonal[t]) - 2.0 * K[i, t]
        a = a if a > _FLAT else _FLAT
        key = (np.float64(d * d / a).view(np.int64) & _ALL_BUT_PLACE) | t
        best = key if key > best else best
    return best


@compiled
def _move(h, up, K, i, j, delta):
    """h −= delta (row i − row j); returns the key of the largest slope upwards."""
    best = _LEAST
    for t in range(h.size):
        moved = h[t] - delta * (K[i, t] - K[j, t])
        h[t] = moved
        key = (_key(moved + up[t]) & _ALL_BUT_PLACE) | t
        best = key if key > best else best
    return best


@compiled
def _fill_row(i, K, cells, at, source, panels, values, sides):
    """Row i of K, from the places of a larger matrix, or of the Gaussians of two classes.

    ``cells`` are those of K, one after the other.
    """
    width = K.shape[1]
    for j in range(at.size, width):
        K[i, j] = 0.0
    if panels is None:
        for j in range(at.size):
            K[i, j] = source[at[i], at[j]]
    else:
        row_of_two(i, cells, width, panels, values, sides)


@compiled
def _steps(
    K,
    diagonal,
    h,
    beta,
    lower,
    upper,
    up,
    low,
    tol,
    most,
    have,
    cells,
    at,
    source,
    panels,
    values,
    sides,
):
    """Take at most ``most`` steps; return their number, and whether the gap fell to ``tol``.

    Rows of K that ``have`` does not tick are computed when they are needed.
    """
    key = _top(h, up)
    for done in range(most):
        i = key & _PLACE
        top = h[i] + up[i]
        if top <= -0.5 * HUGE:
            return done, True
        if not have[i]:
            _fill_row(i, K, cells, at, source, panels, values, sides)
            have[i] = True
        j = _partner(h, low, diagonal, K, i, top) & _PLACE
        slope = top - (h[j] + low[j])
        if not slope > 0.0:
            return done, True
        # the partner is not the steepest one: look at the whole gap before stopping
        if slope <= tol and top - _bottom(h, low) <= tol:
            return done, True
        if not have[j]:
            _fill_row(j, K, cells, at, source, panels, values, sides)
            have[j] = True
        curve = (diagonal[i] + diagonal[j]) - 2.0 * K[i, j]
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        delta = min(slope / max(_FLAT, curve), room_i, room_j)
        beta[i] += delta
        beta[j] -= delta
        if delta >= room_i:
            beta[i] = upper[i]
        if delta >= room_j:
            beta[j] = lower[j]
        set_slopes(beta, lower, upper, i, up, low)
        set_slopes(beta, lower, upper, j, up, low)
        key = _move(h, up, K, i, j, delta)
    return most, False


@compiled
def _fresh_slack(K, target, beta, h, at):
    """h = t − Kβ from the rows where β is not 0; returns the largest |t| and |h|."""
    n, count, large = beta.size, np.int64(0), 0.0
    for i in range(n):
        h[i] = target[i]
        large = max(large, abs(target[i]))
        if beta[i] != 0.0:
            at[count] = i
            count += 1
    for t in range(n, h.size):
        h[t] = 0.0
    q = np.int64(0)
    while q + 4 <= count:
        i0, i1, i2, i3 = at[q], at[q + 1], at[q + 2], at[q + 3]
        w0, w1, w2, w3 = beta[i0], beta[i1], beta[i2], beta[i3]
        for t in range(h.size):
            h[t] -= (w0 * K[i0, t] + w1 * K[i1, t]) + (w2 * K[i2, t] + w3 * K[i3, t])
        q += 4
    while q < count:
        i0 = at[q]
        w0 = beta[i0]
        for t in range(h.size):
            h[t] -= w0 * K[i0, t]
        q += 1
    for i in range(n):
        large = max(large, abs(h[i]))
    return large


@compiled
def _solve(
    at,
    source,
    panels,
    values,
    sides,
    target,
    lower,
    upper,
    tol,
    polish,
    most,
    beta,
    K,
    cells,
    state,
    have,
    room,
    free,
    x,
    y,
):
    """One problem, whose slack is left in ``state``: the number of steps, and whether it is solved.

    There is one call of `_steps` for the tolerance and for the polish, because what is called twice
    is compiled twice.
    """
    n = at.size
    h, up, low, diagonal = state[0], state[1], state[2], state[3]
    for t in range(h.size):
        diagonal[t], h[t], up[t], low[t] = 1.0, 0.0, -HUGE, HUGE
    for i in range(n):
        have[i] = False
        if panels is None:  # else it is 1
            diagonal[i] = source[at[i], at[i]]
        h[i] = target[i]
        set_slopes(beta, lower, upper, i, up, low)
    n_steps, polished, gap, limit = np.int64(0), False, tol, most
    if polish > 0:
        gap = max(tol, _EARLY)
    for _ in range(_ROUNDS):
        bounds, origin = (lower, upper, up, low), (source, panels, values, sides)
        count, settled = _steps(K, diagonal, h, beta, *bounds, gap, limit, have, cells, at, *origin)
        n_steps += count
        if polished and settled and count == 0:
            return n_steps, True
        _fresh_slack(K, target, beta, h, free)
        if not polished and not settled:
            return n_steps, False
        few = polish
        if gap > tol:
            few = min(polish, _FEW)
        moved = newton_step(K, diagonal, h, up, low, beta, lower, upper, few, room, free, x, y)
        if moved == MOVED:
            polished, limit = True, 2 * n
            largest = _fresh_slack(K, target, beta, h, free)
            i = _top(h, up) & _PLACE
            gap = max(1e-11 * max(1.0, largest), _SHARE * ((h[i] + up[i]) - _bottom(h, low)))
        elif gap <= tol and not polished:
            return n_steps, moved != SINGULAR
        else:
            polished, gap, limit = False, min(tol, _SHARE * gap), most
    return n_steps, True


@compiled
def solve_pairs(
    source,
    panels,
    values,
    sides,
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

    Where ``panels`` are not None, rows are those of `row_of_two`, computed when they are needed.
    Targets, bounds, β and slack lie alike. Newton steps are taken for up to ``polish`` free
    variables. ``n_steps`` are those of each problem, ``done`` is whether it is solved, and
    ``figures`` are those of `certificate`.
    """
    longest = starts[1] - starts[0]
    for p in range(1, starts.size - 1):
        longest = max(longest, starts[p + 1] - starts[p])
    widest, few = padded(longest + COLUMNS, LANES), padded(min(longest, polish), 4)
    matrices, states = np.empty(longest * widest), np.empty(4 * widest)
    have, free = np.empty(longest, np.bool_), np.empty(longest, np.int64)
    room, x, y = np.empty(few * padded(few + 2, 8)), np.empty(few), np.empty(few)
    for p in range(starts.size - 1):
        first, last = starts[p], starts[p + 1]
        n = last - first
        width = padded(n, LANES)
        if panels is not None:  # the second class is padded
            width = padded(sides[p, 0, SIZE] + sides[p, 1, WIDTH], LANES)
        cells, state = matrices[: n * width], states[: 4 * width]
        at = place[first:last]
        t, b, lo, hi = target[first:last], beta[first:last], lower[first:last], upper[first:last]
        work = cells.reshape((n, width)), cells, state.reshape((4, width)), have, room, free, x, y
        n_steps[p], done[p] = _solve(
            at, source, panels, values, sides[p], t, lo, hi, tol, polish, most, b, *work
        )
        h = slack[first:last]
        for i in range(n):
            h[i] = state[i]
        level, edge, gap, value = certificate(h, b, lo, hi, t, 0.0)
        figures[p, 0], figures[p, 1], figures[p, 2], figures[p, 3] = level, edge, gap, value
        if gap > tol:  # the polish stopped half-way
            done[p] = False
