"""Sequential minimal optimisation: one loop for every margin machine.

    minimise  ½ βᵀKβ − tᵀβ + ε|β|₁   where  lower ≤ β ≤ upper  and  Σβ is given in every group.

Each step moves one pair (i, j) of one group: i is the variable whose increase pays most, j the one whose decrease pays
most for the curvature of the pair (second order). ``h`` holds t − Kβ; ``up`` and ``low`` are what must be added to it to
get the slope upwards and downwards: ∓ε, and ∓HUGE where a bound forbids the move.

Maxima are kept lane by lane (entry l of ``best`` sees the variables l, l + WIDTH, ...), because a loop over lanes becomes
vector code and a loop for one maximum does not.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

WIDTH = 128
HUGE = 1e300
_FLAT = 1e-12  # the least curvature of a pair


@compiled
def _lane_maximum(best):  # type: ignore[no-untyped-def]
    lane = 0
    for t in range(1, best.size):
        if best[t] > best[lane]:
            lane = t
    return lane


@compiled
def slopes_up(h, up, best):  # type: ignore[no-untyped-def]
    """The largest slope upwards of every lane."""
    tmp = np.empty(best.size)
    best[:] = -HUGE
    for start in range(0, h.size, best.size):
        stop = min(h.size, start + best.size)
        hh, uu = h[start:stop], up[start:stop]
        for t in range(hh.size):
            tmp[t] = hh[t] + uu[t]
        for t in range(hh.size):
            best[t] = tmp[t] if tmp[t] > best[t] else best[t]


@compiled
def _find_up(h, up, best):  # type: ignore[no-untyped-def]
    """The variable that has the largest slope upwards."""
    lane = _lane_maximum(best)
    for t in range(lane, h.size, best.size):
        if h[t] + up[t] == best[lane]:
            return t
    return lane


@compiled
def _find_down(h, low, diagonal, row, i, top, best, tmp):  # type: ignore[no-untyped-def]
    """The partner of i: the largest (top − slope)²/curvature. Returns (j, score), or (−1, 0) if no move pays."""
    curve = diagonal[i]
    best[:] = 0.0
    for start in range(0, h.size, best.size):
        stop = min(h.size, start + best.size)
        hh, ll, kk, dd = h[start:stop], low[start:stop], row[start:stop], diagonal[start:stop]
        for t in range(hh.size):
            d = top - (hh[t] + ll[t])
            d = d if d > 0.0 else 0.0
            a = (curve + dd[t]) - 2.0 * kk[t]
            a = a if a > _FLAT else _FLAT
            tmp[t] = d * d / a
        for t in range(hh.size):
            best[t] = tmp[t] if tmp[t] > best[t] else best[t]
    lane = _lane_maximum(best)
    j, score = -1, 0.0
    for t in range(lane, h.size, best.size):
        d = top - (h[t] + low[t])
        if d > 0.0:
            a = (curve + diagonal[t]) - 2.0 * row[t]
            a = a if a > _FLAT else _FLAT
            if d * d / a > score:
                j, score = t, d * d / a
    return j, score


@compiled
def _move(h, up, first, second, delta, best, tmp):  # type: ignore[no-untyped-def]
    """h −= delta (first − second), and the largest slope upwards of every lane."""
    best[:] = -HUGE
    for start in range(0, h.size, best.size):
        stop = min(h.size, start + best.size)
        hh, uu, k1, k2 = h[start:stop], up[start:stop], first[start:stop], second[start:stop]
        for t in range(hh.size):
            moved = hh[t] - delta * (np.float64(k1[t]) - np.float64(k2[t]))
            hh[t] = moved
            tmp[t] = moved + uu[t]
        for t in range(hh.size):
            best[t] = tmp[t] if tmp[t] > best[t] else best[t]


@compiled
def set_slopes(beta, lower, upper, eps, up, low, t):  # type: ignore[no-untyped-def]
    """What one variable's slopes need added, from where it lies between its bounds and the kink at 0."""
    up[t] = -HUGE if beta[t] >= upper[t] else (-eps if beta[t] >= 0.0 else eps)
    low[t] = HUGE if beta[t] <= lower[t] else (-eps if beta[t] > 0.0 else eps)


