"""Sequential minimal optimization: one loop for every margin machine.

    minimize  ½ βᵀKβ − tᵀβ + ε|β|₁   where  lower ≤ β ≤ upper  and  Σβ is given in every group.

Each step moves two variables i and j of one group: i is the variable whose increase pays most, j
the one whose decrease pays most for the curvature between them (second order). ``h`` holds t − Kβ;
``up`` and ``low`` are what must be added to it to get the slope upwards and downwards: ∓ε, and
∓HUGE where a bound forbids the move.

What has a value for each variable is cut into an even number of chunks of WIDTH, padded with
variables that cannot move; rows of K are cut alike. Loops over a chunk then have a length known to
the compiler, and no views are made of it, whose reference counts would cost more than the loop.
Maxima are kept lane by lane (entry t of ``best`` sees entry t of every chunk), because a loop over
lanes becomes vector code and a loop for one maximum does not. They go back and forth between two
arrays: a maximum written where it was read is compiled to a masked store, which is slow. All of it
may be in single precision, where the tolerance allows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.vectors.single_precision import gaussian_row

WIDTH = 64
HUGE = 1e300  # of slopes that a bound forbids, in double precision
HUGE_SINGLE = 1e30
_STRIP = 512  # columns of a sum of rows that stay in the cache
_FLAT = 1e-12  # the least curvature between two variables


@compiled
def _largest(best, other):
    """The lane of the largest entry, the first of equals; ``other`` is overwritten."""
    for t in range(WIDTH // 2):
        a, b = best[t], best[t + WIDTH // 2]
        other[t] = a if a > b else b
    for t in range(WIDTH // 4):
        a, b = other[t], other[t + WIDTH // 4]
        other[t + WIDTH // 2] = a if a > b else b
    top = other[WIDTH // 2]
    for t in range(WIDTH // 2 + 1, WIDTH // 2 + WIDTH // 4):
        top = other[t] if other[t] > top else top
    for t in range(WIDTH):
        if best[t] == top:
            return t
    return 0


@compiled
def _slopes_up(h, up, g, lanes, other, least):
    """The largest slope upwards of every lane of a group."""
    for t in range(WIDTH):
        lanes[g, t] = least
    for c in range(0, h.shape[1], 2):
        for t in range(WIDTH):
            v, b = h[g, c, t] + up[g, c, t], lanes[g, t]
            other[t] = v if v > b else b
        for t in range(WIDTH):
            v, b = h[g, c + 1, t] + up[g, c + 1, t], other[t]
            lanes[g, t] = v if v > b else b


@compiled
def _find_up(h, up, g, lanes, other):
    """The variable of a group that has the largest slope upwards."""
    t = _largest(lanes[g], other)
    for c in range(h.shape[1]):
        if h[g, c, t] + up[g, c, t] == lanes[g, t]:
            return c * WIDTH + t
    return t


@compiled
def _find_down(h, low, g, diagonal, K, i, top, best, other):
    """The partner of i: the largest (top − slope)²/curvature.

    Returns (j, score), or (−1, 0) if no move pays.
    """
    number = h.dtype.type
    zero, flat, two = number(0.0), number(_FLAT), number(2.0)
    curve = diagonal[i // WIDTH, i % WIDTH]
    for t in range(WIDTH):
        best[t] = zero
    for c in range(0, h.shape[1], 2):
        for t in range(WIDTH):
            d = max(zero, top - (h[g, c, t] + low[g, c, t]))
            a = max(flat, (curve + diagonal[c, t]) - two * number(K[i, c, t]))
            v, b = d * d / a, best[t]
            other[t] = v if v > b else b
        for t in range(WIDTH):
            d = max(zero, top - (h[g, c + 1, t] + low[g, c + 1, t]))
            a = max(flat, (curve + diagonal[c + 1, t]) - two * number(K[i, c + 1, t]))
            v, b = d * d / a, other[t]
            best[t] = v if v > b else b
    t = _largest(best, other)
    j, score = -1, zero
    for c in range(h.shape[1]):
        d = top - (h[g, c, t] + low[g, c, t])
        if d > zero:
            a = max(flat, (curve + diagonal[c, t]) - two * number(K[i, c, t]))
            if d * d / a > score:
                j, score = c * WIDTH + t, d * d / a
    return j, score


@compiled
def _move(h, up, g, K, i, j, delta, lanes, other, least):
    """h −= delta (row i − row j), and the largest slope upwards of every lane."""
    number = h.dtype.type
    for t in range(WIDTH):
        lanes[g, t] = least
    for c in range(0, h.shape[1], 2):
        for t in range(WIDTH):
            moved = h[g, c, t] - delta * (number(K[i, c, t]) - number(K[j, c, t]))
            h[g, c, t] = moved
            v, b = moved + up[g, c, t], lanes[g, t]
            other[t] = v if v > b else b
        for t in range(WIDTH):
            moved = h[g, c + 1, t] - delta * (number(K[i, c + 1, t]) - number(K[j, c + 1, t]))
            h[g, c + 1, t] = moved
            v, b = moved + up[g, c + 1, t], other[t]
            lanes[g, t] = v if v > b else b


@compiled
def set_slopes(beta, lower, upper, g, i, eps, up, low, huge):
    """``up`` and ``low`` of one variable, by its place between the bounds and the kink at 0."""
    value = beta[g, i]
    upwards = downwards = eps
    if value >= upper[g, i]:
        upwards = -huge
    elif value >= 0.0:
        upwards = -eps
    if value <= lower[g, i]:
        downwards = huge
    elif value > 0.0:
        downwards = -eps
    up[g, i // WIDTH, i % WIDTH] = upwards
    low[g, i // WIDTH, i % WIDTH] = downwards


@compiled
def gaps(h, up, low, g):
    """The largest slope upwards and the smallest downwards of a group."""
    top, bottom = -HUGE, HUGE
    for c in range(h.shape[1]):
        for t in range(WIDTH):
            top = max(top, np.float64(h[g, c, t] + up[g, c, t]))
            bottom = min(bottom, np.float64(h[g, c, t] + low[g, c, t]))
    return top, bottom


@compiled
def _widest_gap(h, up, low):
    """The largest difference of slopes that is left in any group."""
    widest = 0.0
    for g in range(h.shape[0]):
        top, bottom = gaps(h, up, low, g)
        widest = max(widest, top - bottom)
    return widest


@compiled
def certificate(h, beta, lower, upper, target, eps):
    """The optimality of one group, in four numbers.

    They are the multiplier of the group's sum, the largest slope of its free variables, the KKT gap
    and the group's part of the dual objective. A variable is free if it can move both ways with the
    same slope. The multiplier is the mean over free variables, else the middle of the feasible
    interval, and then the largest slope is the same.
    """
    top, bottom = -HUGE, HUGE
    total, edge, count = 0.0, -HUGE, 0
    value = 0.0
    for i in range(beta.size):
        b = beta[i]
        value += eps * abs(b) - 0.5 * b * (target[i] + h[i])
        up = low = eps
        if b >= 0.0:
            up = -eps
        if b > 0.0:
            low = -eps
        if b < upper[i]:
            top = max(top, h[i] + up)
        if b > lower[i]:
            bottom = min(bottom, h[i] + low)
        if lower[i] < b < upper[i] and up == low:
            total += h[i] + up
            edge = max(edge, h[i] + up)
            count += 1
    gap, middle = 0.0, top
    if top <= -0.5 * HUGE:
        middle = bottom
    elif bottom < 0.5 * HUGE:
        gap, middle = max(top - bottom, 0.0), 0.5 * (top + bottom)
    if count == 0:
        return middle, middle, gap, value
    return total / count, edge, gap, value


@compiled
def fill_slopes(beta, lower, upper, eps, huge, up, low):
    """``up`` and ``low`` of all variables; the padding is left alone."""
    for g in range(beta.shape[0]):
        for i in range(beta.shape[1]):
            set_slopes(beta, lower, upper, g, i, eps, up, low, huge)


@compiled
def gather(cache, slots, columns, first, K, begin, end):
    """K[first:, :] = the rows in slots begin to end of a cache, at some columns.

    Ascending columns read memory forwards.
    """
    for i in range(begin, end):
        slot, to = slots[i], first + i
        for j in range(columns.size):
            K[to, j] = cache[slot, columns[j]]


@compiled
def subtract_rows(h, cache, slots, weights, begin, end):
    """h −= Σ weights · rows of a cache in columns begin to end, for every group of h.

    The sum is in double precision, four rows at a time.
    """
    total = np.empty(_STRIP)
    for start in range(begin, end, _STRIP):
        stop = min(end, start + _STRIP)
        size = stop - start
        total[:size] = 0.0
        q = 0
        while q + 4 <= slots.size:
            w0, w1, w2, w3 = weights[q], weights[q + 1], weights[q + 2], weights[q + 3]
            r0, r1 = cache[slots[q], start:stop], cache[slots[q + 1], start:stop]
            r2, r3 = cache[slots[q + 2], start:stop], cache[slots[q + 3], start:stop]
            for t in range(size):
                total[t] += (w0 * r0[t] + w1 * r1[t]) + (w2 * r2[t] + w3 * r3[t])
            q += 4
        while q < slots.size:
            w0, r0 = weights[q], cache[slots[q], start:stop]
            for t in range(size):
                total[t] += w0 * r0[t]
            q += 1
        for g in range(h.shape[0]):
            row = h[g, start:stop]
            for t in range(size):
                row[t] -= total[t]


@compiled
def fetch_row(i, rows, have, place, source, z, panels):
    """Row i, when it is first needed: from the places of a larger matrix, or Gaussians of z.

    ``z`` and ``panels`` are as `single_precision.gaussian_row` reads them. What is None is not
    compiled.
    """
    if z is None:
        row, from_ = rows[i], source[place[i]]
        for j in range(place.size):
            row[j] = from_[place[j]]
    else:
        gaussian_row(z, panels, i, rows)
    have[i] = True


@compiled
def steps(
    K, diagonal, h, beta, lower, upper, up, low, eps, tol, most, have, place, source, z, panels
):
    """Take at most ``most`` steps; return their number, and whether the gap fell to ``tol``.

    Rows of K that ``have`` does not tick are computed by `fetch_row`.

    K is (variables, chunks, WIDTH), diagonal (chunks, WIDTH); h, up and low are (groups, chunks,
    WIDTH); beta, lower and upper (groups, variables), in double precision.
    """
    groups = h.shape[0]
    number = h.dtype.type
    huge = number(HUGE_SINGLE)
    if h.itemsize == 8:
        huge = number(HUGE)
    none: Any = np.int64(-1)  # a plain -1 has a type of its own: all would be compiled twice
    rows = K.reshape((K.shape[0], K.shape[1] * K.shape[2]))
    lanes = np.empty((groups, WIDTH), h.dtype)
    best, other = np.empty(WIDTH, h.dtype), np.empty(WIDTH, h.dtype)
    for g in range(groups):
        _slopes_up(h, up, g, lanes, other, -huge)
    for done in range(most):
        chosen, i, j, score = none, none, none, number(-1.0)
        for g in range(groups):
            a = _find_up(h, up, g, lanes, other)
            top = h[g, a // WIDTH, a % WIDTH] + up[g, a // WIDTH, a % WIDTH]
            if top <= -number(0.5) * huge:
                continue
            if not have[a]:
                fetch_row(a, rows, have, place, source, z, panels)
            b, gain = _find_down(h, low, g, diagonal, K, a, top, best, other)
            if b >= 0 and gain > score:
                chosen, i, j, score = g, a, b, gain
        if chosen < 0:
            return done, True
        g = chosen
        up_i = np.float64(h[g, i // WIDTH, i % WIDTH] + up[g, i // WIDTH, i % WIDTH])
        slope = up_i - np.float64(h[g, j // WIDTH, j % WIDTH] + low[g, j // WIDTH, j % WIDTH])
        # the partner is not the steepest one: look at the whole gap before stopping
        if slope <= tol and _widest_gap(h, up, low) <= tol:
            return done, True
        if not have[j]:
            fetch_row(j, rows, have, place, source, z, panels)
        curve = np.float64(diagonal[i // WIDTH, i % WIDTH])
        curve += np.float64(diagonal[j // WIDTH, j % WIDTH])
        curve -= 2.0 * np.float64(K[i, j // WIDTH, j % WIDTH])
        # a move ends at the bound, or at the kink of |β|
        end_i, end_j = upper[g, i], lower[g, j]
        if eps > 0.0 and beta[g, i] < 0.0:
            end_i = 0.0
        if eps > 0.0 and beta[g, j] > 0.0:
            end_j = 0.0
        room_i, room_j = end_i - beta[g, i], beta[g, j] - end_j
        delta = min(slope / max(_FLAT, curve), room_i, room_j)
        beta[g, i] += delta
        beta[g, j] -= delta
        if delta >= room_i:
            beta[g, i] = end_i
        if delta >= room_j:
            beta[g, j] = end_j
        set_slopes(beta, lower, upper, g, i, eps, up, low, huge)
        set_slopes(beta, lower, upper, g, j, eps, up, low, huge)
        for every in range(groups):
            _move(h, up, every, K, i, j, number(delta), lanes, other, -huge)
    return most, False
