"""Sums over all local alignments of two strings, and their edit distance.

The sum (Saigo and Vert) is M summed over all cells, plus one for the empty alignment, where

    M(i, j) = w(x_i, y_j) (1 + T(i−1, j−1))            a letter on a letter; T = M + X + Y
    X(i, j) = a M(i−1, j) + b X(i−1, j)                a gap in y
    Y(i, j) = a (M + X)(i, j−1) + b Y(i, j−1)          a gap in x, after one in y or not

It grows like e^length: every cell has an exponent of its own, in steps of 2^512, because a short
alignment that starts where a long one ends may outgrow it later. Most strings need none: they are
summed without, and again with if that fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from mercer._compiled import compiled
from mercer._compiled.strings.lanes import LANES, Lanes, pointers

_BITS = 512  # of one step of an exponent
_STEP_DOWN, _STEP_UP = 2.0**-_BITS, 2.0**_BITS
_HIGH, _LOW = 2.0 ** (_BITS // 2), 2.0 ** -(_BITS // 2)


def _faded(lanes: Lanes, steps: ir.Value) -> ir.Value:
    """2^(−512 steps), of which nothing is left after two."""
    compare = lanes.builder.fcmp_ordered
    zero, one = lanes.constant(0.0), lanes.constant(1.0)
    later = lanes.where(compare("==", steps, one), lanes.constant(_STEP_DOWN), zero)
    return lanes.where(compare("==", steps, zero), one, later)


def _local(extended: bool) -> Callable[..., None]:
    """A strip of LANES rows over all columns.

    ``weights`` has the LANES numbers w of every step one after the other; ``above`` holds T,
    a M + b X and (``extended``) the exponents of the row above, one after the other; ``total`` the
    sums of M in every lane, then their exponents.
    """

    @intrinsic
    def sweep(typingctx, weights, count, above, stride, opened, longer, total):
        def codegen(context, builder, signature, args):
            places = pointers(context, builder, signature, args)
            weights, count, above, stride, opened, longer, total = places
            lanes, word = Lanes(builder), count.type
            read, minus = builder.load, builder.fsub
            one, a, b = lanes.constant(1.0), lanes.splat(opened), lanes.splat(longer)
            whole, down, right, power, corner, corner_power = (lanes.variable() for _ in range(6))
            sums, sums_power = lanes.variable(), lanes.variable()
            with lanes.steps(count) as k:
                ahead = builder.add(k, word(LANES - 1))
                w = lanes.load(weights, builder.mul(k, word(LANES)))
                up_whole = lanes.below(read(whole), above, ahead)
                up = lanes.below(read(down), above, builder.add(stride, ahead))
                beside, before = read(right), read(corner)
                if extended:
                    place = builder.mul(stride, word(2))
                    up_power = lanes.below(read(power), above, builder.add(place, ahead))
                    e = lanes.larger(lanes.larger(read(corner_power), up_power), read(power))
                    start = _faded(lanes, e)
                    before = lanes.times(before, _faded(lanes, minus(e, read(corner_power))))
                    up = lanes.times(up, _faded(lanes, minus(e, up_power)))
                    beside = lanes.times(beside, _faded(lanes, minus(e, read(power))))
                else:
                    start = one
                m = lanes.times(w, lanes.add(start, before))
                either = lanes.add(m, up)
                t = lanes.add(either, beside)
                u = lanes.add(lanes.times(a, m), lanes.times(b, up))
                v = lanes.add(lanes.times(a, either), lanes.times(b, beside))
                if extended:
                    big = builder.fcmp_ordered(">=", t, lanes.constant(_HIGH))
                    low = builder.fcmp_ordered("<", t, lanes.constant(_LOW))
                    small = builder.and_(low, builder.fcmp_ordered(">", e, lanes.constant(0.0)))
                    scale = lanes.where(small, lanes.constant(_STEP_UP), one)
                    scale = lanes.where(big, lanes.constant(_STEP_DOWN), scale)
                    m, t, u, v = (lanes.times(scale, number) for number in (m, t, u, v))
                    change = lanes.where(small, lanes.constant(-1.0), lanes.constant(0.0))
                    e = lanes.add(e, lanes.where(big, one, change))
                    most = lanes.larger(e, read(sums_power))
                    old = lanes.times(read(sums), _faded(lanes, minus(most, read(sums_power))))
                    new = lanes.times(m, _faded(lanes, minus(most, e)))
                    builder.store(lanes.add(old, new), sums)
                    builder.store(most, sums_power)
                    lanes.keep_last(e, above, builder.add(place, k))
                    builder.store(up_power, corner_power)
                    builder.store(e, power)
                else:
                    builder.store(lanes.add(read(sums), m), sums)
                lanes.keep_last(t, above, k)
                lanes.keep_last(u, above, builder.add(stride, k))
                builder.store(up_whole, corner)
                builder.store(t, whole)
                builder.store(u, down)
                builder.store(v, right)
            lanes.store(read(sums), total, word(0))
            lanes.store(read(sums_power), total, word(LANES))
            return context.get_dummy_value()

        number, integer = types.float64, types.intp
        return types.void(weights, integer, above, integer, number, number, total), codegen

    return sweep


_plain, _extended = _local(False), _local(True)


@compiled
def _weigh(s, t, top, scores, same, other, weights):
    """w of one strip, in the order of its steps; 0 outside the matrix.

    If ``scores`` is empty there are two numbers, ``same`` for equal letters and ``other``.
    """
    n = t.size
    weights[: (n + LANES) * LANES] = 0.0
    for v in range(min(LANES, s.size - top)):
        letter = s[top + v]
        mine = weights[v * (LANES + 1) :]
        if scores.size > 0:
            row = scores[letter]
            for j in range(n):
                mine[j * LANES] = row[t[j]]
        else:
            for j in range(n):
                mine[j * LANES] = same if t[j] == letter else other


@compiled
def _sum_up(s, t, scores, same, other, opened, longer, weights, above, total, extended):
    """The sum of all alignments but the empty one as number · 2^(512 power)."""
    stride = t.size + 2 * LANES
    above[: 3 * stride] = 0.0
    value, power = 0.0, 0.0
    for top in range(0, s.size, LANES):
        _weigh(s, t, top, scores, same, other, weights)
        if extended:
            _extended(weights, t.size, above, stride, opened, longer, total)
        else:
            _plain(weights, t.size, above, stride, opened, longer, total)
        for v in range(LANES):
            most = max(power, total[LANES + v])
            lane = total[v] * _STEP_DOWN ** (most - total[LANES + v])
            value = value * _STEP_DOWN ** (most - power) + lane
            power = most
        if not np.isfinite(value):
            break
    return value, power


@compiled
def local_alignments(
    x, x_at, y, y_at, left, right, scores, same, other, opened, longer, out, exponents
):
    """The sum over all local alignments of each pair e of strings, which never overflows.

    It is out[e] 2^exponents[e], ½ ≤ out[e] < 1. ``scores[a, b]`` is exp(β score) of two letters;
    ``opened`` and ``longer`` are exp(−β open) and exp(−β extend).
    """
    longest = 0
    for e in range(left.size):
        a, b = x_at[left[e] + 1] - x_at[left[e]], y_at[right[e] + 1] - y_at[right[e]]
        longest = max(longest, a, b)
    above, total = np.empty(3 * (longest + 2 * LANES)), np.empty(2 * LANES)
    weights = np.empty((longest + LANES) * LANES)
    for e in range(left.size):
        s, t = x[x_at[left[e]] : x_at[left[e] + 1]], y[y_at[right[e]] : y_at[right[e] + 1]]
        if s.size > t.size:
            s, t = t, s
        value, power = _sum_up(
            s, t, scores, same, other, opened, longer, weights, above, total, False
        )
        if not value < 2.0**1000:
            value, power = _sum_up(
                s, t, scores, same, other, opened, longer, weights, above, total, True
            )
        value += _STEP_DOWN**power  # the empty alignment
        out[e], bits = math.frexp(value)
        exponents[e] = bits + _BITS * np.int64(power)


@compiled
def edit_distances(x, x_at, y, y_at, left, right, letters, out):
    """out[e] = Levenshtein's distance of the strings e, 64 cells at a time (Myers, Hyyrö).

    Letters are numbers below ``letters``. A column of the matrix is kept as the signs of its
    differences: bits of ``up`` where the distance grows by one from a row to the next, bits of
    ``down`` where it falls. ``places[letter]`` says at which rows a letter of x stands.
    """
    one, top = np.uint64(1), np.uint64(63)
    longest = 0
    for e in range(left.size):
        longest = max(longest, x_at[left[e] + 1] - x_at[left[e]])
    words = max(1, (longest + 63) // 64)
    places = np.zeros((letters, words), dtype=np.uint64)
    up, down = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.uint64)
    known = -1
    for e in range(left.size):
        s, t = x[x_at[left[e]] : x_at[left[e] + 1]], y[y_at[right[e]] : y_at[right[e] + 1]]
        if left[e] != known:
            if known >= 0:
                for i in range(x_at[known], x_at[known + 1]):
                    places[x[i], :] = np.uint64(0)
            known = left[e]
            for i in range(s.size):
                places[s[i], i // 64] |= one << np.uint64(i % 64)
        distance = s.size
        used = (s.size + 63) // 64
        if used == 0:
            out[e] = t.size
            continue
        up[:used], down[:used] = ~np.uint64(0), np.uint64(0)
        last = np.uint64((s.size - 1) % 64)
        for j in range(t.size):
            rows = places[t[j]]
            # of the row above, from this column to the next: row 0 counts letters of y
            rises, falls = one, np.uint64(0)
            for w in range(used):
                equal, p, n = rows[w], up[w], down[w]
                vertical = equal | n
                equal |= falls
                across = (((equal & p) + p) ^ p) | equal
                more, less = n | ~(across | p), p & across
                place = last if w == used - 1 else top
                carry_more, carry_less = (more >> place) & one, (less >> place) & one
                more, less = (more << one) | rises, (less << one) | falls
                up[w], down[w] = less | ~(vertical | more), more & vertical
                rises, falls = carry_more, carry_less
            distance += np.int64(rises) - np.int64(falls)
        out[e] = distance