@compiled
def gaps(h, up, low):  # type: ignore[no-untyped-def]
    """The largest slope upwards and the smallest downwards."""
    top, bottom = -HUGE, HUGE
    for t in range(h.size):
        u, v = h[t] + up[t], h[t] + low[t]
        top = u if u > top else top
        bottom = v if v < bottom else bottom
    return top, bottom


@compiled
def gather(table, slots, columns, first, K, begin, end):  # type: ignore[no-untyped-def]
    """K[first:, :] = the rows in these slots at some columns, and by symmetry K[:first, first:] too; slots begin to end."""
    for i in range(begin, end):
        row = table[slots[i]]
        to = K[first + i]
        for j in range(columns.size):
            to[j] = row[columns[j]]
        for j in range(first):
            K[j, first + i] = to[j]


@compiled
def subtract_rows(h, table, slots, weights, begin, end):  # type: ignore[no-untyped-def]
    """h −= Σ weights · rows in columns begin to end, in double precision, four rows at a time; for every group of h."""
    tmp = np.empty(WIDTH)
    for start in range(begin, end, WIDTH):
        stop = min(end, start + WIDTH)
        width = stop - start
        for t in range(width):
            tmp[t] = 0.0
        q = 0
        while q + 4 <= slots.size:
            w0, w1, w2, w3 = weights[q], weights[q + 1], weights[q + 2], weights[q + 3]
            r0, r1 = table[slots[q], start:stop], table[slots[q + 1], start:stop]
            r2, r3 = table[slots[q + 2], start:stop], table[slots[q + 3], start:stop]
            for t in range(width):
                tmp[t] += (w0 * r0[t] + w1 * r1[t]) + (w2 * r2[t] + w3 * r3[t])
            q += 4
        while q < slots.size:
            w0, r0 = weights[q], table[slots[q], start:stop]
            for t in range(width):
                tmp[t] += w0 * r0[t]
            q += 1
        for g in range(h.shape[0]):
            row = h[g, start:stop]
            for t in range(width):
                row[t] -= tmp[t]


@compiled
def steps(K, diagonal, h, beta, lower, upper, up, low, eps, tol, most):  # type: ignore[no-untyped-def]
    """At most ``most`` steps; h, beta and the bounds have one row per group. Returns (steps done, gap ≤ tol reached)."""
    groups = h.shape[0]
    best = np.empty((groups, WIDTH))
    lanes = np.empty(WIDTH)
    tmp = np.empty(WIDTH)
    for g in range(groups):
        slopes_up(h[g], up[g], best[g])
    for done in range(most):
        chosen, i, j, score = -1, -1, -1, -1.0
        for g in range(groups):
            a = _find_up(h[g], up[g], best[g])
            top = h[g, a] + up[g, a]
            if top <= -0.5 * HUGE:
                continue
            b, found = _find_down(h[g], low[g], diagonal, K[a], a, top, lanes, tmp)
            if b >= 0 and found > score:
                chosen, i, j, score = g, a, b, found
        if chosen < 0:
            return done, True
        g = chosen
        slope = (h[g, i] + up[g, i]) - (h[g, j] + low[g, j])
        if slope <= tol:  # the partner is not the steepest one: look at the whole gap before stopping
            widest = 0.0
            for other in range(groups):
                top, bottom = gaps(h[other], up[other], low[other])
                if top - bottom > widest:
                    widest = top - bottom
            if widest <= tol:
                return done, True
        a = (diagonal[i] + diagonal[j]) - 2.0 * K[i, j]
        delta = slope / (a if a > _FLAT else _FLAT)
        # a move ends at the bound, or at the kink of |β|
        end_i = 0.0 if eps > 0.0 and beta[g, i] < 0.0 else upper[g, i]
        end_j = 0.0 if eps > 0.0 and beta[g, j] > 0.0 else lower[g, j]
        room_i, room_j = end_i - beta[g, i], beta[g, j] - end_j
        delta = min(delta, room_i, room_j)
        beta[g, i] = end_i if delta >= room_i else beta[g, i] + delta
        beta[g, j] = end_j if delta >= room_j else beta[g, j] - delta
        set_slopes(beta[g], lower[g], upper[g], eps, up[g], low[g], i)
        set_slopes(beta[g], lower[g], upper[g], eps, up[g], low[g], j)
        for other in range(groups):
            _move(h[other], up[other], K[i], K[j], delta, best[other], tmp)
    return most, False
