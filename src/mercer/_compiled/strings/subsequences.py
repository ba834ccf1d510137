"""Common subsequences of two strings, with gaps: the recursion of Lodhi and others.

P_l(i, j) is the sum over common subsequences of length l of x[:i+1] and y[:j+1] of decay to the
letters they stretch over, counted to the ends i and j (without the decay² of every two matched
letters, put in at the end). With P_0 = 1,

    Q_l(i, j) = decay Q_l(i, j−1) + [x_i = y_j] P_{l−1}(i−1, j−1)
    P_l(i, j) = decay P_l(i−1, j) + Q_l(i, j)

and k = decay^(2 length) Σ [x_i = y_j] P_{length−1}(i−1, j−1). Nothing is subtracted, so that every
value is accurate to its last digits. Letters are float64, because a comparison of such is a mask of
the right size.

Four pairs of strings are compared at a time. Every lane of a vector has a pair of its own, so that
nothing passes between lanes; shorter strings end in NaN, which equals nothing and adds zero, so
that a value does not depend on the pairs beside it. What passes along a row (Q, and P of the row
before) stays in registers; P of a few columns stays in the first cache while all rows go over them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from mercer._compiled import compiled
from mercer._compiled.strings.lanes import Lanes, pointers

PAIRS = 4  # lanes: with twice as many, three levels do not fit into registers
_LEVELS = 3  # of one pass over a row
_BLOCK = 64  # columns


def _row(levels: int, reads: bool = False, writes: bool = False) -> Callable[..., None]:
    """``levels`` of the recursion, for one letter of every x and ``count`` letters of its y.

    All else are places in ``work``, of PAIRS numbers each: the ``letter``; the letters ``across``;
    ``above``, P_l(i−1, j) for each level of each column, to be replaced by P_l(i, j); ``edge``,
    what passes on to the next columns of this row; ``corners``, the P(i−1, j−1) of the level below
    these, if that ``reads`` them, which becomes that of the last of these, if that ``writes``; and
    ``total``.
    """

    @intrinsic
    def row(typingctx, work, letter, across, count, above, edge, corners, total, decay):
        def codegen(context, builder, signature, args):
            places = pointers(context, builder, signature, args)
            work, letter, across, count, above, edge, corners, total, decay = places
            lanes, word = Lanes(builder, PAIRS), count.type
            zero, one = lanes.constant(0.0), lanes.constant(1.0)
            fade, letters = lanes.splat(decay), lanes.load(work, letter)
            sums, *passed = (lanes.variable() for _ in range(1 + 2 * levels))
            kept = [(sums, total)]
            for at, place in enumerate(passed):
                kept.append((place, builder.add(edge, word(PAIRS * at))))
            for place, at in kept:
                builder.store(lanes.load(work, at), place)
            running, corner = passed[:levels], passed[levels:]
            with cgutils.for_range(builder, count) as loop:
                here = builder.mul(loop.index, word(PAIRS))
                across_letters = lanes.load(work, builder.add(across, here))
                match = builder.fcmp_ordered("==", letters, across_letters)
                aside = builder.add(corners, here)
                inputs = [lanes.load(work, aside) if reads else one, *map(builder.load, corner)]
                if writes:
                    lanes.store(inputs[-1], work, aside)
                matched = lanes.where(match, inputs[-1], zero)
                builder.store(lanes.add(builder.load(sums), matched), sums)
                for level in range(levels):
                    offset = builder.add(builder.mul(here, word(levels)), word(PAIRS * level))
                    at = builder.add(above, offset)
                    up = lanes.load(work, at)
                    matched = lanes.where(match, inputs[level], zero)
                    along = lanes.times(fade, builder.load(running[level]))
                    along = lanes.add(along, matched)
                    lanes.store(lanes.add(lanes.times(fade, up), along), work, at)
                    builder.store(along, running[level])
                    builder.store(up, corner[level])
            for place, at in kept:
                lanes.store(builder.load(place), work, at)
            return context.get_dummy_value()

        number, whole = types.float64, types.intp
        return types.void(work, *[whole] * 7, number), codegen

    return row


_row0, _row1, _row2, _row3 = (_row(levels) for levels in range(_LEVELS + 1))
_first_three, _one_more = _row(_LEVELS, writes=True), _row(1, reads=True, writes=True)


@compiled
def _block(work, m, across, count, levels, above, edges, corners, total, decay):
    """All levels of all rows of a block of columns."""
    for i in range(m):
        letter, edge = i * PAIRS, edges + 2 * levels * i * PAIRS
        if levels == 0:
            _row0(work, letter, across, count, above, edge, corners, total, decay)
        elif levels == 1:
            _row1(work, letter, across, count, above, edge, corners, total, decay)
        elif levels == 2:
            _row2(work, letter, across, count, above, edge, corners, total, decay)
        elif levels == 3:
            _row3(work, letter, across, count, above, edge, corners, total, decay)
        else:
            unused = total + PAIRS  # the sum of a shorter length
            _first_three(work, letter, across, count, above, edge, corners, unused, decay)
            for done in range(_LEVELS, levels):
                last = total if done == levels - 1 else unused
                up, left = above + done * _BLOCK * PAIRS, edge + 2 * done * PAIRS
                _one_more(work, letter, across, count, up, left, corners, last, decay)


@compiled
def _longest(x_at, y_at, left, right):
    """The longest of the shorter and of the longer strings of all pairs."""
    short = long = 0
    for e in range(left.size):
        a, b = x_at[left[e] + 1] - x_at[left[e]], y_at[right[e] + 1] - y_at[right[e]]
        short, long = max(short, min(a, b)), max(long, max(a, b))
    return short, long


@compiled
def subsequences(x, x_at, y, y_at, left, right, length, decay, out):
    """out[e] = k(x[left[e]], y[right[e]]) for every pair e; string i is x[x_at[i]:x_at[i + 1]].

    Each PAIRS of them, in the order given, cost what the longest strings among them would.
    """
    short, long = _longest(x_at, y_at, left, right)
    levels = length - 1
    columns = short * PAIRS  # the parts of work
    above = columns + long * PAIRS
    edges = above + levels * _BLOCK * PAIRS
    corners = edges + 2 * levels * short * PAIRS
    total = corners + _BLOCK * PAIRS
    work = np.empty(total + 2 * PAIRS)
    scale = decay ** (2.0 * length)
    for start in range(0, left.size, PAIRS):
        stop = min(start + PAIRS, left.size)
        m, n = _longest(x_at, y_at, left[start:stop], right[start:stop])
        work[: m * PAIRS] = work[columns : columns + n * PAIRS] = np.nan  # which equals nothing
        for e in range(start, stop):
            s, t = x[x_at[left[e]] : x_at[left[e] + 1]], y[y_at[right[e]] : y_at[right[e] + 1]]
            if s.size > t.size:  # fewer edges
                s, t = t, s
            for i in range(s.size):
                work[i * PAIRS + e - start] = s[i]
            for j in range(t.size):
                work[columns + j * PAIRS + e - start] = t[j]
        work[edges : edges + 2 * levels * m * PAIRS] = 0.0
        work[total:] = 0.0
        for first in range(0, n, _BLOCK):
            work[above:edges] = 0.0
            across, count = columns + first * PAIRS, min(_BLOCK, n - first)
            _block(work, m, across, count, levels, above, edges, corners, total, decay)
        for e in range(start, stop):
            out[e] = scale * work[total + e - start]


@compiled
def subsequence_slopes(x, x_at, y, y_at, left, right, length, decay, out):
    """out[e] = dk/d decay: the same recursion beside its derivative, one cell after the other."""
    longest = 0
    for e in range(right.size):
        longest = max(longest, y_at[right[e] + 1] - y_at[right[e]])
    p, dp = np.empty((length, longest + 1)), np.empty((length, longest + 1))
    for e in range(left.size):
        s, t = x[x_at[left[e]] : x_at[left[e] + 1]], y[y_at[right[e]] : y_at[right[e] + 1]]
        out[e] = 0.0
        if min(s.size, t.size) < length:
            continue
        p[0], p[1:], dp[:] = 1.0, 0.0, 0.0  # column j is at j + 1
        value = slope = 0.0
        for i in range(s.size):
            letter = s[i]
            for j in range(t.size):
                if t[j] == letter:
                    value += p[length - 1, j]
                    slope += dp[length - 1, j]
            # from the top, because a level reads the row before of the one below
            for level in range(length - 1, 0, -1):
                source, change, mine, moved = p[level - 1], dp[level - 1], p[level], dp[level]
                q = dq = 0.0
                for j in range(t.size):
                    dq = q + decay * dq
                    q = decay * q
                    if t[j] == letter:
                        q += source[j]
                        dq += change[j]
                    moved[j + 1] = mine[j + 1] + decay * moved[j + 1] + dq
                    mine[j + 1] = decay * mine[j + 1] + q
        steeper = 2.0 * length * decay ** (2.0 * length - 1.0) * value
        out[e] = steeper + decay ** (2.0 * length) * slope
