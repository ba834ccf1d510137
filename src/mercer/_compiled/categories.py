"""Tables of categories: equal columns counted, and values looked up by a pair of categories."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled


@compiled
def matches(x, columns, start, out):
    """out[i, j] = how many columns of row i of x equal those of row start + j, given column by column."""
    m, n = out.shape
    for i in range(m):
        row = out[i]
        row[:] = 0.0
        for k in range(x.shape[1]):
            value, column = x[i, k], columns[k]
            for j in range(n):
                row[j] += 1.0 if column[start + j] == value else 0.0


@compiled
def weighted_matches(x, weights, columns, start, out):
    """The same with weights[i, k] in place of 1."""
    m, n = out.shape
    for i in range(m):
        row = out[i]
        row[:] = 0.0
        for k in range(x.shape[1]):
            value, weight, column = x[i, k], weights[i, k], columns[k]
            for j in range(n):
                row[j] += weight if column[start + j] == value else 0.0


@compiled
def expected_matches(x, same, one_x, columns, one_y, both, differ, out):
    """out[i, j] = Σ_k: same[i, k] where the categories agree, ``differ`` where not; one_x or one_y where the other is a hole; both[k]."""
    m, n = out.shape
    for i in range(m):
        row = out[i]
        row[:] = 0.0
        for k in range(x.shape[1]):
            value, column = x[i, k], columns[k]
            if value < 0:
                other, all_missing = one_y[k], both[k]
                for j in range(n):
                    row[j] += other[j] if column[j] >= 0 else all_missing
            else:
                agree, hole = same[i, k], one_x[i, k]
                for j in range(n):
                    row[j] += agree if column[j] == value else (differ if column[j] >= 0 else hole)


@compiled
def expected_gaussian(x, one_x, y, one_y, both, sharp, first, stop, out):
    """out[i, j] = Σ_k of: −sharp[k] (x_ik − y_jk)², or one_x, one_y, both[k] where holes (NaN) are; first <= k < stop."""
    m, n = out.shape
    for i in range(m):
        row = out[i]
        row[:] = 0.0
        for k in range(first, stop):
            value, column = x[i, k], y[k]
            if np.isnan(value):
                other, all_missing = one_y[k], both[k]
                for j in range(n):
                    row[j] += all_missing if np.isnan(column[j]) else other[j]
            else:
                hole, factor = one_x[i, k], -sharp[k]
                for j in range(n):
                    gap = value - column[j]
                    row[j] += hole if np.isnan(column[j]) else factor * (gap * gap)
