"""Columns of categories compared: matches counted, weighted, or expected where some are missing."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled


@compiled
def matches(x, columns, start, out):
    """out[i, j] = the number of columns in which row i of x equals row start + j.

    The other rows are given column by column.
    """
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
    """out[i, j] = a sum over the columns k; a negative category is a missing value.

    Its terms are same[i, k] where the categories agree and ``differ`` where they do not; one_x or
    one_y where the other category is missing; both[k] where both are.
    """
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
                agree, one_missing = same[i, k], one_x[i, k]
                for j in range(n):
                    unequal = differ if column[j] >= 0 else one_missing
                    row[j] += agree if column[j] == value else unequal


@compiled
def expected_gaussian(x, one_x, y, one_y, both, sharp, first, stop, out):
    """out[i, j] = a sum over the columns first <= k < stop; NaN is a missing value.

    Its terms are −sharp[k] (x_ik − y_jk)², or one_x, one_y, both[k] where values are missing.
    """
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
                one_missing, factor = one_x[i, k], -sharp[k]
                for j in range(n):
                    gap = value - column[j]
                    row[j] += one_missing if np.isnan(column[j]) else factor * (gap * gap)
