"""Common subsequences of two strings, with gaps: the recursion of Lodhi and others, eight rows at a time (see `lanes`).

P_l(i, j) is the sum over common subsequences of length l of x[:i+1] and y[:j+1] of decay to the letters they stretch
over, counted to the ends i and j (without the decay² of each matched pair, put in at the end). With P_0 = 1,

    Q_l(i, j) = decay Q_l(i, j−1) + [x_i = y_j] P_{l−1}(i−1, j−1)
    P_l(i, j) = decay P_l(i−1, j) + Q_l(i, j)

and k = decay^(2 length) Σ [x_i = y_j] P_{length−1}(i−1, j−1). Nothing is subtracted, so that every value is accurate
to its last digits. Letters are float64, because a comparison of such is a mask of the right width.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from mercer._compiled import compiled
from mercer._compiled.lanes import LANES, Lanes, pointers

_GROUP = 3  # levels of one sweep: more would not fit into registers, eight lanes being two of them


def _sweep(levels: int, chained: bool) -> Any:
    """A strip of LANES rows over all columns, ``levels`` of the recursion at once.

    ``above`` holds one row per level, of ``stride`` numbers: P_l(i−1, j) at j + LANES − 1, to be replaced by that of the
    strip's last row. ``chained``: the level below the first is read from ``corners`` (from its start if ``step`` is 0), where
    what the level above the last will need is written.
    """

    @intrinsic  # type: ignore[misc]
    def sweep(typingctx, rows, columns, count, above, stride, corners, source, step, total, decay):  # type: ignore[no-untyped-def]
        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            rows, columns, count, above, stride, corners, source, step, total, decay = pointers(context, builder, signature, args)
            lanes, word = Lanes(builder), count.type
            zero, fade = lanes.constant(0.0), lanes.splat(decay)
            letters = lanes.load(rows, word(0))
            running, last, corner = ([lanes.variable() for _ in range(levels)] for _ in range(3))
            found = lanes.variable()
            end = builder.add(count, word(LANES - 2))
            with lanes.steps(count) as k:
                match = builder.fcmp_ordered("==", letters, lanes.load(columns, builder.sub(end, k)))
                lowest = lanes.load(source, builder.mul(k, step)) if chained else lanes.constant(1.0)
                inputs = [lowest, *map(builder.load, corner)]
                if chained:
                    lanes.store(inputs[-1], corners, builder.mul(k, word(LANES)))
                builder.store(lanes.add(builder.load(found), lanes.where(match, inputs[-1], zero)), found)
                for level in range(levels):
                    start = builder.mul(stride, word(level))
                    up = lanes.below(builder.load(last[level]), above, builder.add(start, builder.add(k, word(LANES - 1))))
                    along = lanes.add(lanes.times(fade, builder.load(running[level])), lanes.where(match, inputs[level], zero))
                    made = lanes.add(lanes.times(fade, up), along)
                    lanes.keep_last(made, above, builder.add(start, k))
                    builder.store(along, running[level])
                    builder.store(made, last[level])
                    builder.store(up, corner[level])
            lanes.store(builder.load(found), total, word(0))
            return context.get_dummy_value()

        number, whole = types.float64, types.intp
        return types.void(rows, columns, whole, above, whole, corners, source, whole, total, number), codegen

    return sweep


_sweep0, _sweep1, _sweep2, _sweep3 = (_sweep(levels, False) for levels in range(_GROUP + 1))
_one_more, _group_more = _sweep(1, True), _sweep(_GROUP, True)


@compiled
def _strip(rows, columns, n, levels, above, stride, corners, ones, total, decay):  # type: ignore[no-untyped-def]
    """All levels of one strip of rows."""
    if levels == 0:
        _sweep0(rows, columns, n, above, stride, corners, ones, 0, total, decay)
    elif levels == 1:
        _sweep1(rows, columns, n, above, stride, corners, ones, 0, total, decay)
    elif levels == 2:
        _sweep2(rows, columns, n, above, stride, corners, ones, 0, total, decay)
    elif levels == 3:
        _sweep3(rows, columns, n, above, stride, corners, ones, 0, total, decay)
    else:
        _group_more(rows, columns, n, above, stride, corners, ones, 0, total, decay)
        done = _GROUP
        while levels - done >= _GROUP:
            _group_more(rows, columns, n, above[done * stride :], stride, corners, corners, LANES, total, decay)
            done += _GROUP
        while done < levels:
            _one_more(rows, columns, n, above[done * stride :], stride, corners, corners, LANES, total, decay)
            done += 1


@compiled
def subsequences(x, x_at, y, y_at, left, right, length, decay, out):  # type: ignore[no-untyped-def]
    """out[e] = k(x[left[e]], y[right[e]]) for every pair e; string i is x[x_at[i]:x_at[i + 1]]."""
    longest = 0
    for e in range(left.size):
        longest = max(longest, x_at[left[e] + 1] - x_at[left[e]], y_at[right[e] + 1] - y_at[right[e]])
    above = np.empty(max(1, length - 1) * (longest + 2 * LANES))
    corners = np.empty((longest + LANES) * LANES if length - 1 > _GROUP else LANES)
    columns = np.empty(longest + 2 * LANES)
    rows, total, ones = np.empty(LANES), np.empty(LANES), np.ones(LANES)
    scale = decay ** (2.0 * length)
    for e in range(left.size):
        s, t = x[x_at[left[e]] : x_at[left[e] + 1]], y[y_at[right[e]] : y_at[right[e] + 1]]
        if s.size > t.size:  # few long strips cost less than many short ones
            s, t = t, s
        m, n = s.size, t.size
        out[e] = 0.0
        if m < length:
            continue
        stride = n + 2 * LANES
        above[: (length - 1) * stride] = 0.0
        columns[: LANES - 1] = np.nan  # which equals nothing
        for j in range(n):
            columns[LANES - 1 + j] = t[n - 1 - j]
        columns[n + LANES - 1 : n + 2 * LANES - 2] = np.nan
        value = 0.0
        for top in range(0, m, LANES):
            for v in range(LANES):
                rows[v] = s[top + v] if top + v < m else np.nan
            _strip(rows, columns, n, length - 1, above, stride, corners, ones, total, decay)
            for v in range(LANES):
                value += total[v]
        out[e] = scale * value


@compiled
def subsequence_slopes(x, x_at, y, y_at, left, right, length, decay, out):  # type: ignore[no-untyped-def]
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
            for level in range(length - 1, 0, -1):  # from the top, because a level reads the row before of the one below
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
        out[e] = 2.0 * length * decay ** (2.0 * length - 1.0) * value + decay ** (2.0 * length) * slope
